// Contexts of oneTBB's interface and Nopal's scopes that can be stopped: one inside of the other, both ways.
#include <gtest/gtest.h>
#include <nopal/arena.hpp>
#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "support/living.hpp"
#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

using nopal::cancel_scope;
using context = tbb::task_group_context;

constexpr int count = 100000;

int forked() {
  int result = 0;
  nopal::scope s;
  s.fork([&result] { result = 1; });
  s.join();
  return result;
}

NOPAL_PROGRAM(scopes_around_loops) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> calls{0};
    std::atomic<bool> unsaid{false};
    cancel_scope s;
    tbb::parallel_for(0, count, [&](int i) {
      ++calls;
      if (i % 1000 == 500) {
        s.request_stop();
        if (!tbb::is_current_task_group_canceling() || !nopal::stop_requested()) unsaid = true;
      }
    });
    NOPAL_CHECK(calls < count && !unsaid);
    const int before = calls;
    tbb::parallel_for(0, count, [&](int) { ++calls; });
    NOPAL_CHECK(calls == before);
    std::vector<int> from(1000, 1);
    std::vector<int> to(1000, 0);
    tbb::parallel_scan(
        tbb::blocked_range<int>(0, 1000), 0,
        [&](const tbb::blocked_range<int>& part, int sum, bool) { return sum + part.end() - part.begin(); },
        [](int a, int b) { return a + b; });
    tbb::task_group group;
    group.run([&] { ++calls; });
    NOPAL_CHECK(group.wait() == tbb::canceled && calls == before);
    s.join();
  }
  NOPAL_CHECK(!nopal::stop_requested());
  tbb::task_group group;
  bool ran = false;
  group.run([&ran] { ran = true; });
  NOPAL_CHECK(group.wait() == tbb::complete && ran);
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(isolated_contexts_in_stopped_scopes) {
  for (int round = 0; round < 20; ++round) {
    cancel_scope s;
    s.request_stop();
    context apart(context::isolated);
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 10000, [&](int) { ++calls; }, apart);
    const long sum = tbb::parallel_reduce(
        tbb::blocked_range<int>(0, 10000, 1), 0L,
        [](const tbb::blocked_range<int>& part, long value) {
          for (int i = part.begin(); i != part.end(); ++i) value += i;
          return value;
        },
        [](long a, long b) { return a + b; }, tbb::simple_partitioner(), apart);
    NOPAL_CHECK(calls == 10000 && sum == 49995000);
    bool goes_on = false;
    tbb::parallel_for(0, 1, [&](int) { goes_on = !nopal::stop_requested() && forked() == 1; }, apart);
    NOPAL_CHECK(goes_on);
    tbb::task_group group(apart);
    group.run([&] { ++calls; });
    NOPAL_CHECK(group.wait() == tbb::complete && calls == 10001);
    s.join();
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(strands_in_cancelled_contexts) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> wrong{0};
    tbb::parallel_for(0, 64, [&](int i) {
      if (i == 7) {
        if (nopal::stop_requested() || forked() != 1) ++wrong;
        tbb::task::current_context()->cancel_group_execution();
        if (!nopal::stop_requested() || forked() != 0) ++wrong;
        std::atomic<int> calls{0};
        nopal::parallel_for(0, 100000, [&](int) { ++calls; });
        if (calls == 100000) ++wrong;
        nopal::shield([&] {
          if (nopal::stop_requested() || forked() != 1) ++wrong;
        });
        context apart(context::isolated);
        tbb::parallel_for(0, 1, [&](int) { wrong += forked() == 1 ? 0 : 1; }, apart);
      }
    });
    NOPAL_CHECK(wrong == 0 && !nopal::stop_requested() && forked() == 1);
  }
  support::check_quiet_soon();
  return 0;
}

/// Strands that thieves took from a body before it was cancelled.
NOPAL_PROGRAM(stolen_strands_of_bodies) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> late{0};
    tbb::parallel_for(0, 1, [&](int) {
      support::flag on{false};
      nopal::scope s;
      s.fork([&, own = tbb::task::current_context()] {
        support::wait_for_continuation(on);
        own->cancel_group_execution();
      });
      support::set(on);
      while (!nopal::stop_requested()) std::this_thread::yield();
      late += forked();
      s.join();
      late += forked();
    });
    NOPAL_CHECK(late == 0);
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(scopes_inside_bodies) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> inner{0};
    std::atomic<int> wrong{0};
    std::atomic<int> outer{0};
    tbb::parallel_for(0, 16, [&](int) {
      {
        cancel_scope s;
        s.request_stop();
        tbb::parallel_for(0, 1000, [&](int) { ++inner; });
        if (tbb::is_current_task_group_canceling()) ++wrong;
        s.join();
      }
      std::atomic<int> calls{0};
      tbb::parallel_for(0, 100, [&](int) { ++calls; });
      if (calls != 100 || nopal::stop_requested()) ++wrong;
      ++outer;
    });
    NOPAL_CHECK(inner == 0 && wrong == 0 && outer == 16);
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(contexts_used_again) {
  context one;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> calls{0};
    tbb::parallel_for(
        0, 1000,
        [&](int) {
          if (++calls == 10) one.cancel_group_execution();
        },
        one);
    NOPAL_CHECK(calls < 1000 && one.is_group_execution_cancelled());
    one.reset();
    NOPAL_CHECK(!one.is_group_execution_cancelled());
    calls = 0;
    tbb::parallel_for(0, 1000, [&](int) { ++calls; }, one);
    NOPAL_CHECK(calls == 1000);
    // In its own body, also behind a scope: it is not inside of itself.
    calls = 0;
    tbb::parallel_for(
        0, 4,
        [&](int) {
          cancel_scope s;
          tbb::parallel_for(0, 10, [&](int) { ++calls; }, one);
          if (one.is_group_execution_cancelled() || nopal::stop_requested()) calls += 1000;
          s.join();
        },
        one);
    NOPAL_CHECK(calls == 40);
  }
  NOPAL_CHECK(forked() == 1);
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(arenas_inside_scopes) {
  nopal::arena two(2);
  tbb::task_arena of_tbb(2);
  cancel_scope s;
  NOPAL_CHECK(!two.execute([] { return nopal::stop_requested(); }));
  s.request_stop();
  NOPAL_CHECK(two.execute([] { return nopal::stop_requested() && forked() == 0; }));
  NOPAL_CHECK(of_tbb.execute([] { return nopal::stop_requested() && forked() == 0; }));
  NOPAL_CHECK(tbb::this_task_arena::isolate([] { return nopal::stop_requested() && forked() == 0; }));
  std::atomic<int> apart{0};
  of_tbb.enqueue([&] { apart = !nopal::stop_requested() && forked() == 1 ? 1 : 2; });
  while (apart == 0) std::this_thread::yield();
  NOPAL_CHECK(apart == 1);
  s.join();
  return 0;
}

NOPAL_PROGRAM(loops_in_scopes_that_unwind) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> alive{0};
    std::atomic<int> after{0};
    cancel_scope s{nopal::on_stop::unwind};
    s.fork([&] {
      const support::living one(alive);
      tbb::parallel_for(0, 10000, [&](int i) {
        const support::living two(alive);
        if (i == 50) s.request_stop();
        nopal::poll();
      });
      nopal::poll();
      ++after;
    });
    s.join();
    NOPAL_CHECK(alive == 0 && after == 0);
  }
  support::check_quiet_soon();
  return 0;
}

/// What brings results together forks, and is whole in a cancelled context.
NOPAL_PROGRAM(joins_of_reductions_that_fork) {
  constexpr std::size_t columns = 64;
  using table = std::array<long, columns>;
  for (int round = 0; round < 50; ++round) {
    std::atomic<long> calls{0};
    context cancelled;
    const table sums = tbb::parallel_reduce(
        tbb::blocked_range<int>(0, 1000, 10), table{},
        [&](const tbb::blocked_range<int>& part, table so_far) {
          for (int i = part.begin(); i != part.end(); ++i, ++calls) {
            for (long& one : so_far) ++one;
          }
          if (part.begin() <= 500 && 500 < part.end()) {
            cancelled.cancel_group_execution();
            if (forked() != 0) calls += count;
          }
          return so_far;
        },
        [](table left, const table& right) {
          tbb::parallel_for(std::size_t{0}, columns / 2, [&](std::size_t c) { left[c] += right[c]; });
          nopal::parallel_for(columns / 2, columns, [&](std::size_t c) { left[c] += right[c]; });
          return left;
        },
        tbb::simple_partitioner(), cancelled);
    NOPAL_CHECK(std::all_of(sums.begin(), sums.end(), [&calls](long one) { return one == calls; }));
  }
  support::check_quiet_soon();
  return 0;
}

/// On a thread that is no worker yet, and none any more.
NOPAL_PROGRAM(threads_without_a_worker) {
  bool seen = false;
  tbb::parallel_for(0, 1, [&seen](int) {
    tbb::task::current_context()->cancel_group_execution();
    seen = nopal::stop_requested();
  });
  NOPAL_CHECK(seen && !nopal::stop_requested() && forked() == 1);
  std::thread other([&seen] {
    tbb::parallel_for(0, 1, [&seen](int) {
      tbb::task::current_context()->cancel_group_execution();
      seen = nopal::stop_requested() && forked() == 0;  // the fork makes it one
    });
    seen = seen && !nopal::stop_requested() && forked() == 1;
  });
  other.join();
  NOPAL_CHECK(seen);
  return 0;
}

NOPAL_PROGRAM(cancels_beside_waits) {
  for (int round = 0; round < 300; ++round) {
    tbb::task_group group;
    std::atomic<bool> begun{false};
    std::thread other([&] {
      while (!begun) std::this_thread::yield();
      group.cancel();
    });
    for (int i = 0; i < 10; ++i) group.run([&begun] { begun = true; });
    group.wait();
    other.join();
    // Late, it is for the next wait.
    group.wait();
    std::atomic<int> ran{0};
    group.run([&ran] { ++ran; });
    NOPAL_CHECK(group.wait() == tbb::complete && ran == 1);
  }
  NOPAL_CHECK(forked() == 1);
  support::check_quiet_soon();
  return 0;
}

class stops : public support::program_at_workers {};

TEST_P(stops, of_scopes_reach_loops_and_groups_inside) { EXPECT_TRUE(run("scopes_around_loops")); }
TEST_P(stops, of_scopes_do_not_reach_isolated_contexts) {
  EXPECT_TRUE(run("isolated_contexts_in_stopped_scopes"));
}
TEST_P(stops, of_contexts_reach_forks_in_bodies) { EXPECT_TRUE(run("strands_in_cancelled_contexts")); }
TEST_P(stops, of_contexts_reach_stolen_strands_of_bodies) { EXPECT_TRUE(run("stolen_strands_of_bodies")); }
TEST_P(stops, of_scopes_in_bodies_stay_inside) { EXPECT_TRUE(run("scopes_inside_bodies")); }
TEST_P(stops, of_contexts_can_be_taken_back) { EXPECT_TRUE(run("contexts_used_again")); }
TEST_P(stops, reach_calls_in_arenas_and_not_what_is_enqueued) { EXPECT_TRUE(run("arenas_inside_scopes")); }
TEST_P(stops, unwind_around_loops) { EXPECT_TRUE(run("loops_in_scopes_that_unwind")); }
TEST_P(stops, are_seen_by_threads_without_a_worker) { EXPECT_TRUE(run("threads_without_a_worker")); }
TEST_P(stops, leave_the_joins_of_reductions_whole) { EXPECT_TRUE(run("joins_of_reductions_that_fork")); }
TEST_P(stops, may_come_beside_the_wait) { EXPECT_TRUE(run("cancels_beside_waits")); }

INSTANTIATE_TEST_SUITE_P(tbb, stops, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
