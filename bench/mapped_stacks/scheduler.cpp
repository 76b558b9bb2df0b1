// Workers: steals, joins that wait, the end of stolen children. All of it runs on scheduler stacks, which are the
// ordinary ones of the workers' processes or threads, since a worker must not unmap what it runs on.
#include <ctime>

#include "mapped_stacks/runtime.hpp"
#include "mapped_stacks/workers.hpp"

extern "C" {

constinit thread_local mapped::worker* mapped_current = nullptr;

[[noreturn]] void mapped_join_slow(mapped_frame* frame, mapped::worker* w);
[[noreturn]] void mapped_child_done(mapped_frame* frame, mapped::worker* w, std::uintptr_t stack_pointer);
[[noreturn]] void mapped_finish(void* nothing, mapped::worker* w);
[[noreturn]] void mapped_end_run(mapped::worker* w);
}

namespace mapped {

// continuation.S knows where these are.
static_assert(offsetof(mapped_frame, call_stack_pointer) == 8 &&
              offsetof(mapped_frame, frame_pointer) == 16 && offsetof(mapped_frame, registers) == 24 &&
              offsetof(worker, scheduler_stack_pointer) == 0);

shared_state* state = nullptr;

namespace {

/// Between the page of the stolen frame and the thief's first: room for what the function passes on the stack.
constexpr std::uintptr_t linkage_bytes = 128;

stack& stack_at(int number) { return state->stacks->table().stacks[static_cast<std::size_t>(number)]; }

std::uint64_t cycles() { return __builtin_ia32_rdtsc(); }

/// Leaves the stack, unless it holds the frame of a strand that is elsewhere.
void leave(worker& w, bool keep) {
  if (!keep) w.shown->give(w.tip);
  w.tip = no_stack;
}

/// All children of the frame are done: its strand goes on where its frame is.
[[noreturn]] void go_home(worker& w, mapped_frame* frame) {
  // What the frame says must be read while it is mapped for certain.
  const int home = frame->home;
  const std::uintptr_t stack_pointer = frame->home_stack_pointer + sizeof(void*);
  frame->away = false;
  frame->stolen = 0;
  if (w.tip != home && w.tip != no_stack) w.shown->give(w.tip);
  w.tip = home;
  w.shown->show(home);
  mapped_resume(frame, stack_pointer);
}

struct loot {
  mapped_frame* frame;
  std::uintptr_t stack_pointer;
  int home;
  int first_page;
};

bool steal_from(worker& victim, loot& taken) {
  // A look without the lock, which pairs with nothing: what it says may be over.
  if (victim.head.load(std::memory_order_relaxed) >= victim.tail.load(std::memory_order_relaxed))
    return false;
  const spin_lock held(victim.lock);
  const std::int64_t at = victim.head.load(std::memory_order_relaxed);  // with the lock
  victim.head.store(at + 1, std::memory_order_relaxed);
  // Pairs with the fence in pop.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Acquire: pairs with the release in push.
  if (at + 1 > victim.tail.load(std::memory_order_acquire)) {
    victim.head.store(at, std::memory_order_relaxed);  // with the lock
    return false;
  }
  const entry& found = victim.entries[static_cast<std::size_t>(at)];
  taken.frame = found.frame;
  taken.stack_pointer = found.stack_pointer;
  // The victim's stack cannot change before the lock is free: its pop of this entry waits for that.
  const stack& on = stack_at(victim.tip);
  const bool is_away = on.base == found.frame;
  taken.home = is_away ? on.parent : victim.tip;
  taken.first_page = is_away ? on.first_page : state->stacks->page_of(victim.tip, found.stack_pointer) + 1;
  return true;
}

[[noreturn]] void go_on(worker& w, const loot& taken, std::uint64_t since) {
  const int own = w.shown->take();
  const bool mapped = state->with.stacks == kind::mapped;
  const int first_page = mapped ? taken.first_page : 0;
  if (mapped && first_page >= region_pages - 1) fail("the stack is full", 0);
  stack_at(own) = {taken.home, taken.first_page, taken.frame};
  w.tip = own;
  w.shown->show(own);

  // From here on the frame can be read.
  mapped_frame* frame = taken.frame;
  if (!frame->away) {
    frame->away = true;
    frame->home = taken.home;
    frame->home_stack_pointer = taken.stack_pointer;
  }
  ++frame->stolen;
  const std::uintptr_t stack_pointer = state->stacks->edge(own, first_page) - linkage_bytes;
  // The page is touched now, so that what it costs counts as the steal's.
  *reinterpret_cast<volatile char*>(stack_pointer) = 0;
  w.steal_cycles[w.counted.steals++ % most_samples] = static_cast<std::uint32_t>(cycles() - since);
  mapped_resume(frame, stack_pointer);
}

[[noreturn]] void find_work(worker& w) {
  const int workers = state->with.workers;
  for (unsigned failed = 0;; ++failed) {
    // Acquire: pairs with the release in mapped_finish.
    if (state->done.load(std::memory_order_acquire)) mapped_end_run(&w);
    if (workers > 1) {
      w.seed = w.seed * 6364136223846793005U + 1442695040888963407U;
      const auto by = 1 + static_cast<int>((w.seed >> 33) % static_cast<unsigned>(workers - 1));
      loot taken{};
      if (steal_from(state->workers[static_cast<std::size_t>((w.number + by) % workers)], taken))
        go_on(w, taken, cycles());
    }
    ++w.counted.failed_steals;
    rest(w, failed);
  }
}

void outermost() {
  for (int i = 0; i < state->repeats; ++i) {
    std::timespec begin{};
    std::timespec end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    state->value = state->runs(state->size);
    clock_gettime(CLOCK_MONOTONIC, &end);
    state->milliseconds[static_cast<std::size_t>(i)] =
        1e3 * static_cast<double>(end.tv_sec - begin.tv_sec) +
        1e-6 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
  }
  mapped_end_program(nullptr);
}

}  // namespace

bool pop_slowly(worker& w, std::int64_t at) {
  const spin_lock held(w.lock);
  // With the lock; a thief that had gone too far has gone back.
  if (w.head.load(std::memory_order_relaxed) <= at) return true;
  // Empty, so it begins anew; on a worker that came here by a join it was empty before. Thieves look again with
  // the lock.
  w.head.store(0, std::memory_order_relaxed);
  w.tail.store(0, std::memory_order_relaxed);
  return false;
}

void begin_outermost(worker& w) {
  // A process takes longer to start than a thread, and neither is the program's time. Acquire: pairs with the
  // release in begin_stealing.
  for (unsigned looks = 0; state->begun.load(std::memory_order_acquire) + 1 < state->with.workers; ++looks)
    rest(w, looks);
  w.tip = w.shown->take();
  stack_at(w.tip) = {no_stack, 0, nullptr};
  w.shown->show(w.tip);
  mapped_start(state->stacks->edge(w.tip, 0) - linkage_bytes, &outermost);
}

void begin_stealing(worker& w) {
  // Release: pairs with the acquire in begin_outermost.
  state->begun.fetch_add(1, std::memory_order_release);
  find_work(w);
}

}  // namespace mapped

// The holder of the continuation waits. It runs on no stack of a strand any more, so whoever ends the last
// child may go on at once.
void mapped_join_slow(mapped_frame* frame, mapped::worker* w) {
  const int stolen = frame->stolen;
  // Release: pairs with the last child's subtraction, after which another goes on. Acquire: pairs with those of
  // children that are done, whose results the program reads.
  if (frame->waits.fetch_add(stolen, std::memory_order_acq_rel) + stolen == 0) mapped::go_home(*w, frame);
  ++w->counted.suspended_joins;
  // The strand was away, with nothing left on the stack where it was.
  mapped::leave(*w, false);
  mapped::find_work(*w);
}

void mapped_child_done(mapped_frame* frame, mapped::worker* w, std::uintptr_t stack_pointer) {
  using namespace mapped;
  // Not by what the frame says: the thief may be about to write that.
  const bool is_home = stack_at(w->tip).base != frame;
  if (is_home && state->with.eager)
    state->stacks->give_back(w->tip, state->stacks->page_of(w->tip, stack_pointer) + 1, w->counted);
  // Release: pairs with the acquire of the join or of the last child. Acquire: with the release of the join.
  if (frame->waits.fetch_sub(1, std::memory_order_acq_rel) == 1) go_home(*w, frame);
  leave(*w, is_home);
  find_work(*w);
}

void mapped_finish(void*, mapped::worker* w) {
  mapped::leave(*w, false);
  // Release: pairs with the acquire in find_work.
  mapped::state->done.store(true, std::memory_order_release);
  mapped_end_run(w);
}
