// Counts allocations of C++ by all threads.
#ifndef NOPAL_TESTS_EXECUTION_ALLOCATIONS_HPP
#define NOPAL_TESTS_EXECUTION_ALLOCATIONS_HPP

#include <atomic>

inline std::atomic<int> allocations{0};
/// Whether they are counted now.
inline std::atomic<bool> counts_allocations{false};

/// The allocations of `passes` calls of `pass`, after those that make the pool's threads, substitutes among them: any call may
/// be the first that needs another one.
template <class Pass>
int allocations_in_the_end(int passes, Pass pass) {
  constexpr int rounds = 20;
  for (int round = 0; round != rounds; ++round) {
    allocations.store(0);
    counts_allocations.store(true);
    for (int i = 0; i != passes; ++i) pass();
    counts_allocations.store(false);
    if (allocations.load() == 0) break;
  }
  return allocations.load();
}

#endif
