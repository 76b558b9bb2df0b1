// Whose work a thief looks at, on a machine with two memory nodes that a test describes in files.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fake_root.hpp"
#include "os/os.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/victims.hpp"

namespace {

using nopal::internal::choose_victim;
using nopal::internal::looks_before_yield;
using nopal::internal::the_runtime;
using nopal::internal::worker;

/// CPUs 0 to 3 are of one node, 4 to 7 of another; a worker is on each.
class victims : public testing::Test {
protected:
  void SetUp() override {
    fake_root root;
    root.write("/sys/devices/system/node/online", "0,3\n");
    root.write("/sys/devices/system/node/node0/cpulist", "0-3\n");
    root.write("/sys/devices/system/node/node3/cpulist", "4-7\n");
    machine_ = nopal::internal::os::read_topology({0, 1, 2, 3, 4, 5, 6, 7}, root.path());
    the_runtime().topology = &machine_;
    the_runtime().hierarchy = true;
    for (int i = 0; i < count; ++i) {
      worker* const one = nopal::internal::make_worker();
      ASSERT_NE(one, nullptr);
      one->cpu.store(i, std::memory_order_relaxed);
      nopal::internal::enter_table(the_runtime(), one, i);
      workers_.push_back(one);
    }
  }

  void TearDown() override {
    for (worker* const one : workers_) {
      the_runtime().table[one->index].store(nullptr, std::memory_order_relaxed);
      nopal::internal::free_worker(one);
    }
    the_runtime().table_used.store(0, std::memory_order_relaxed);
    the_runtime().topology = nullptr;
    the_runtime().hierarchy = false;
  }

  /// Those that the worker finds at this look of a round, whatever it draws.
  [[nodiscard]] std::set<int> found_by(int index, int attempt) const {
    std::set<int> found;
    for (int draw = 0; draw < 1000; ++draw) {
      if (const worker* const victim = choose_victim(workers_[static_cast<std::size_t>(index)], attempt)) {
        found.insert(victim->index);
      }
    }
    return found;
  }

  static constexpr int count = 8;
  nopal::internal::os::topology machine_;
  std::vector<worker*> workers_;
};

TEST_F(victims, of_the_own_node_come_first) {
  const std::vector<std::set<int>> near = {{1, 2, 3}, {4, 5, 7}};
  const std::vector<std::set<int>> all = {{1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 7}};
  for (const std::size_t thief : {0U, 1U}) {
    int looks_at_near = 0;
    bool looks_at_all = false;
    for (int attempt = 0; attempt < looks_before_yield; ++attempt) {
      const std::set<int> found = found_by(thief == 0 ? 0 : 6, attempt);
      if (found == near[thief]) {
        EXPECT_FALSE(looks_at_all) << attempt;
        ++looks_at_near;
      } else {
        EXPECT_TRUE(found == all[thief] || (found.empty() && looks_at_near == 0)) << attempt;
        looks_at_all = !found.empty();
      }
    }
    EXPECT_GT(looks_at_near, 0);
    EXPECT_TRUE(looks_at_all);
  }
}

TEST_F(victims, are_of_any_node_where_all_are_equally_near) {
  the_runtime().hierarchy = false;
  EXPECT_EQ(found_by(0, 0), (std::set<int>{1, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
