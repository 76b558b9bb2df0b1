// The searches on simulated workers, the small ones, with costs and a node's time given.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "searches/virtual/predict.hpp"

namespace {

using searches::outcome;
using virtual_time::problem;
using virtual_time::settings;

settings given(int workers) { return {.workers = workers, .seed = 11, .ns_per_node = 20}; }

TEST(PredictedSearches, AreOfAllKindsThatCountNodes) {
  const std::vector<problem> all = virtual_time::all_problems(true);
  for (const char* const kind : {"queens", "knapsack", "fifteen", "sat", "connect4"}) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [kind](const problem& one) {
      return one.serial.name.rfind(kind, 0) == 0;
    })) << kind;
  }
}

TEST(PredictedSearches, LookAtTheSerialNodesOnOneWorker) {
  for (const problem& one : virtual_time::all_problems(true)) {
    const outcome serial = virtual_time::run_serially(one, 1);
    settings with = given(1);
    with.ns_per_node = 1000;
    const outcome alone = virtual_time::run_simulated(one, with, 1).front();
    EXPECT_EQ(alone.nodes, serial.nodes) << one.serial.name;
    EXPECT_EQ(alone.answer, serial.answer) << one.serial.name;
    EXPECT_GE(alone.seconds, 1000e-9 * static_cast<double>(serial.nodes)) << one.serial.name;
    EXPECT_LT(alone.seconds, 1050e-9 * static_cast<double>(serial.nodes)) << one.serial.name;
  }
}

TEST(PredictedSearches, AreRightOnAllNumbersOfWorkersAndSeeds) {
  for (const problem& one : virtual_time::all_problems(true)) {
    const outcome serial = virtual_time::run_serially(one, 1);
    for (const int workers : {1, 2, 3, 8, 64}) {
      for (const outcome& run : virtual_time::run_simulated(one, given(workers), 3)) {
        EXPECT_TRUE(run.is_right) << one.serial.name << " on " << workers;
        EXPECT_EQ(run.answer, serial.answer) << one.serial.name << " on " << workers;
      }
    }
  }
}

TEST(PredictedSearches, WhereNothingIsCutOrStoppedLookAtTheSerialNodes) {
  for (const problem& one : virtual_time::all_problems(true)) {
    if (one.serial.name.rfind("connect4, games", 0) != 0) continue;
    const outcome serial = virtual_time::run_serially(one, 1);
    for (const int workers : {2, 16}) {
      const outcome run = virtual_time::run_simulated(one, given(workers), 1).front();
      EXPECT_EQ(run.nodes, serial.nodes);
      EXPECT_EQ(run.stops, 0U);
    }
  }
}

/// No run does its nodes in less time than its workers have.
TEST(PredictedSearches, TakeTheTimeOfTheirNodes) {
  for (const problem& one : virtual_time::all_problems(true)) {
    for (const int workers : {2, 16}) {
      for (const outcome& run : virtual_time::run_simulated(one, given(workers), 2))
        EXPECT_GE(run.seconds * workers, 20e-9 * static_cast<double>(run.nodes)) << one.serial.name;
    }
  }
}

TEST(PredictedSearches, ASeedGivesOneTable) {
  const auto table = [](std::uint64_t seed) {
    std::vector<std::string> rows;
    for (const problem& one : virtual_time::all_problems(true)) {
      const outcome serial{.nodes = 1000};
      settings with = given(16);
      with.seed = seed;
      const std::vector<outcome> runs = virtual_time::run_simulated(one, with, 2);
      rows.push_back(virtual_time::row_of(one.serial.name, virtual_time::summarize(16, serial, 1, runs)));
    }
    return rows;
  };
  const std::vector<std::string> once = table(1);
  EXPECT_EQ(once, table(1));
  EXPECT_NE(once, table(2));
}

}  // namespace
