// Runs of tasks in a list: as many steps take a search through it as there are neighbours that differ.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "scheduler/tasks.hpp"

namespace {

struct list_of_tasks {
  nopal_task* oldest = nullptr;
  nopal_task* youngest = nullptr;
};

/// From end to end, by runs and by tasks, from both sides.
void check(const list_of_tasks& list, const std::vector<nopal_task*>& expected) {
  std::vector<nopal_task*> found;
  for (nopal_task* end = list.oldest; end != nullptr; end = end->other_end->younger) {
    ASSERT_EQ(end->other_end->other_end, end);
    for (nopal_task* task = end;; task = task->younger) {
      ASSERT_TRUE(nopal::internal::is_of_run(end, task));
      ASSERT_EQ(task->other_end != nullptr, task == end || task == end->other_end);
      found.push_back(task);
      if (task == end->other_end) break;
    }
  }
  ASSERT_EQ(found, expected);
  std::size_t left = expected.size();
  for (const nopal_task* end = list.youngest; end != nullptr; end = end->other_end->older) {
    ASSERT_NE(left, 0U);
    ASSERT_EQ(end, expected[left - 1]);
    while (expected[left - 1] != end->other_end) --left;
    --left;
  }
  ASSERT_EQ(left, 0U);
}

TEST(runs_of_tasks, go_from_end_to_end) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  nopal_task_group groups[3] = {};
  std::vector<nopal_task> tasks(64);
  list_of_tasks list;
  std::vector<nopal_task*> there;
  std::vector<nopal_task*> free;
  for (nopal_task& task : tasks) free.push_back(&task);
  for (int step = 0; step != 20'000; ++step) {
    if (!free.empty() && (there.empty() || random() % 64 >= there.size())) {
      nopal_task* const task = free.back();
      free.pop_back();
      // Mostly as the last one.
      task->group = there.empty() || random() % 4 == 0 ? &groups[random() % 3] : there.back()->group;
      task->starter = &groups[random() % 8 == 0 ? 1 : 0];
      task->starter_number = random() % 8 == 0 ? 1 : 0;
      nopal::internal::append_task(list, task);
      there.push_back(task);
    } else {
      const std::size_t which = random() % 3 == 0   ? 0
                                : random() % 2 == 0 ? there.size() - 1
                                                    : random() % there.size();
      nopal_task* const task = there[which];
      nopal::internal::unlink_task(list, task);
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(which));
      free.push_back(task);
    }
    check(list, there);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
