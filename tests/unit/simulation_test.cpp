// The simulation of the scheduler on graphs whose work and span are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "simulate/simulator.hpp"
#include "simulation_graphs.hpp"

namespace {

using recording::graph;
using recording::graph_builder;
using recording::nanosecond;
using recording::picoseconds;
using simulate::costs;
using simulate::outcome;

constexpr costs free_of_charge = {.fork = 0,
                                  .publish = 0,
                                  .visible = 0,
                                  .steal = 0,
                                  .look = 1,
                                  .yield = 0,
                                  .leave = 0,
                                  .resume = 0,
                                  .line = 0,
                                  .barrier = 0,
                                  .interrupted = 0,
                                  .wake = 0,
                                  .wake_latency = 0,
                                  .discard = 0,
                                  .refault = 0};

TEST(PackedDuration, KeepsTwentyFourBitsAndOrder) {
  for (const std::uint64_t exact : {0ULL, 1ULL, 1000ULL, (1ULL << 24) - 1, 1ULL << 24, 1ULL << 40}) {
    EXPECT_EQ(recording::unpack(recording::pack(exact)), exact);
  }
  const std::uint64_t second = 1'000'000'000'123;
  EXPECT_NEAR(static_cast<double>(recording::unpack(recording::pack(second))), static_cast<double>(second),
              static_cast<double>(second) / (1 << 23));
  EXPECT_LT(recording::pack(second), recording::pack(2 * second));
  EXPECT_LT(recording::pack((1ULL << 24) - 1), recording::pack(1ULL << 24));
}

TEST(Graph, WorkAndSpan) {
  const graph tree = recording::tree(10, 100 * nanosecond);
  EXPECT_EQ(tree.forks, 1023U);
  EXPECT_EQ(recording::work_of(tree), 1024 * 100 * nanosecond);
  EXPECT_EQ(recording::span_of(tree), 100 * nanosecond);
  EXPECT_EQ(recording::span_of(tree, {.fork = nanosecond}), 110 * nanosecond);
  EXPECT_EQ(recording::span_of(tree, {.fork = 0, .continuation = 5 * nanosecond}), 150 * nanosecond);

  const graph loop = recording::loop(1000, 50 * nanosecond, nanosecond);
  EXPECT_EQ(recording::work_of(loop, nanosecond), 1000 * 52 * nanosecond);
  EXPECT_EQ(recording::span_of(loop), 1050 * nanosecond);

  const graph chain = recording::chain(100, 70 * nanosecond);
  EXPECT_EQ(recording::work_of(chain), recording::span_of(chain));
}

TEST(Graph, RefusesWhatDoesNotNest) {
  EXPECT_THROW(graph_builder().join(0), std::logic_error);
  EXPECT_THROW(graph_builder().end(0), std::logic_error);
  EXPECT_THROW(graph_builder().fork(0, false), std::logic_error);
  graph_builder child_left_scope_open;
  child_left_scope_open.fork(0, true);
  child_left_scope_open.fork(0, true);
  child_left_scope_open.end(0);
  EXPECT_THROW(child_left_scope_open.end(0), std::logic_error);
  graph_builder parents_scope;
  parents_scope.fork(0, true);
  EXPECT_THROW(parents_scope.join(0), std::logic_error);
  graph_builder open;
  open.fork(0, true);
  EXPECT_THROW(std::ignore = open.finish(0), std::logic_error);
}

TEST(Simulation, NothingToForkTakesItsTime) {
  const graph alone = graph_builder().finish(5 * nanosecond);
  for (const int workers : {1, 2, 256}) EXPECT_EQ(simulate::run(alone, {}, workers, 1).time, 5 * nanosecond);
}

TEST(Simulation, OneWorkerTakesTheWorkAndTheForks) {
  const costs with = {.fork = 3};
  for (const graph& of : {recording::chain(50, nanosecond), recording::tree(12, 7 * nanosecond),
                          recording::loop(1000, 9 * nanosecond, nanosecond)}) {
    const outcome result = simulate::run(of, with, 1, 1);
    EXPECT_EQ(result.time, recording::work_of(of, 3 * nanosecond));
    EXPECT_EQ(result.steals, 0U);
    EXPECT_EQ(result.publishes, 0U);
  }
}

TEST(Simulation, ManyWorkersApproachTheSpan) {
  const picoseconds leaf = 1'000'000 * nanosecond;
  const graph of = recording::tree(8, leaf);
  EXPECT_LT(simulate::run(of, free_of_charge, 1024, 1).time, leaf * 11 / 10);
  EXPECT_LT(simulate::run(of, {}, 256, 1).time, leaf * 5 / 2);
}

TEST(Simulation, EveryRunRespectsTheTwoLowerBounds) {
  for (const graph& of : {recording::chain(50, 100 * nanosecond), recording::tree(12, 500 * nanosecond),
                          recording::loop(3000, 1000 * nanosecond, 10 * nanosecond)}) {
    for (const int workers : {1, 2, 3, 7, 64, 256}) {
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const costs with;
        const outcome result = simulate::run(of, with, workers, seed);
        EXPECT_GE(result.time * workers, recording::work_of(of, 2 * nanosecond));
        EXPECT_GE(result.time, recording::span_of(of, {.fork = 2 * nanosecond}));
      }
    }
  }
}

TEST(Simulation, AmpleParallelismSpeedsUpLinearly) {
  const graph of = recording::tree(17, 2000 * nanosecond);
  const picoseconds alone = simulate::run(of, {}, 1, 1).time;
  for (const int workers : {2, 4, 8, 16}) {
    EXPECT_LT(simulate::run(of, {}, workers, 1).time * workers, alone * 11 / 10) << workers;
  }
}

TEST(Simulation, AChainGainsNothingAndLosesLittle) {
  const graph of = recording::chain(20, 1'000'000 * nanosecond);
  const picoseconds alone = simulate::run(of, {}, 1, 1).time;
  EXPECT_LT(simulate::run(of, {}, 8, 1).time, alone * 6 / 5);
}

TEST(Simulation, ALoopIsStolenIterationByIteration) {
  const graph of = recording::loop(10'000, 1000 * nanosecond, 0);
  const outcome result = simulate::run(of, {}, 2, 1);
  EXPECT_GT(result.steals, 5'000U);
  EXPECT_LT(result.time, recording::work_of(of) * 3 / 4);
}

TEST(Simulation, WorkersPublishByForceForOneInALongLeaf) {
  // The root forks twice and stays in the inner child: its entries were published by nobody when a thief comes late.
  graph_builder build;
  for (int i = 0; i < 4; ++i) build.fork(0, true);
  for (int i = 0; i < 4; ++i) {
    build.end(10'000'000 * nanosecond);
    build.join(10'000'000 * nanosecond);
  }
  const graph of = build.finish(0);
  const outcome result = simulate::run(of, {}, 4, 1);
  EXPECT_GT(result.forced_publishes, 0U);
  EXPECT_LT(result.time, recording::work_of(of) * 2 / 3);
}

TEST(Simulation, IdleWorkersFallAsleepAndAreWoken) {
  graph_builder build;
  for (int i = 0; i < 3; ++i) {
    build.fork(20'000'000 * nanosecond, true);
    build.end(5'000'000 * nanosecond);
    build.join(5'000'000 * nanosecond);
  }
  const graph of = build.finish(0);
  const outcome result = simulate::run(of, {}, 2, 1);
  EXPECT_GE(result.wakes, 3U);
  EXPECT_GE(result.parks, 2U);
  EXPECT_LT(result.time, recording::span_of(of) + 500'000 * nanosecond);
}

TEST(Simulation, ASeedGivesOneResult) {
  const graph of = recording::tree(12, 300 * nanosecond);
  const outcome first = simulate::run(of, {}, 16, 7);
  const outcome again = simulate::run(of, {}, 16, 7);
  EXPECT_EQ(first.time, again.time);
  EXPECT_EQ(first.steals, again.steals);
  EXPECT_EQ(first.failed_looks, again.failed_looks);
  EXPECT_NE(first.failed_looks, simulate::run(of, {}, 16, 8).failed_looks);
}

}  // namespace
