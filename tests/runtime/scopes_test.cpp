// Several scopes in one function, joined in any order, under steals.
#include <gtest/gtest.h>

#include <cstring>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

void both_stolen(int& a, int& b) {
  flag first{false};
  flag second{false};
  scope s1;
  scope s2;
  s1.fork([&] {
    wait_for_continuation(first);
    a = 1;
  });
  set(first);
  s2.fork([&] {
    wait_for_continuation(second);
    b = 2;
  });
  set(second);
  s1.join();
  NOPAL_CHECK(a == 1);
  s2.join();
  NOPAL_CHECK(b == 2);
}

NOPAL_PROGRAM(first_made_first_joined) {
  for (int i = 0; i < 1000; ++i) {
    int a = 0;
    int b = 0;
    both_stolen(a, b);
  }
  support::check_quiet();
  return 0;
}

/// The child of s2 outlives the join of s1, and s2 gets another one before its own join.
void second_reused(int (&results)[4]) {
  flag flags[4] = {};
  flag s1_joined{false};
  scope s1;
  scope s2;
  const auto child = [&flags, &results](int number) {
    return [&flags, &results, number] {
      wait_for_continuation(flags[number]);
      results[number] = number + 1;
    };
  };
  s1.fork(child(0));
  set(flags[0]);
  s2.fork([&] {
    wait_for_continuation(flags[1]);
    wait_for_continuation(s1_joined);
    results[1] = 2;
  });
  set(flags[1]);
  s1.join();
  set(s1_joined);
  s2.fork(child(2));
  set(flags[2]);
  s1.fork(child(3));
  set(flags[3]);
  s2.join();
  s1.join();
}

NOPAL_PROGRAM(second_used_again) {
  if (nopal::workers() < 3) return 0;  // two children wait at once
  for (int i = 0; i < 500; ++i) {
    int results[4] = {};
    second_reused(results);
    for (int n = 0; n < 4; ++n) NOPAL_CHECK(results[n] == n + 1);
  }
  support::check_quiet();
  return 0;
}

/// Serial order across a journey home: the child forked away from home comes before the one forked at home.
int serially_first_of_two_homes() {
  flag flags[3] = {};
  scope s1;
  scope s2;
  s1.fork([&] { wait_for_continuation(flags[0]); });
  set(flags[0]);
  s2.fork([&] {
    wait_for_continuation(flags[1]);
    throw 1;
  });
  set(flags[1]);
  s1.join();
  s2.fork([&] {
    wait_for_continuation(flags[2]);
    throw 2;
  });
  set(flags[2]);
  try {
    s2.join();
  } catch (const int number) {
    return number;
  }
  return 0;
}

NOPAL_PROGRAM(exceptions_in_serial_order) {
  if (nopal::workers() < 2) return 0;  // without steals the first exception leaves its fork
  for (int i = 0; i < 500; ++i) NOPAL_CHECK(serially_first_of_two_homes() == 1);
  support::check_quiet();
  return 0;
}

long pipeline(int depth, unsigned choices) {
  if (depth == 0) return 1;
  long x = 0;
  long y = 0;
  long z = 0;
  scope s1;
  scope s2;
  scope s3;
  s1.fork_into(x, pipeline, depth - 1, choices * 5 + 1);
  s2.fork_into(y, pipeline, depth - 1, choices * 7 + 3);
  if ((choices & 1) != 0) s1.join();
  s3.fork_into(z, pipeline, depth - 1, choices * 3 + 5);
  if ((choices & 2) != 0) s2.join();
  if ((choices & 4) != 0) s3.join();
  s1.join();
  s2.join();
  s3.join();
  return x + y + z;
}

NOPAL_PROGRAM(joined_in_any_order) {
  for (unsigned i = 0; i < 30; ++i) NOPAL_CHECK(pipeline(7, i) == 2187);
  support::check_quiet();
  return 0;
}

/// A software pipeline: each round joins the scope of the round before.
NOPAL_PROGRAM(alternating_in_a_loop) {
  for (int round = 0; round < 20; ++round) {
    long sums[2] = {};
    long total = 0;
    scope even;
    scope odd;
    for (int i = 0; i < 500; ++i) {
      scope& mine = i % 2 == 0 ? even : odd;
      scope& other = i % 2 == 0 ? odd : even;
      mine.fork_into(sums[i % 2], support::fib, 6 + i % 5);
      other.join();
      total += sums[(i + 1) % 2];
      sums[(i + 1) % 2] = 0;
    }
    even.join();
    odd.join();
    total += sums[0] + sums[1];
    NOPAL_CHECK(total == 100 * (8 + 13 + 21 + 34 + 55));
  }
  support::check_quiet();
  return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wvla-extension"
#if __has_warning("-Wvla-cxx-extension")
#pragma GCC diagnostic ignored "-Wvla-cxx-extension"
#endif
#endif
/// Its array lies on the stack that its caller is away on, and its own scope leaves that.
[[gnu::always_inline]] inline bool keeps_its_array(std::size_t size) {
  unsigned char array[size];
  std::memset(array, 7, size);
  support::flag went_on[3] = {};
  scope s;
  for (support::flag& one : went_on) {
    s.fork([&one] { support::wait_for_continuation(one); });
    support::set(one);
    // Others take the stacks that are given back, and write there.
    for (int k = 0; k < 3; ++k) {
      support::flag again{false};
      scope t;
      t.fork([&again] {
        unsigned char there[4096];
        std::memset(there, 9, sizeof there);
        asm volatile("" : : "r"(there) : "memory");
        support::wait_for_continuation(again);
      });
      support::set(again);
      t.join();
    }
    for (std::size_t at = 0; at < size; ++at) {
      if (array[at] != 7) return false;
    }
  }
  s.join();
  bool right = true;
  for (std::size_t at = 0; at < size; ++at) right = right && array[at] == 7;
  return right;
}
#pragma GCC diagnostic pop

NOPAL_PROGRAM(array_of_an_inlined_function) {
  for (int round = 0; round < 50; ++round) {
    support::flag went_on{false};
    scope s;
    s.fork([&went_on] { support::wait_for_continuation(went_on); });
    support::set(went_on);
    NOPAL_CHECK(keeps_its_array(24));
    NOPAL_CHECK(keeps_its_array(3000));
    s.join();
    NOPAL_CHECK(keeps_its_array(700));
  }
  support::check_quiet();
  return 0;
}

void forks_on(scope& foreign) {
  foreign.fork([] {});
}

// Through a volatile pointer: inlined into the scope's own function the fork would be as good as its own.
NOPAL_PROGRAM(foreign_scope) {
  void (*volatile opaque)(scope&) = forks_on;
  bool refused = false;
  scope s;
  try {
    opaque(s);
  } catch (const nopal::error&) {
    refused = true;
  }
  NOPAL_CHECK(refused);
  s.fork([] {});
  s.join();
  return 0;
}

class scopes : public support::program_at_workers {};

TEST_P(scopes, two_stolen_ones_join_in_the_order_made) { EXPECT_TRUE(run("first_made_first_joined")); }
TEST_P(scopes, the_second_is_used_again_after_the_first_joined) { EXPECT_TRUE(run("second_used_again")); }
TEST_P(scopes, keep_the_serial_order_of_exceptions_across_a_return_home) {
  EXPECT_TRUE(run("exceptions_in_serial_order"));
}
TEST_P(scopes, three_join_in_any_order) { EXPECT_TRUE(run("joined_in_any_order")); }
TEST_P(scopes, alternate_in_a_loop) { EXPECT_TRUE(run("alternating_in_a_loop")); }
TEST_P(scopes, of_an_inlined_function_keep_its_array) { EXPECT_TRUE(run("array_of_an_inlined_function")); }
TEST_P(scopes, of_another_function_are_refused) { EXPECT_TRUE(run("foreign_scope")); }

INSTANTIATE_TEST_SUITE_P(at_workers, scopes, testing::Values(1, 2, 7, 300),
                         testing::PrintToStringParamName());

}  // namespace
