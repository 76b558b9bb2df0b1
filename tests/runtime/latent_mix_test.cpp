// Latent forks with all else that there is: eager ones of another file, pinned calls, loops and other patterns, reducers, tasks,
// threads that come and go.
#include <gtest/gtest.h>

#include <nopal/detail/pinned.h>
#include <nopal/monoids.hpp>
#include <nopal/parallel.hpp>
#include <nopal/reducer.hpp>
#include <tbb/task_group.h>

#include <string>
#include <thread>
#include <vector>

#include "latent_mixed.hpp"
#include "support/latent.hpp"

namespace mixed {

long by_latent_fork(nest& all, int depth) {
  if (depth == 0) return at_bottom(all);
  long below = -1;
  nopal::scope s;
  s.fork_into(below, [&all, depth] { return by_eager_fork(all, depth - 1); });
  if (depth == all.outermost) support::set(all.went_on);
  s.join();
  return below + 1;
}

long fib_by_latent_forks(int n) {
  if (n < 2) return n;
  long x = 0;
  nopal::scope s;
  s.fork_into(x, fib_by_eager_forks, n - 1);
  const long y = fib_by_eager_forks(n - 2);
  s.join();
  return x + y;
}

}  // namespace mixed

namespace {

using nopal::scope;
using nopal::detail::call_pinned;
using support::before_thieves_are_hungry;
using support::flag;
using support::set;

bool are_latent() { return support::latent_in(support::compiled_latent); }

NOPAL_PROGRAM(with_eager_forks) {
  for (int depth = 1; depth <= 60; ++depth) {
    for (const bool latent_first : {false, true}) {
      before_thieves_are_hungry([=](flag& release) {
        mixed::nest all{.release = release};
        all.outermost = depth;
        const long result =
            latent_first ? mixed::by_latent_fork(all, depth) : mixed::by_eager_fork(all, depth);
        NOPAL_CHECK(result == depth);
      });
    }
  }
  for (int round = 0; round < 5; ++round) NOPAL_CHECK(mixed::fib_by_latent_forks(20) == 6765);
  if (are_latent() && nopal::workers() > 1) NOPAL_CHECK(support::promotions() > 0);
  support::check_quiet();
  return 0;
}

/// A nest of latent forks within each of several pinned calls, one in the other.
long pinned_nests(flag& release, flag& went_on, int calls, int depth, std::atomic<int>& continued) {
  if (depth > 0) {
    long below = -1;
    scope s;
    s.fork_into(below, [&, depth] { return pinned_nests(release, went_on, calls, depth - 1, continued); });
    ++continued;
    if (calls == 0) set(went_on);
    s.join();
    return below + 1;
  }
  if (calls > 0) {
    return call_pinned([&] {
      std::atomic<int> here{0};
      const long below = pinned_nests(release, went_on, calls - 1, 3, here);
      NOPAL_CHECK(here == 3);
      return below + 10;
    });
  }
  set(release);
  support::wait_for_continuation(went_on);
  return 0;
}

NOPAL_PROGRAM(in_pinned_calls) {
  for (int round = 0; round < 20; ++round) {
    for (int calls = 0; calls <= 4; ++calls) {
      before_thieves_are_hungry([calls](flag& release) {
        flag went_on{false};
        std::atomic<int> continued{0};
        NOPAL_CHECK(pinned_nests(release, went_on, calls, 3, continued) == 10 * calls + 3 * (calls + 1));
        NOPAL_CHECK(continued == 3);
      });
    }
  }
  support::check_quiet();
  return 0;
}

/// What is outside of a pinned call has latent forks, which thieves get while the call computes.
NOPAL_PROGRAM(outside_of_pinned_calls) {
  for (int round = 0; round < 20; ++round) {
    before_thieves_are_hungry([](flag& release) {
      flag went_on{false};
      std::atomic<int> sum{0};
      scope s;
      s.fork([&] {
        call_pinned([&] {
          set(release);
          support::wait_for_continuation(went_on);
          scope inner;
          inner.fork([&sum] { ++sum; });
          inner.join();
        });
      });
      set(went_on);
      s.join();
      NOPAL_CHECK(sum == 1);
    });
  }
  support::check_quiet();
  return 0;
}

void said_in_order(nopal::reducer<nopal::op_string_append>& text, int from, int to) {
  if (to - from == 1) {
    *text += static_cast<char>('a' + from % 26);
    return;
  }
  const int middle = (from + to) / 2;
  scope s;
  s.fork([&text, from, middle] { said_in_order(text, from, middle); });
  said_in_order(text, middle, to);
  s.join();
}

NOPAL_PROGRAM(with_reducers) {
  std::string serial;
  for (int i = 0; i < 3000; ++i) serial += static_cast<char>('a' + i % 26);
  for (int round = 0; round < 30; ++round) {
    nopal::reducer<nopal::op_string_append> text;
    said_in_order(text, 0, 3000);
    NOPAL_CHECK(text.value() == serial);
  }
  // One whose continuations are all stolen after they were promoted.
  for (int round = 0; round < 30; ++round) {
    nopal::reducer<nopal::op_string_append> text;
    for (int i = 0; i < 10; ++i) {
      flag went_on{false};
      scope s;
      s.fork([&] {
        *text += '(';
        support::wait_for_continuation(went_on);
        *text += static_cast<char>('0' + i);
      });
      set(went_on);
      *text += ')';
      s.join();
    }
    NOPAL_CHECK(text.value() == "(0)(1)(2)(3)(4)(5)(6)(7)(8)(9)");
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(with_patterns) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> squares(2000, -1);
    scope s;
    s.fork([&squares] {
      nopal::parallel_for(0, 1000, [&squares](int i) { squares[static_cast<std::size_t>(i)] = i * i; });
    });
    nopal::parallel_for(1000, 2000, 1, [&squares](int i) {
      int result = 0;
      scope inner;
      inner.fork_into(result, [i] { return i * i; });
      inner.join();
      squares[static_cast<std::size_t>(i)] = result;
    });
    s.join();
    for (int i = 0; i < 2000; ++i) NOPAL_CHECK(squares[static_cast<std::size_t>(i)] == i * i);
    int x = 0;
    int y = 0;
    int z = 0;
    nopal::parallel_invoke([&x] { x = 1; }, [&y] { y = 2; },
                           [&z] {
                             scope inner;
                             inner.fork_into(z, [] { return 3; });
                             inner.join();
                           });
    NOPAL_CHECK(x == 1 && y == 2 && z == 3);
  }
  support::check_quiet();
  return 0;
}

/// Tasks that latent children start and wait for, and that have latent forks.
long tree_of_tasks(int depth) {
  if (depth == 0) return 1;
  long x = 0;
  std::atomic<long> y{0};
  scope s;
  s.fork_into(x, [&y, depth] {
    tbb::task_group group;
    group.run([&y, depth] { y += tree_of_tasks(depth - 1); });
    const long own = tree_of_tasks(depth - 1);
    group.wait();
    return own;
  });
  s.join();
  return x + y;
}

NOPAL_PROGRAM(with_tasks) {
  for (int round = 0; round < 10; ++round) NOPAL_CHECK(tree_of_tasks(8) == 256);
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(of_threads_that_end) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 30; ++i) {
    threads.emplace_back([] { NOPAL_CHECK(mixed::fib_by_latent_forks(15) == 610); });
    if (threads.size() == 3) {
      for (std::thread& each : threads) each.join();
      threads.clear();
      NOPAL_CHECK(mixed::fib_by_latent_forks(15) == 610);
    }
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(of_several_lives) {
  for (int round = 0; round < 20; ++round) {
    NOPAL_CHECK(mixed::fib_by_latent_forks(15) == 610);
    before_thieves_are_hungry([](flag& release) {
      mixed::nest all{.release = release};
      all.outermost = 5;
      NOPAL_CHECK(mixed::by_latent_fork(all, 5) == 5);
    });
    support::check_quiet();
    nopal::shutdown();
  }
  return 0;
}

NOPAL_PROGRAM(asked_where_they_are) {
  int inside = -1;
  bool refused = false;
  scope s;
  s.fork([&] {
    inside = nopal::worker_index();
    refused = support::shutdown_is_refused();
  });
  s.join();
  NOPAL_CHECK(inside >= 0 && refused);
  nopal::shutdown();
  return 0;
}

class latent_forks_mix : public support::program_at_workers {};

TEST_P(latent_forks_mix, with_eager_ones_of_another_file) { EXPECT_TRUE(run("with_eager_forks")); }
TEST_P(latent_forks_mix, with_pinned_calls_around_them) { EXPECT_TRUE(run("in_pinned_calls")); }
TEST_P(latent_forks_mix, with_pinned_calls_below_them) { EXPECT_TRUE(run("outside_of_pinned_calls")); }
TEST_P(latent_forks_mix, with_reducers) { EXPECT_TRUE(run("with_reducers")); }
TEST_P(latent_forks_mix, with_patterns) { EXPECT_TRUE(run("with_patterns")); }
TEST_P(latent_forks_mix, with_tasks) { EXPECT_TRUE(run("with_tasks")); }
TEST_P(latent_forks_mix, with_threads_that_end) { EXPECT_TRUE(run("of_threads_that_end")); }
TEST_P(latent_forks_mix, with_shutdowns) { EXPECT_TRUE(run("of_several_lives")); }
TEST_P(latent_forks_mix, with_shutdowns_that_are_refused) { EXPECT_TRUE(run("asked_where_they_are")); }

INSTANTIATE_TEST_SUITE_P(at_workers, latent_forks_mix, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

}  // namespace
