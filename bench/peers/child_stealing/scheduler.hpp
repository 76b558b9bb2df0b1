// A scheduler that steals children, on the deque and the stacks of this library: what stealing continuations is
// compared with. The policy is that of the runtimes which the literature compares on this point: a fork makes a task,
// its parent runs on, and a join runs the parent's own tasks, youngest first. What is left then was stolen, so the
// deque is empty: the strand waits on its stack, and the worker goes to steal on another (greedy; the space of
// waiting stacks has no bound, and neither has that of tasks). The worker that ends the last child resumes the strand.
//
// A thread takes the oldest task first. So a worker at a join that finds no task in its deque knows that all
// tasks of this join, and all older ones, were stolen.
#ifndef NOPAL_BENCH_PEERS_CHILD_STEALING_SCHEDULER_HPP
#define NOPAL_BENCH_PEERS_CHILD_STEALING_SCHEDULER_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "deque/deque.hpp"
#include "stack/pool.hpp"

namespace child_stealing {

/// Where a strand waits for the stolen ones among its children.
struct join_state {
  std::atomic<std::int64_t> unfinished{
      0};                         ///< stolen children end with -1, the waiting strand adds their number
  void* stack_pointer = nullptr;  ///< of the waiting strand
  nopal_stack* stack = nullptr;   ///< on which it waits
};

/// A child that may be stolen; what it runs on follows.
struct task {
  void (*run)(task*);
  join_state* join;
};

/// Blocks for tasks, by size; a worker's own, so without atomics. Surplus goes to other workers in batches.
class task_memory {
public:
  static constexpr std::size_t largest_bytes = 256;

  template <std::size_t Bytes>
  void* allocate() {
    list& blocks = lists_[index_of(Bytes)];
    if (blocks.first == nullptr) [[unlikely]]
      refill(index_of(Bytes));
    block* const taken = blocks.first;
    blocks.first = taken->next;
    --blocks.count;
    return taken;
  }
  template <std::size_t Bytes>
  void free(void* memory) {
    list& blocks = lists_[index_of(Bytes)];
    blocks.first = new (memory) block{blocks.first, nullptr};
    if (++blocks.count == 2 * batch) [[unlikely]]
      hand_over(index_of(Bytes));
  }

private:
  static constexpr int batch = 256;
  struct block {
    block* next;
    block* next_batch;
  };
  struct list {
    block* first = nullptr;
    int count = 0;
  };
  // 64, 128 or 256 bytes.
  static constexpr std::size_t index_of(std::size_t bytes) { return bytes <= 64 ? 0 : bytes <= 128 ? 1 : 2; }

  void refill(std::size_t index);
  void hand_over(std::size_t index);

  static constinit std::array<std::atomic_flag, 3> batches_locked_;
  static constinit std::array<block*, 3> batches_;

  std::array<list, 3> lists_;
};

struct worker {
  nopal_deque deque;  // first, and aligned to cache lines with the worker
  task_memory memory;
  void* scheduler_stack_pointer = nullptr;  // while a strand runs
  nopal_stack* stack = nullptr;             // run on, or at hand for the next stolen task
  task* starting = nullptr;                 // what a new strand runs
  join_state* leaving = nullptr;            // the join at which the strand has just begun to wait
  std::int64_t leaving_for = 0;             // stolen children there
  join_state* resumed = nullptr;            // whose last child has just ended here
  std::uint64_t random = 0;
  std::uint64_t steals = 0;
  std::uint64_t failed_steals = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t pages_reclaimed = 0;
};

extern "C" {
extern __thread worker* nopal_child_stealing_worker __attribute__((tls_model("initial-exec")));
}

/// A strand may go on in another thread after each call that forks or joins, so the compiler must not keep the address
/// of the variable: it is told that the result changes from call to call.
[[gnu::always_inline]] inline worker& this_worker() {
  worker* self;
  asm volatile("movq nopal_child_stealing_worker@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(self));
  return *self;
}

/// The push that finds no room, or a thief that wants tasks.
void push_slow(worker& self, task* pushed);

[[gnu::always_inline]] inline void push(task* pushed) {
  worker& self = this_worker();
  // Pairs with the stores of thieves that poison the limit; late is harmless, as they look again.
  if (self.deque.bottom >= __atomic_load_n(&self.deque.limit, __ATOMIC_RELAXED)) [[unlikely]] {
    push_slow(self, pushed);
    return;
  }
  nopal::internal::deque::append(self.deque, reinterpret_cast<nopal_frame*>(pushed));
}

/// The youngest task, or null where all were stolen. Docs of the deque say why no fence is needed.
[[gnu::always_inline]] inline task* pop() {
  worker& self = this_worker();
  const std::int32_t bottom = self.deque.bottom - 1;
  __atomic_store_n(&self.deque.bottom, bottom, __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const bool is_private = bottom >= __atomic_load_n(&self.deque.split, __ATOMIC_RELAXED);
  if (!is_private && !nopal::internal::deque::pop_slow(self.deque, [](void*) { return true; }, nullptr))
    return nullptr;
  return reinterpret_cast<task*>(self.deque.owner_slots[bottom]);
}

/// Waits for `stolen` children, on another stack than this worker goes on with; maybe on another thread afterwards.
void wait(join_state& join, std::int64_t stolen);

struct counts {
  std::uint64_t steals = 0;
  std::uint64_t failed_steals = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t pages_reclaimed = 0;
  nopal::internal::stack_pool::usage stacks;
};

/// Runs `root` and what it forks on that many threads, the calling one among them. An exception from a task ends
/// the program.
counts run(int workers, task& root);

}  // namespace child_stealing

#endif
