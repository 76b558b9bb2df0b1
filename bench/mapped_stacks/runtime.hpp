// Forks and joins of the variant: continuations are stolen as docs/continuations.md says, from deques in
// memory that all workers share. What a strand goes on on after a steal is memory.hpp's.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mapped_stacks/memory.hpp"

extern "C" {

/// Lies in the frame of the function that forks, so it is seen by who has that frame's pages mapped.
struct mapped_frame {
  // The continuation: written at forks by who has it, read by the thief.
  void* resume_address;
  std::uintptr_t call_stack_pointer;
  void* frame_pointer;
  std::array<void*, 5> registers;
  // Written by thieves once the continuation is theirs, and read by who has it later.
  std::uintptr_t home_stack_pointer;  ///< at forks before the first steal
  int home;                           ///< the stack that holds the frame, while it is away
  bool away;                          ///< the strand is on another stack
  int stolen;                         ///< steals since the last join, each of which left a child behind
  /// Children not done, once the join has added `stolen`; until then minus the children that are done.
  std::atomic<int> waits;
};

void mapped_enter_fork();
void mapped_suspend(mapped_frame* frame);
[[noreturn]] void mapped_end_child(mapped_frame* frame);
[[noreturn]] void mapped_end_program(void* nothing);
[[noreturn]] void mapped_resume(mapped_frame* frame, std::uintptr_t stack_pointer);
[[noreturn]] void mapped_start(std::uintptr_t stack_pointer, void (*routine)());
}

namespace mapped {

/// A thief must know where a frame ends before it has mapped the frame.
struct entry {
  mapped_frame* frame;
  std::uintptr_t stack_pointer;
};

/// A fork takes more of the stack than 128 bytes, so stacks overflow first.
inline constexpr std::size_t most_entries = region_bytes / 128;
inline constexpr std::size_t most_samples = 1 << 14;

/// In memory that all workers share.
struct worker {
  std::uintptr_t scheduler_stack_pointer;  ///< private to the worker, and in its own process
  /// The end where the worker pushes and pops. It writes, thieves read.
  alignas(64) std::atomic<std::int64_t> tail;
  /// The end where thieves take. They write it, and the worker when the deque is empty, with the lock.
  alignas(64) std::atomic<std::int64_t> head;
  std::atomic<int> lock;
  int tip;  ///< the stack it runs on; read by thieves with the lock
  int number;
  std::uint64_t seed;
  region* shown;  ///< private
  counts counted;
  std::array<std::uint32_t, most_samples> steal_cycles;  ///< from each steal to its continuation
  std::array<entry, most_entries> entries;
};

}  // namespace mapped

/// Of this thread; in worker processes of the process's one thread.
extern "C" constinit thread_local mapped::worker* mapped_current;

namespace mapped {

/// The compiler must not keep what this reads: a strand goes on on other workers.
[[gnu::always_inline]] inline worker& current() {
  worker* found;
  // Told: nothing but the result, which each execution computes anew (volatile). Not told: a thread-local
  // variable is read.
  asm volatile("movq mapped_current@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(found));
  return *found;
}

[[gnu::always_inline]] inline void push(mapped_frame* frame) {
  worker& w = current();
  const std::int64_t at = w.tail.load(std::memory_order_relaxed);  // the worker's own
  w.entries[static_cast<std::size_t>(at)] = {frame, frame->call_stack_pointer};
  // Release: pairs with the acquire in steal_from, which reads the entry and the frame.
  w.tail.store(at + 1, std::memory_order_release);
}

bool pop_slowly(worker& w, std::int64_t at);

[[gnu::always_inline]] inline bool pop() {
  worker& w = current();
  const std::int64_t at = w.tail.load(std::memory_order_relaxed) - 1;  // the worker's own
  w.tail.store(at, std::memory_order_relaxed);
  // Pairs with the fence in steal_from: of a pop and a steal of one entry one sees the other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // With the fence alone; a steal that this sees is looked at again with the lock.
  if (w.head.load(std::memory_order_relaxed) <= at) [[likely]]
    return true;
  return pop_slowly(w, at);
}

/// A child's first frame: it owns the arguments, and from the push on the parent may be elsewhere.
template <auto Child, class Result, class... Arguments>
void child(mapped_frame* parent, const void*, Result* result, Arguments... arguments) {
  push(parent);
  *result = Child(arguments...);
  if (!pop()) [[unlikely]]
    mapped_end_child(parent);
}

/// Of a function that is not inlined and has no over-aligned locals. It joins before it returns.
class scope {
public:
  [[gnu::always_inline]] scope() {
    frame_.frame_pointer = __builtin_frame_address(0);
    frame_.away = false;
    frame_.stolen = 0;
    // Of a frame that nobody else knows yet.
    frame_.waits.store(0, std::memory_order_relaxed);
#ifdef __clang__
    // Told: the stack pointer moves in a way that cannot be followed, so the frame is addressed through
    // the frame pointer. It does not move here.
    asm volatile("" ::: "rsp");
#endif
  }
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// result = Child(arguments...), which another worker may do what follows beside. All of it is in registers.
  template <auto Child, class Result, class... Arguments>
  [[gnu::always_inline]] void fork_into(Result& result, Arguments... arguments) {
    static_assert(sizeof...(Arguments) <= 3 && (std::is_scalar_v<Arguments> && ...));
    const auto call =
        reinterpret_cast<void (*)(mapped_frame*, const void*, Result*, Arguments...)>(&mapped_enter_fork);
    call(&frame_, reinterpret_cast<const void*>(&child<Child, Result, Arguments...>), &result, arguments...);
  }

  [[gnu::always_inline]] void join() {
    if (frame_.stolen != 0) [[unlikely]]
      mapped_suspend(&frame_);
  }

private:
  mapped_frame frame_;
};

/// What runs on the workers: its value, for a size.
using program = long (*)(int size);

inline constexpr int most_repeats = 64;

struct outcome {
  long value;
  std::array<double, most_repeats> milliseconds;  ///< of each repeat
  counts total;
  double steal_us;  ///< median, from the taking of an entry to the first instruction of its continuation
  int most_stacks_used;
  long resident_pages;  ///< of stacks, at the end, where free ones at hand keep theirs
};

/// Starts workers, runs the program `repeats` times one after the other, and ends them.
outcome run(const options& with, program runs, int size, int repeats);

}  // namespace mapped
