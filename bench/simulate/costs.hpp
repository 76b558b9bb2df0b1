// What the scheduler's steps cost, and how often it tries: what the simulation is given.
#ifndef NOPAL_BENCH_SIMULATE_COSTS_HPP
#define NOPAL_BENCH_SIMULATE_COSTS_HPP

namespace simulate {

/// Nanoseconds. The defaults are those of no machine in particular, for tests.
struct costs {
  double fork = 2;        ///< a fork, its child's return and its part of the join, unstolen
  double publish = 30;    ///< more for a fork that publishes
  double visible = 100;   ///< from a publication until thieves see it
  double steal = 150;     ///< from the look that finds a public continuation until it runs
  double look = 40;       ///< a look that brings nothing
  double yield = 400;     ///< between rounds of looks
  double leave = 100;     ///< the end of a stolen-from child, or an arrival at a join, until the first look
  double resume = 300;    ///< from the step that completes a join until its strand runs
  double line = 60;       ///< a cache line's way between two workers; one thief at a time has a deque's word
  double barrier = 8500;  ///< the process-wide barrier of a forced publish or of going to sleep
  double interrupted = 1000;    ///< what it costs each worker that runs meanwhile
  double wake = 5000;           ///< waking a sleeper, for the one that wakes
  double wake_latency = 20000;  ///< until the sleeper runs
  double discard = 3000;        ///< giving the pages of a stack back
  double refault = 4000;        ///< touching them again
};

/// Constants of the scheduler: steal.cpp, sleep.cpp, deque.hpp and pool.cpp have the same.
struct policy {
  static constexpr int looks_before_force = 24;  ///< looks at private work before it is published by force
  static constexpr int looks_before_yield = 64;
  static constexpr int yields_before_sleep = 16;
  static constexpr int most_published = 16;          ///< entries an owner publishes at once
  static constexpr int idle_stacks_per_worker = 32;  ///< as where the unused pages are few
  static constexpr double second_look_ns = 1e6;      ///< a sleeper looks once more after that
};

}  // namespace simulate

#endif
