// Searches in a list of tasks: what they find, and how many tasks they look at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "scheduler/task_index.hpp"
#include "scheduler/tasks.hpp"

namespace {

long steps = 0;

/// Counts each look at a task.
struct counted {
  static const void* key(const nopal_task* task) noexcept { return ++steps, task->group; }
  static nopal_task_lot& lot(nopal_task* task) noexcept { return ++steps, task->of_group; }
};

class indexed {
public:
  void push(nopal_task* task) { nopal::internal::link_task(list_, task); }
  nopal_task* find(const nopal_task_group* group) {
    return nopal::internal::oldest_of<counted>(list_, group,
                                               [](const nopal_task& task) { return task.shares == 0; });
  }
  void remove(nopal_task* task) { nopal::internal::unlink_task<counted>(list_, task); }
  [[nodiscard]] nopal_task* oldest() const { return list_.oldest; }
  [[nodiscard]] nopal_task* youngest() const { return list_.youngest; }
  [[nodiscard]] bool is_empty() const {
    return list_.oldest == nullptr && list_.youngest == nullptr && list_.unsorted == nullptr &&
           list_.by_group == nullptr;
  }

private:
  nopal::internal::task_list list_;
};

TEST(searches_for_tasks, find_the_oldest_of_a_group) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<nopal_task_group> groups(20);
  std::vector<nopal_task> tasks(64);
  std::vector<nopal_task*> there;
  std::vector<nopal_task*> free;
  indexed list;
  free.reserve(tasks.size());
  for (nopal_task& task : tasks) free.push_back(&task);
  for (int step = 0; step != 100'000; ++step) {
    const nopal_task_group* const wanted = &groups[random() % groups.size()];
    const auto is_wanted = [wanted](const nopal_task* task) {
      return task->group == wanted && task->shares == 0;
    };
    nopal_task* taken = nullptr;
    if (!free.empty() && (there.empty() || random() % 64 >= there.size())) {
      nopal_task* const task = free.back();
      free.pop_back();
      task->group = &groups[random() % groups.size()];
      task->shares = random() % 2;  // every second one is passed by
      list.push(task);
      there.push_back(task);
    } else if (random() % 2 == 0) {
      const auto expected = std::find_if(there.begin(), there.end(), is_wanted);
      taken = list.find(wanted);
      ASSERT_EQ(taken, expected == there.end() ? nullptr : *expected);
    } else {
      taken = random() % 3 == 0   ? list.oldest()
              : random() % 2 == 0 ? list.youngest()
                                  : there[random() % there.size()];
    }
    if (taken != nullptr) {
      list.remove(taken);
      there.erase(std::find(there.begin(), there.end(), taken));
      free.push_back(taken);
    }
  }
  for (nopal_task* const task : there) list.remove(task);
  EXPECT_TRUE(list.is_empty());
}

/// Steps of pushing `count` tasks of these groups by turns, each with a search for a group that has none, and of taking them all.
long steps_for(std::size_t count, std::size_t group_count) {
  std::vector<nopal_task_group> groups(group_count + 1);
  std::vector<nopal_task> tasks(count);
  indexed list;
  steps = 0;
  for (std::size_t i = 0; i != count; ++i) {
    tasks[i].group = &groups[i % group_count];
    list.push(&tasks[i]);
    EXPECT_EQ(list.find(&groups[group_count]), nullptr);
  }
  for (std::size_t i = 0; i != count; ++i) {
    EXPECT_EQ(list.find(&groups[group_count]), nullptr);
    nopal_task* const task = i % 2 == 0 ? list.oldest() : list.find(&groups[i % group_count]);
    list.remove(task == nullptr ? list.youngest() : task);
  }
  EXPECT_TRUE(list.is_empty());
  return steps;
}

// At most three descents for each push and each take, and some steps at the end of each.
TEST(searches_for_tasks, take_few_steps_whatever_the_neighbours) {
  EXPECT_LE(steps_for(10'000, 1), 10'000 * 40);
  EXPECT_LE(steps_for(10'000, 2), 10'000 * 40);
  EXPECT_LE(steps_for(10'000, 7), 10'000 * 60);
  EXPECT_LE(steps_for(10'000, 5'000), 10'000 * 300);
  EXPECT_LE(steps_for(10'000, 10'000), 10'000 * 300);
}

// What is pushed and taken with no search between is in no tree.
TEST(searches_for_tasks, cost_nothing_where_there_is_none) {
  nopal_task_group group = {};
  nopal_task tasks[8] = {};
  indexed list;
  steps = 0;
  for (int round = 0; round != 8; ++round) {
    for (nopal_task& task : tasks) {
      task.group = &group;
      list.push(&task);
    }
    for (int left = 8; left != 0; --left) list.remove(left % 2 == 0 ? list.oldest() : list.youngest());
  }
  EXPECT_TRUE(list.is_empty());
  EXPECT_LE(steps, 8 * 8);
}

class staged {
public:
  ~staged() {
    while (!stages_.empty()) leave();
  }
  void enter() {
    stages_.push_back(new nopal::internal::task_stage{});
    nopal::internal::enter_stage(list, *stages_.back());
  }
  void leave() {
    nopal::internal::leave_stage(list, *stages_.back());
    delete stages_.back();
    stages_.pop_back();
  }
  void push(nopal_task* task) {
    nopal::internal::append_task(list, task);
    task->number = list.next_number++;
    list.count.store(list.count.load() + 1);
  }
  [[nodiscard]] const std::vector<nopal::internal::task_stage*>& stages() const { return stages_; }

  nopal::internal::task_list list;

private:
  std::vector<nopal::internal::task_stage*> stages_;
};

/// From end to end, by runs and by tasks.
void check_runs(const staged& at, const std::vector<nopal_task*>& expected) {
  std::vector<nopal_task*> found;
  std::size_t runs = 0;
  for (nopal_task* end = at.list.oldest; end != nullptr; end = end->other_end->younger) {
    ASSERT_EQ(end->other_end->other_end, end);
    ++runs;
    for (nopal_task* task = end;; task = task->younger) {
      ASSERT_EQ(task->other_end != nullptr, task == end || task == end->other_end);
      found.push_back(task);
      if (task == end->other_end) break;
    }
  }
  ASSERT_EQ(found, expected);
  ASSERT_LE(runs, at.stages().size() + 1);
  nopal::internal::tasks_since_stage since(at.list);
  for (std::size_t i = at.stages().size(); i-- != 0;) {
    const std::uint64_t first = at.stages()[i]->first_number;
    const auto oldest = std::find_if(expected.begin(), expected.end(),
                                     [first](const nopal_task* task) { return task->number >= first; });
    ASSERT_EQ(since.oldest(*at.stages()[i]), oldest == expected.end() ? nullptr : *oldest);
  }
}

TEST(stages_of_tasks, have_the_tasks_since_they_began) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  nopal_task_group group = {};
  std::vector<nopal_task> tasks(64);
  std::vector<nopal_task*> there;
  std::vector<nopal_task*> free;
  staged at;
  free.reserve(tasks.size());
  for (nopal_task& task : tasks) {
    task.group = &group;
    free.push_back(&task);
  }
  for (int step = 0; step != 20'000; ++step) {
    if (random() % 3 == 0) {
      if (at.stages().empty() || random() % 16 >= at.stages().size()) {
        at.enter();
      } else {
        at.leave();
      }
    } else if (!free.empty() && (there.empty() || random() % 64 >= there.size())) {
      at.push(free.back());
      there.push_back(free.back());
      free.pop_back();
    } else {
      const std::size_t which = random() % 3 == 0   ? 0
                                : random() % 2 == 0 ? there.size() - 1
                                                    : random() % there.size();
      nopal::internal::remove_task(at.list, there[which]);
      free.push_back(there[which]);
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(which));
    }
    check_runs(at, there);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
