// Uses of contexts of oneTBB's interface beside, after and inside of one another, while scopes are stopped: each is bound
// to what is around it, for as long as that lasts.
#include <gtest/gtest.h>
#include <nopal/speculate.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using context = tbb::task_group_context;

int forked() {
  int result = 0;
  nopal::scope s;
  s.fork([&result] { result = 1; });
  s.join();
  return result;
}

NOPAL_PROGRAM(uses_that_end_first) {
  context one;
  context other;
  other.cancel_group_execution();
  std::optional<tbb::task_group> first;
  int ran = 0;
  first.emplace(one);
  tbb::task_group second(one);
  second.run([&] {
    first.reset();
    tbb::task_group third(one);
    third.run([&ran] { ++ran; });
    third.wait();
  });
  NOPAL_CHECK(second.wait() == tbb::complete && ran == 1);
  other.reset();
  NOPAL_CHECK(forked() == 1);
  return 0;
}

NOPAL_PROGRAM(uses_by_two_threads) {
  context one;
  std::atomic<int> at{0};
  const auto wait_for = [&at](int step) {
    while (at < step) std::this_thread::yield();
  };
  std::thread first([&] {
    cancel_scope s;
    tbb::parallel_for(
        0, 1,
        [&](int) {
          at = 1;
          wait_for(2);
          s.request_stop();
        },
        one);
    s.join();
  });
  wait_for(1);
  std::atomic<int> calls{0};
  // The other use's scope is stopped in the middle: this goes on, or the context says that it did not.
  tbb::parallel_for(
      0, 1000,
      [&](int) {
        if (++calls == 10) {
          at = 2;
          first.join();
        }
      },
      tbb::simple_partitioner(), one);
  NOPAL_CHECK(calls == 1000 || one.is_group_execution_cancelled());
  one.reset();
  NOPAL_CHECK(!one.is_group_execution_cancelled() && forked() == 1);
  return 0;
}

NOPAL_PROGRAM(cut_short_loops) {
  for (int round = 0; round < 20; ++round) {
    context inner;
    bool said = false;
    tbb::parallel_for(0, 1, [&](int) {
      tbb::task::current_context()->cancel_group_execution();
      int calls = 0;
      tbb::parallel_for(0, 100, [&](int) { ++calls; }, inner);
      said = calls == 0 && inner.is_group_execution_cancelled();
    });
    NOPAL_CHECK(said && inner.is_group_execution_cancelled());
    inner.reset();
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 100, [&](int) { ++calls; }, inner);
    NOPAL_CHECK(calls == 100);
  }
  support::check_quiet_soon();
  return 0;
}

/// Made in calls and scopes that may be inlined, and used when those are over.
NOPAL_PROGRAM(groups_that_outlive_where_they_were_made) {
  context other;
  other.cancel_group_execution();
  tbb::task_arena two(2);
  for (int round = 0; round < 20; ++round) {
    std::optional<tbb::task_group> group;
    int ran = 0;
    two.execute([&] { group.emplace(); });
    group->run([&ran] { ++ran; });
    NOPAL_CHECK(group->wait() == tbb::complete && ran == 1);
    group.reset();
    {
      cancel_scope s;
      group.emplace();
      s.join();
    }
    group->run([&ran] { ++ran; });
    NOPAL_CHECK(group->wait() == tbb::complete && ran == 2);
    group.reset();
    nopal::shield([&] { group.emplace(); });
    tbb::task_arena(1).execute([&] { group->run([&ran] { ++ran; }); });
    NOPAL_CHECK(group->wait() == tbb::complete && ran == 3);
  }
  other.reset();
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(groups_on_the_heap) {
  for (int round = 0; round < 20; ++round) {
    int ran = 0;
    bool stopped = false;
    tbb::parallel_for(0, 1, [&](int) {
      tbb::task::current_context()->cancel_group_execution();
      nopal::shield([&] {
        const auto group = std::make_unique<tbb::task_group>();
        group->run([&] { ran += tbb::is_current_task_group_canceling() ? 100 : forked(); });
        group->wait();
      });
      const auto group = std::make_unique<tbb::task_group>();
      group->run([&] { ran += 100; });
      stopped = group->wait() == tbb::canceled;
    });
    NOPAL_CHECK(ran == 1 && stopped);
    // In a scope, which is stopped by a task.
    cancel_scope s;
    const auto group = std::make_unique<tbb::task_group>();
    std::atomic<int> late{0};
    group->run_and_wait([&] {
      s.request_stop();
      group->run([&late] { ++late; });
    });
    NOPAL_CHECK(late == 0);
    s.join();
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(questions_from_elsewhere) {
  context one;
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::thread asks([&] {
    while (!over) wrong += one.is_group_execution_cancelled() ? 1 : 0;
  });
  struct deep {
    static void run(int depth, context& in) {
      cancel_scope s;
      if (depth > 0) {
        run(depth - 1, in);
      } else {
        tbb::parallel_for(0, 4, [](int) { forked(); }, in);
      }
      s.join();
    }
  };
  context other;
  other.cancel_group_execution();
  for (int round = 0; round < 300; ++round) deep::run(50, one);
  over = true;
  asks.join();
  other.reset();
  NOPAL_CHECK(wrong == 0);
  support::check_quiet_soon();
  return 0;
}

class context_uses : public support::program_at_workers {};

TEST_P(context_uses, are_bound_one_by_one) { EXPECT_TRUE(run("uses_that_end_first")); }
TEST_P(context_uses, by_two_threads_lose_nothing_silently) { EXPECT_TRUE(run("uses_by_two_threads")); }
TEST_P(context_uses, say_afterwards_that_they_were_cut_short) { EXPECT_TRUE(run("cut_short_loops")); }
TEST_P(context_uses, of_groups_that_outlive_where_they_were_made) {
  EXPECT_TRUE(run("groups_that_outlive_where_they_were_made"));
}
TEST_P(context_uses, of_groups_on_the_heap) { EXPECT_TRUE(run("groups_on_the_heap")); }
TEST_P(context_uses, are_asked_about_by_other_threads) { EXPECT_TRUE(run("questions_from_elsewhere")); }

INSTANTIATE_TEST_SUITE_P(tbb, context_uses, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
