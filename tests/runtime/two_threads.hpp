// A continuation that has surely been stolen, and its child meanwhile: what each of two threads sees.
#ifndef NOPAL_TESTS_RUNTIME_TWO_THREADS_HPP
#define NOPAL_TESTS_RUNTIME_TWO_THREADS_HPP

#include <gtest/gtest.h>

#include <thread>

#include "support/strands.hpp"

namespace two_threads {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

// Not pthread_self: it is declared to return the same in each call of one function, so compilers call it once.
[[gnu::noinline]] inline bool is_thread(pid_t number) { return support::thread_id() == number; }

/// `elsewhere` in a continuation that has surely been stolen, and `at_home` in the child meanwhile, on the thread that forked.
template <class Home, class Elsewhere>
void on_two_threads(Home at_home, Elsewhere elsewhere) {
  flag went_on{false};
  flag looked{false};
  const pid_t home = support::thread_id();
  {
    scope s;
    s.fork([&] {
      wait_for_continuation(went_on);
      NOPAL_CHECK(is_thread(home));
      at_home();
      while (!looked.load()) std::this_thread::yield();
    });
    set(went_on);
    NOPAL_CHECK(!is_thread(home));
    elsewhere();
    set(looked);
    s.join();
  }
  NOPAL_CHECK(is_thread(home));
}

inline bool passes(const char* program) {
  const support::outcome seen = support::run_program(program, support::on_workers(2));
  EXPECT_TRUE(seen.exit_code == 0 && seen.err.empty()) << seen.description();
  return seen.exit_code == 0;
}

}  // namespace two_threads

#endif
