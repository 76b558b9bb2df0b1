// What the tests with OpenMP are made of: a team, threads by number, strands that move.
#ifndef NOPAL_TESTS_OPENMP_TEAM_HPP
#define NOPAL_TESTS_OPENMP_TEAM_HPP

#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include <nopal/nopal.hpp>

#include "support/strands.hpp"

/// More threads than most machines here have CPUs.
inline constexpr int team = 3;

// GCC takes omp_get_thread_num for constant within a function, so it is asked through what GCC cannot see through.
inline int (*volatile const thread_number)() = omp_get_thread_num;
inline long os_thread() { return syscall(SYS_gettid); }

inline long fib(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

/// The sum of the numbers below `n`, by a team.
inline long sum_below(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(team) schedule(dynamic, 16)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}

/// A scope whose continuation goes on behind the join on the thread of a thief, if one comes soon.
inline void move_to_another_thread() {
  support::flag stolen = false, ended = false;
  nopal::scope s;
  s.fork([&] {
    support::wait_briefly(stolen);
    ended = true;
  });
  stolen = true;
  while (!ended) std::this_thread::yield();
  s.join();
}

/// The same for sure, where a thread has nothing else to do; on stacks of the runtime, since strands of a thread's own stack
/// come back to it.
inline void move_for_sure() {
  support::flag stolen = false, ended = false;
  nopal::scope s;
  s.fork([&] {
    support::wait_for_continuation(stolen);
    ended = true;
  });
  stolen = true;
  while (!ended) std::this_thread::yield();
  support::sleep_ms(1);
  s.join();
}

#endif
