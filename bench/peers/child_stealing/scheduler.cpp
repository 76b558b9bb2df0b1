#include "peers/child_stealing/scheduler.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "os/os.hpp"

extern "C" {
__thread child_stealing::worker* nopal_child_stealing_worker = nullptr;

/// Saves the calling strand's registers on its stack and its stack pointer in `*from`; goes on where `to` was saved.
void nopal_child_stealing_switch(void** from, void* to);
}

asm(R"(
  .pushsection .text
  .globl nopal_child_stealing_switch
  .type nopal_child_stealing_switch, @function
nopal_child_stealing_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size nopal_child_stealing_switch, . - nopal_child_stealing_switch
  .popsection
)");

namespace child_stealing {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;
constexpr int looks_before_force = 24;  // at private tasks only, as in the library
constexpr int looks_before_yield = 64;

struct team {
  nopal::internal::stack_pool stacks;
  std::vector<std::unique_ptr<worker>> workers;
  std::atomic<bool> finished{false};
  std::atomic<int> ready{0};
};
team* all = nullptr;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "child_stealing: %s\n", what);
  std::exit(1);
}

// Ends the strand: its stack is the worker's to use again.
[[noreturn]] void leave_strand() {
  void* nobody_returns_here;
  nopal_child_stealing_switch(&nobody_returns_here, this_worker().scheduler_stack_pointer);
  __builtin_unreachable();
}

void begin_strand() {
  task* const begun = this_worker().starting;
  join_state* const join = begun->join;
  begun->run(begun);
  if (join == nullptr) {
    all->finished.store(true, std::memory_order_release);
  } else if (join->unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // Only a strand that waits makes the number positive; acquire: what all its children did comes first.
    this_worker().resumed = join;
  }
  leave_strand();
}

// What the switch finds on a new stack: six registers, where to go, and the alignment of a called function.
void* new_strand_on(const nopal_stack& stack) {
  auto** top = reinterpret_cast<void**>(stack.high) - 1;
  *top = nullptr;
  *--top = reinterpret_cast<void*>(begin_strand);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  return top;
}

void start(worker& self, task* begun) {
  if (self.stack == nullptr) self.stack = all->stacks.take(nullptr);
  if (self.stack == nullptr) fail("no memory for a stack");
  self.starting = begun;
  nopal_child_stealing_switch(&self.scheduler_stack_pointer, new_strand_on(*self.stack));
}

void resume(worker& self, const join_state& join) {
  if (self.stack != nullptr) self.pages_reclaimed += all->stacks.give(self.stack);
  self.stack = join.stack;
  all->stacks.reuse(self.stack);
  nopal_child_stealing_switch(&self.scheduler_stack_pointer, join.stack_pointer);
}

// A strand has just left for the scheduler. Returns the join whose strand is to go on now, or null.
join_state* after_strand(worker& self) {
  if (self.leaving == nullptr) return std::exchange(self.resumed, nullptr);
  join_state* const join = std::exchange(self.leaving, nullptr);
  ++self.suspensions;
  self.pages_reclaimed += all->stacks.retain(std::exchange(self.stack, nullptr), join->stack_pointer);
  // Release: whoever ends the last child finds the strand saved. Once it may, the join is not ours to touch.
  const std::int64_t before = join->unfinished.fetch_add(self.leaving_for, std::memory_order_acq_rel);
  return before + self.leaving_for == 0 ? join : nullptr;
}

task* steal(worker& self, int& private_looks) {
  const std::size_t count = all->workers.size();
  if (count == 1) return nullptr;
  self.random = self.random * 6364136223846793005 + 1442695040888963407;
  worker& victim = *all->workers[(self.random >> 33) % count];
  if (&victim == &self) return nullptr;
  nopal_frame* taken = nullptr;
  switch (nopal::internal::deque::steal(victim.deque, taken, [](void*) { return true; }, nullptr)) {
  case nopal::internal::deque::steal_outcome::taken:
    ++self.steals;
    private_looks = 0;
    return reinterpret_cast<task*>(taken);
  case nopal::internal::deque::steal_outcome::private_only:
    if (++private_looks < looks_before_force) break;
    private_looks = 0;
    nopal::internal::deque::force_publish(
        victim.deque, nopal::internal::os::process_barrier, [](void*) { return true; }, nullptr);
    break;
  default: break;
  }
  ++self.failed_steals;
  return nullptr;
}

void schedule(worker& self) {
  int private_looks = 0;
  int fruitless = 0;
  while (!all->finished.load(std::memory_order_acquire)) {
    if (join_state* const next = after_strand(self)) {
      resume(self, *next);
      nopal::internal::deque::reset(self.deque);
      continue;
    }
    if (task* const stolen = steal(self, private_looks)) {
      fruitless = 0;
      start(self, stolen);
      nopal::internal::deque::reset(self.deque);
    } else if (++fruitless > looks_before_yield) {
      nopal::internal::os::yield();
    } else {
      nopal::internal::os::cpu_relax();
    }
  }
}

}  // namespace

constinit std::array<std::atomic_flag, 3> task_memory::batches_locked_{};
constinit std::array<task_memory::block*, 3> task_memory::batches_{};

namespace {

class flag_guard {
public:
  explicit flag_guard(std::atomic_flag& flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) nopal::internal::os::cpu_relax();
  }
  flag_guard(const flag_guard&) = delete;
  flag_guard& operator=(const flag_guard&) = delete;
  ~flag_guard() { flag_.clear(std::memory_order_release); }

private:
  std::atomic_flag& flag_;
};

}  // namespace

// Blocks live as long as the process, which is one run.
void task_memory::refill(std::size_t index) {
  list& blocks = lists_[index];
  {
    const flag_guard guard(batches_locked_[index]);
    if (block* const handed_over = batches_[index]) {
      batches_[index] = handed_over->next_batch;
      blocks = {handed_over, batch};
      return;
    }
  }
  const std::size_t bytes = std::size_t{64} << index;
  auto* const fresh = static_cast<char*>(::operator new(bytes * batch, std::align_val_t(64)));
  for (std::size_t i = batch; i-- > 0;) blocks.first = new (fresh + i * bytes) block{blocks.first, nullptr};
  blocks.count = batch;
}

void task_memory::hand_over(std::size_t index) {
  list& blocks = lists_[index];
  block* const first = blocks.first;
  block* last = first;
  for (int i = 1; i < batch; ++i) last = last->next;
  blocks = {std::exchange(last->next, nullptr), blocks.count - batch};
  const flag_guard guard(batches_locked_[index]);
  first->next_batch = std::exchange(batches_[index], first);
}

void push_slow(worker& self, task* pushed) {
  if (!nopal::internal::deque::reserve(self.deque)) fail("no memory for tasks");
  nopal::internal::deque::append(self.deque, reinterpret_cast<nopal_frame*>(pushed));
  nopal::internal::deque::unpoison(self.deque);
  nopal::internal::deque::publish(
      self.deque, nopal::internal::deque::publish_batch(nopal::internal::deque::size(self.deque)));
}

void wait(join_state& join, std::int64_t stolen) {
  // Acquire pairs with the children's release: all may have ended already.
  if (join.unfinished.load(std::memory_order_acquire) == -stolen) {
    join.unfinished.store(0, std::memory_order_relaxed);
    return;
  }
  worker& self = this_worker();
  self.leaving = &join;
  self.leaving_for = stolen;
  join.stack = self.stack;
  nopal_child_stealing_switch(&join.stack_pointer, self.scheduler_stack_pointer);
}

counts run(int workers, task& root) {
  team hired;
  all = &hired;
  nopal::internal::os::process_barrier_register();
  if (!hired.stacks.start({.stack_bytes = stack_bytes, .workers = workers})) fail("no memory for stacks");
  for (int i = 0; i < workers; ++i) {
    hired.workers.push_back(std::make_unique<worker>());
    hired.workers.back()->random = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
    if (!nopal::internal::deque::make(hired.workers.back()->deque)) fail("no memory for tasks");
  }
  const auto work = [&](worker& self, task* first) {
    nopal_child_stealing_worker = &self;
    hired.ready.fetch_add(1, std::memory_order_acq_rel);
    while (hired.ready.load(std::memory_order_acquire) < workers) nopal::internal::os::yield();
    if (first != nullptr) start(self, first);
    schedule(self);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < hired.workers.size(); ++i)
    threads.emplace_back(work, std::ref(*hired.workers[i]), nullptr);
  work(*hired.workers[0], &root);
  for (std::thread& thread : threads) thread.join();

  counts sum;
  sum.stacks = hired.stacks.measure();
  for (const auto& each : hired.workers) {
    sum.steals += each->steals;
    sum.failed_steals += each->failed_steals;
    sum.suspensions += each->suspensions;
    sum.pages_reclaimed += each->pages_reclaimed;
    if (each->stack != nullptr) hired.stacks.give(each->stack);
    nopal::internal::deque::destroy(each->deque);
  }
  hired.stacks.stop();
  return sum;
}

}  // namespace child_stealing
