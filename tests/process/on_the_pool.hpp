// Strands that surely run on a thread of the pool.
#ifndef NOPAL_TESTS_PROCESS_ON_THE_POOL_HPP
#define NOPAL_TESTS_PROCESS_ON_THE_POOL_HPP

#include "support/strands.hpp"

/// Calls `body` in a continuation that a thread of the pool has stolen.
template <class Body>
void run_on_the_pool(support::flag& over, Body body) {
  const int home = nopal::worker_index();
  nopal::scope s;
  s.fork([&over] { support::wait_for_continuation(over); });
  NOPAL_CHECK(nopal::worker_index() != home);
  body(s);
  support::set(over);
  s.join();
}

#endif
