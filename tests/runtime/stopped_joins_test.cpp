// Joins that waited in a child of a stopped scope that unwinds: who throws there, and what.
#include <nopal/reducer.hpp>
#include <nopal/speculate.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "support/living.hpp"
#include "support/strands.hpp"

extern "C" int joins_in_c(void (*stop)(void*), void* scope);
int joins_without_exceptions(void (*stop)(void*), void* scope);

namespace {

using nopal::cancel_scope;
using nopal::on_stop;
using nopal::scope;

constexpr int rounds = 100;

/// Forks a child that stops `all` once what follows it runs elsewhere, and ends; goes on when `all` is stopped.
template <class Child>
[[gnu::always_inline]] inline void fork_what_stops(scope& s, cancel_scope& all, support::flag& on,
                                                   const Child& child) {
  s.fork([&] {
    support::wait_for_continuation(on);
    all.request_stop();
    child();
  });
  support::set(on);
  while (!all.stop_requested()) std::this_thread::yield();
}

NOPAL_PROGRAM(a_join_that_waited_unwinds) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> after{0};
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      const support::living one(alive);
      support::flag on{false};
      scope s;
      fork_what_stops(s, all, on, [] {});
      s.join();
      ++after;
    });
    all.join();
    NOPAL_CHECK(alive == 0 && after == 0);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(the_end_of_a_scope_that_waited_unwinds) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> after{0};
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      const support::living one(alive);
      support::flag on{false};
      {
        scope s;
        fork_what_stops(s, all, on, [] {});
      }
      ++after;
    });
    all.join();
    NOPAL_CHECK(alive == 0 && after == 0);
  }
  support::check_quiet();
  return 0;
}

/// Of scopes that skip, in shields, and in the function that made the scope.
NOPAL_PROGRAM(other_joins_return) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> after{0};
    const auto join_once_stopped = [&after](cancel_scope& all) {
      support::flag on{false};
      scope s;
      fork_what_stops(s, all, on, [] {});
      s.join();
      ++after;
    };
    {
      cancel_scope skips;
      skips.fork(join_once_stopped, std::ref(skips));
      skips.join();
    }
    cancel_scope shielded{on_stop::unwind};
    shielded.fork([&] { nopal::shield([&] { join_once_stopped(shielded); }); });
    shielded.join();
    NOPAL_CHECK(after == 2);
  }
  for (int round = 0; round < rounds; ++round) {
    cancel_scope own{on_stop::unwind};
    support::flag on{false};
    scope s;
    fork_what_stops(s, own, on, [] {});
    s.join();
    own.join();
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(what_a_child_threw_counts_for_more) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    bool thrown = false;
    try {
      cancel_scope all{on_stop::unwind};
      all.fork([&all] {
        support::flag on{false};
        scope s;
        fork_what_stops(s, all, on, [] { throw std::runtime_error("a child's"); });
        s.join();
      });
      all.join();
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    NOPAL_CHECK(thrown);
  }
  support::check_quiet();
  return 0;
}

/// In a destructor that an exception runs.
NOPAL_PROGRAM(joins_in_destructors_return) {
  if (nopal::workers() == 1) return 0;
  struct joins_at_end {
    cancel_scope& all;
    std::atomic<int>& ended;
    ~joins_at_end() noexcept(true) {
      all.request_stop();
      scope s;
      s.fork([] {});
      s.join();
      ++ended;
    }
  };
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> ended{0};
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      const joins_at_end one{all, ended};
      support::flag on{false};
      scope s;
      fork_what_stops(s, all, on, [] {});
      s.join();
      ended += 100;
    });
    all.join();
    NOPAL_CHECK(ended == 1);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(code_without_exceptions_goes_on) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<int> after{0};
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      const auto stop = [](void* which) { static_cast<cancel_scope*>(which)->request_stop(); };
      after += round % 2 == 0 ? joins_in_c(stop, &all) : joins_without_exceptions(stop, &all);
      nopal::poll();
      after += 100;
    });
    all.join();
    NOPAL_CHECK(after == 1);
  }
  support::check_quiet();
  return 0;
}

/// What strands that ran have added is kept where the join throws.
NOPAL_PROGRAM(views_of_a_join_that_unwinds_are_kept) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < rounds; ++round) {
    nopal::reducer<nopal::op_add<int>> sum;
    cancel_scope all{on_stop::unwind};
    all.fork([&] {
      support::flag on{false};
      scope s;
      s.fork([&] {
        support::wait_for_continuation(on);
        *sum += 1;
        all.request_stop();
      });
      *sum += 10;
      support::set(on);
      while (!all.stop_requested()) std::this_thread::yield();
      s.join();
      *sum += 100;
    });
    all.join();
    NOPAL_CHECK(*sum == 11);
  }
  support::check_quiet();
  return 0;
}

class stopped_joins : public support::program_at_workers {};

TEST_P(stopped_joins, throw_where_they_waited) { EXPECT_TRUE(run("a_join_that_waited_unwinds")); }
TEST_P(stopped_joins, throw_at_the_end_of_a_scope_that_waited) {
  EXPECT_TRUE(run("the_end_of_a_scope_that_waited_unwinds"));
}
TEST_P(stopped_joins, return_elsewhere) { EXPECT_TRUE(run("other_joins_return")); }
TEST_P(stopped_joins, throw_what_a_child_threw_first) {
  EXPECT_TRUE(run("what_a_child_threw_counts_for_more"));
}
TEST_P(stopped_joins, return_in_destructors) { EXPECT_TRUE(run("joins_in_destructors_return")); }
TEST_P(stopped_joins, return_in_code_without_exceptions) {
  EXPECT_TRUE(run("code_without_exceptions_goes_on"));
}
TEST_P(stopped_joins, keep_views) { EXPECT_TRUE(run("views_of_a_join_that_unwinds_are_kept")); }

INSTANTIATE_TEST_SUITE_P(at_workers, stopped_joins, testing::Values(2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
