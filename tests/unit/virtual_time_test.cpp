// Programs in virtual time: the time they take on so many workers, what is stopped and when, and that forks and joins do
// what those of the library do.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "searches/virtual/scopes.hpp"
#include "simulate/simulator.hpp"
#include "simulation_graphs.hpp"

namespace {

using recording::nanosecond;
using recording::picoseconds;
using virtual_time::cancel_scope;
using virtual_time::machine;
using virtual_time::scope;
using virtual_time::settings;

constexpr double whole_strands_ns = 1e12;
constexpr double ns_per_node = 10;
constexpr picoseconds node = 10 * nanosecond;

/// As recording::tree.
void run_tree(int depth, std::uint64_t leaf_nodes) {
  if (depth == 0) {
    machine::current().count_nodes(leaf_nodes);
    return;
  }
  scope s;
  s.fork([=] { run_tree(depth - 1, leaf_nodes); });
  run_tree(depth - 1, leaf_nodes);
  s.join();
}

/// As recording::loop.
void run_loop(int count, std::uint64_t body_nodes, std::uint64_t between_nodes) {
  scope s;
  for (int i = 0; i < count; ++i) {
    machine::current().count_nodes(between_nodes);
    s.fork([=] { machine::current().count_nodes(body_nodes); });
  }
  s.join();
}

int fib(int n) {
  machine::current().count_nodes(1);
  if (n < 2) return n;
  int a = 0;
  scope s;
  s.fork_into(a, fib, n - 1);
  const int b = fib(n - 2);
  s.join();
  return a + b;
}

TEST(VirtualTime, OneWorkerTakesTheNodesAndTheForks) {
  const settings with{.ns_per_node = ns_per_node, .costs = {.fork = 3}};
  machine on(with);
  run_tree(9, 7);
  EXPECT_EQ(on.now(), 512 * 7 * node + 511 * 3 * nanosecond);
  EXPECT_EQ(on.counts().steals, 0U);
}

TEST(VirtualTime, RunsATreeAndALoopAsTheirGraphsAreSimulated) {
  for (const int workers : {1, 2, 3, 8, 64}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const settings with{
          .workers = workers, .seed = seed, .ns_per_node = ns_per_node, .stretch_ns = whole_strands_ns};
      {
        machine on(with);
        run_tree(10, 200);
        const picoseconds took = on.now();
        const simulate::outcome same =
            simulate::run(recording::tree(10, 200 * node), with.costs, workers, seed);
        EXPECT_EQ(took, same.time) << workers;
        EXPECT_EQ(on.counts().steals, same.steals);
        EXPECT_EQ(on.counts().parks, same.parks);
        EXPECT_EQ(on.counts().suspensions, same.suspensions);
      }
      machine on(with);
      run_loop(1000, 300, 1);
      const picoseconds took = on.now();
      const simulate::outcome same =
          simulate::run(recording::loop(1000, 300 * node, node), with.costs, workers, seed);
      EXPECT_EQ(took, same.time) << workers;
      EXPECT_EQ(on.counts().steals, same.steals);
    }
  }
}

TEST(VirtualTime, APerfectTreeKeepsToTheGreedyBound) {
  constexpr int depth = 12;
  constexpr std::uint64_t leaf_nodes = 500;
  const simulate::costs costs;
  const recording::graph same = recording::tree(depth, leaf_nodes * node);
  const auto fork = static_cast<picoseconds>(costs.fork) * nanosecond;
  const picoseconds work = recording::work_of(same, fork);
  const auto steal = static_cast<picoseconds>(costs.steal) * nanosecond;
  const picoseconds span = recording::span_of(same, {.fork = fork, .continuation = steal});
  const auto wakes = static_cast<picoseconds>(depth * (costs.wake + costs.wake_latency)) * nanosecond;
  for (const int workers : {1, 2, 4, 8, 16, 32, 64}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      machine on({.workers = workers, .seed = seed, .ns_per_node = ns_per_node});
      run_tree(depth, leaf_nodes);
      const picoseconds took = on.now();
      EXPECT_GE(took * workers, work) << workers;
      EXPECT_LE(took, work / workers + 10 * span + wakes) << workers;
    }
  }
}

TEST(VirtualTime, ChildrenAreDoneAfterTheJoinAndEachOnce) {
  for (const int workers : {1, 2, 5, 32}) {
    machine on({.workers = workers, .seed = 4, .ns_per_node = ns_per_node});
    EXPECT_EQ(fib(16), 987);
    std::vector<int> visits(300);
    scope s;
    for (int& each : visits) {
      s.fork([&each] {
        machine::current().count_nodes(700);
        ++each;
      });
    }
    s.join();
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 300) << workers;
    EXPECT_EQ(on.counts().steals > 0, workers > 1);
  }
}

TEST(VirtualTime, AChildRunsBeforeItsContinuationWhereNobodySteals) {
  machine on({.ns_per_node = ns_per_node});
  std::vector<int> order;
  scope s;
  for (int i = 0; i < 4; ++i) {
    s.fork([&order, i] {
      machine::current().count_nodes(1000);
      order.push_back(2 * i);
    });
    order.push_back(2 * i + 1);
  }
  s.join();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(VirtualTime, TheOldestContinuationIsStolenFirst) {
  machine on({.workers = 2, .ns_per_node = ns_per_node, .costs = {.wake_latency = 100'000}});
  std::vector<int> begun;
  scope outer;
  outer.fork([&begun] {
    begun.push_back(1);
    scope inner;
    inner.fork([&begun] {
      begun.push_back(2);
      machine::current().count_nodes(100'000);
    });
    begun.push_back(3);
    inner.join();
  });
  const std::size_t thief_saw = begun.size();
  outer.join();
  EXPECT_EQ(thief_saw, 2U);
  EXPECT_EQ(begun.size(), 3U);
}

TEST(VirtualTime, EachInletGetsItsChildsResultAndNeverTwoAtOnce) {
  for (const int workers : {1, 2, 16}) {
    machine on({.workers = workers, .seed = 2, .ns_per_node = ns_per_node});
    int sum = 0;
    int inside = 0;
    cancel_scope s;
    for (int i = 1; i <= 100; ++i) {
      s.fork_inlet(
          [&](int result) {
            EXPECT_EQ(++inside, 1);
            sum += result;
            static_cast<void>(s.stop_requested());
            --inside;
          },
          [i] {
            machine::current().count_nodes(static_cast<std::uint64_t>(i) * 50);
            return i;
          });
    }
    s.join();
    EXPECT_EQ(sum, 5050) << workers;
  }
}

/// Time from a stop to the end of its scope, in which each child looks every so many nodes whether to stop, `interval` at
/// most, and the last one asks.
picoseconds time_of_stop(int workers, std::uint64_t interval, std::uint64_t seed) {
  machine on({.workers = workers, .seed = seed, .ns_per_node = ns_per_node});
  picoseconds asked_at = 0;
  cancel_scope s;
  for (int i = 0; i < workers; ++i) {
    const bool asks = i + 1 == workers;
    s.fork([&, i, asks] {
      if (asks) {
        machine::current().count_nodes(200'000);
        asked_at = on.now();
        s.request_stop();
        return;
      }
      const std::uint64_t step = interval - static_cast<std::uint64_t>(i) % (interval / 2);
      for (int looks = 0; looks < 1'000'000 && !virtual_time::stop_requested(); ++looks)
        machine::current().count_nodes(step);
    });
  }
  s.join();
  return on.now() - asked_at;
}

TEST(VirtualTime, AStopEndsWithinTheLongestStretch) {
  for (const int workers : {2, 4, 8, 32}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const picoseconds some = picoseconds{60} * 1000 * nanosecond;  // for a wake-up, and more
      const picoseconds brief = time_of_stop(workers, 1000, seed);
      EXPECT_LE(brief, 1000 * node + some) << workers;
      const picoseconds longer = time_of_stop(workers, 100'000, seed);
      EXPECT_LE(longer, 100'000 * node + some) << workers;
      EXPECT_GT(longer, brief);
    }
  }
}

TEST(VirtualTime, AStopIsSeenFromItsMomentOn) {
  machine on({.workers = 2, .ns_per_node = ns_per_node});
  picoseconds asked_at = 0;
  picoseconds seen_at = 0;
  cancel_scope s;
  s.fork([&] {
    machine::current().count_nodes(50'000);
    asked_at = on.now();
    s.request_stop();
  });
  while (!virtual_time::stop_requested()) machine::current().count_nodes(100);
  seen_at = on.now();
  s.join();
  EXPECT_EQ(asked_at,
            50'000 * node + 2 * nanosecond + 5'030 * nanosecond);  // a fork that wakes the other worker
  EXPECT_GE(seen_at, asked_at);
  EXPECT_LE(seen_at, asked_at + 100 * node);
}

TEST(VirtualTime, AStopKeepsChildrenFromBeginningInsideAndNotOutside) {
  for (const int workers : {1, 4}) {
    machine on({.workers = workers, .ns_per_node = ns_per_node});
    int outside = 0;
    int inside = 0;
    cancel_scope outer;
    {
      cancel_scope stopped;
      stopped.request_stop();
      EXPECT_FALSE(stopped.request_stop());
      stopped.fork([&inside] { ++inside; });
      scope below;
      below.fork([&inside] { ++inside; });
      below.join();
      EXPECT_TRUE(virtual_time::stop_requested());
      EXPECT_FALSE(outer.stop_requested());
    }
    outer.fork([&outside] { ++outside; });
    outer.join();
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(outside, 1);
  }
}

TEST(VirtualTime, AStoppedScopeStopsWhatWasForkedInItBefore) {
  machine on({.workers = 3, .ns_per_node = ns_per_node});
  int begun = 0;
  cancel_scope s;
  s.fork([&] {
    for (int i = 0; i < 1000; ++i) {
      scope below;
      below.fork([&] {
        ++begun;
        machine::current().count_nodes(100);
      });
      below.join();
    }
  });
  machine::current().count_nodes(20'000);
  s.request_stop();
  s.join();
  EXPECT_GT(begun, 0);
  EXPECT_LT(begun, 400);
}

TEST(VirtualTime, ASeedGivesOneRun) {
  const auto times = [](std::uint64_t seed) {
    machine on({.workers = 16, .seed = seed, .ns_per_node = ns_per_node});
    static_cast<void>(fib(18));
    const picoseconds took = on.now();
    return std::vector<std::uint64_t>{static_cast<std::uint64_t>(took), on.counts().steals,
                                      on.counts().failed_looks};
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

}  // namespace
