// What a thread that waits takes: what it has started last, and what tasks of its group have started.
#ifndef NOPAL_SCHEDULER_TASK_SEARCH_HPP
#define NOPAL_SCHEDULER_TASK_SEARCH_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "scheduler/runtime.hpp"
#include "scheduler/task_index.hpp"
#include "scheduler/task_pace.hpp"
#include "scheduler/tasks.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What this thread started last in a group. Others that wait for the group find what these start.
class own_tasks {
public:
  own_tasks(task_list& list, const nopal_task_group* group) noexcept
      : list_(list), stage_{nullptr, group, true, 0} {}
  own_tasks(const own_tasks&) = delete;
  own_tasks& operator=(const own_tasks&) = delete;
  ~own_tasks() {
    if (is_marked_) {
      const task_list_guard guard(list_);
      leave_stage(list_, stage_);
    }
  }

  /// The youngest, or null.
  nopal_task* take(const wanted_tasks& wanted) noexcept {
    if (list_.count.load(std::memory_order_relaxed) == 0) {
      return nullptr;
    }
    const task_list_guard guard(list_);
    nopal_task* const task = list_.youngest;
    if (task == nullptr || task->group != stage_.group || !wanted(*task)) {
      return nullptr;
    }
    remove_task(list_, task);
    note_change(list_);
    if (!is_marked_) {
      enter_stage(list_, stage_);
      is_marked_ = true;
    }
    return task;
  }

private:
  task_list& list_;
  task_stage stage_;
  bool is_marked_ = false;
};

/// The youngest task that the code that waits has started itself, of whatever group.
inline nopal_task* pop_own(task_list& list) noexcept {
  const std::uint64_t first = this_worker()->first_task;
  const task_list_guard guard(list);
  nopal_task* const task = list.youngest;
  if (task == nullptr || task->number < first) {
    return nullptr;
  }
  remove_task(list, task);
  note_change(list);
  return task;
}

/// The groups that a search goes through: the one that is waited for, and those that its tasks wait
/// for on other threads.
class task_search {
public:
  explicit task_search(const wanted_tasks& wanted) noexcept : groups_{wanted.group}, wanted_(wanted) {}

  nopal_task* in_all(runtime& all, nopal_arena* arena, task_list* own) noexcept {
    for (at_ = 0; at_ != count_; ++at_) {
      nopal_task* const near =
          arena == nullptr ? nullptr : take_from_arena(*arena, now(), of_tasks::and_what_they_start);
      if (near != nullptr) {
        return near;
      }
      const int used = all.table_used.load(std::memory_order_seq_cst);
      for (int i = 0; i < used; ++i) {
        // Acquire pairs with the release in enter_table: the worker is complete.
        worker* const other = all.table[i].load(std::memory_order_acquire);
        nopal_task* const task = other == nullptr ? nullptr : in(other->tasks, own);
        if (task != nullptr) {
          return task;
        }
      }
      // Last: a thread that ends meanwhile leaves its tasks here.
      if (nopal_task* const task = in(tasks_of_nobody, own)) {
        return task;
      }
      if (nopal_task* const task = in(tasks_of_old_process, own)) {
        return task;
      }
    }
    return nullptr;
  }

private:
  static constexpr std::size_t most_groups = 16;
  // Of all but the first of these. A thread may be at as many as there is memory for.
  static constexpr int most_stages = 256;

  [[nodiscard]] wanted_tasks now() const noexcept {
    return at_ == 0 ? wanted_
                    : wanted_tasks{groups_[at_], wanted_.isolation_in_turn, wanted_.isolation_in_turn};
  }

  nopal_task* in(task_list& list, task_list* own) noexcept {
    const bool is_own = &list == own;
    // Relaxed: a stage that begins now is found later.
    if (!has_tasks(list) && (is_own || list.innermost.load(std::memory_order_relaxed) == nullptr)) {
      return nullptr;
    }
    if (!is_own && own != nullptr && list.count.load(std::memory_order_relaxed) != 0) {
      keep_pace(own->pace, list);
    }
    const task_list_guard guard(list);
    nopal_task* task = oldest_of(list, groups_[at_], now());
    if (task == nullptr && !is_own) {
      task = of_stages(list);
    }
    if (task != nullptr) {
      remove_task(list, task);
      if (!is_own && own != nullptr) {
        note_taken(own->pace, list);
      }
    }
    return task;
  }

  /// The oldest that a task of the group started on this thread. Notes what those tasks wait for.
  nopal_task* of_stages(const task_list& list) noexcept {
    const task_stage* const innermost = list.innermost.load(std::memory_order_relaxed);
    const task_stage* not_noted = innermost;
    tasks_since_stage since(list);
    int left = at_ == 0 ? std::numeric_limits<int>::max() : most_stages;
    for (const task_stage* stage = innermost; stage != nullptr && left != 0; stage = stage->outer, --left) {
      if (!stage->runs || stage->group != groups_[at_]) {
        continue;
      }
      nopal_task* const task = since.oldest(*stage);
      if (task != nullptr && now()(*task)) {
        return task;
      }
      for (; not_noted != stage; not_noted = not_noted->outer) {
        note(not_noted->group);
      }
    }
    return nullptr;
  }

  void note(const nopal_task_group* group) noexcept {
    for (std::size_t i = 0; i != count_; ++i) {
      if (groups_[i] == group) {
        return;
      }
    }
    if (count_ != most_groups) {
      groups_[count_++] = group;
    }
  }

  const nopal_task_group* groups_[most_groups];
  const wanted_tasks wanted_;
  std::size_t count_ = 1;
  std::size_t at_ = 0;
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
