// An index of the tasks of a list: a search finds those with its key without a look at the others.
//
// A lot is all tasks of a list that have one key, such as a group: a ring, in the order of the
// list. The oldest task of each lot is a node of a tree that branches by the bits of keys, so the
// tree is no deeper than a key is long. The links lie in the tasks, and nothing is allocated. The
// first search that comes past a task sorts it in, so each task is passed once; tasks that nobody
// searches stay in their list alone.
#ifndef NOPAL_SCHEDULER_TASK_INDEX_HPP
#define NOPAL_SCHEDULER_TASK_INDEX_HPP

#include <cstdint>

#include <nopal/detail/task.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

struct by_group {
  static const void* key(const nopal_task* task) noexcept { return task->group; }
  static nopal_task_lot& lot(nopal_task* task) noexcept { return task->of_group; }
};
struct by_starter {
  static const void* key(const nopal_task* task) noexcept { return task->starter; }
  static nopal_task_lot& lot(nopal_task* task) noexcept { return task->of_starter; }
};

template <class By>
bool is_sorted(nopal_task* task) noexcept {
  return By::lot(task).younger != nullptr;
}

/// Where the lot of the key is, or would be.
template <class By>
nopal_task** lot_of(nopal_task** place, const void* key) noexcept {
  // Addresses differ in their middle bits. To multiply by an odd factor is one-to-one, so the 64
  // bits lead to one node for each key.
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(key) * 0x9e3779b97f4a7c15U;
  for (; *place != nullptr && By::key(*place) != key; bits <<= 1U) {
    place = &By::lot(*place).inner[bits >> 63U];
  }
  return place;
}

/// As the youngest of its lot.
template <class By>
void sort_in(nopal_task** root, nopal_task* task) noexcept {
  nopal_task** const place = lot_of<By>(root, By::key(task));
  nopal_task* const oldest = *place;
  nopal_task_lot& lot = By::lot(task);
  if (oldest == nullptr) {
    lot = {task, task, {nullptr, nullptr}};
    *place = task;
    return;
  }
  lot.younger = oldest;
  lot.older = By::lot(oldest).older;
  By::lot(lot.older).younger = task;
  By::lot(oldest).older = task;
}

/// Removes the oldest task of the lot in `place` from the tree. What takes its place there has the
/// same leading bits.
template <class By>
void sort_out_oldest(nopal_task** place) noexcept {
  nopal_task* const task = *place;
  nopal_task_lot& lot = By::lot(task);
  nopal_task* next = lot.younger;
  By::lot(lot.older).younger = next;
  By::lot(next).older = lot.older;
  lot.younger = nullptr;
  if (next == task) {
    nopal_task** leaf = place;
    for (nopal_task** at = place; at != nullptr;) {
      leaf = at;
      nopal_task_lot& here = By::lot(*at);
      at = here.inner[0] != nullptr ? &here.inner[0] : here.inner[1] != nullptr ? &here.inner[1] : nullptr;
    }
    next = *leaf;
    *leaf = nullptr;
  }
  if (next == task) {
    return;
  }
  By::lot(next).inner[0] = lot.inner[0];
  By::lot(next).inner[1] = lot.inner[1];
  *place = next;
}

template <class By>
void sort_out(nopal_task** root, nopal_task* task) noexcept {
  nopal_task** const place = lot_of<By>(root, By::key(task));
  if (*place == task) {
    return sort_out_oldest<By>(place);
  }
  nopal_task_lot& lot = By::lot(task);
  By::lot(lot.older).younger = lot.younger;
  By::lot(lot.younger).older = lot.older;
  lot.younger = nullptr;
}

/// For a list of a thread or of an arena, as all that follows.
template <class List>
void link_task(List& list, nopal_task* task) noexcept {
  nopal_task* const last = list.youngest;
  task->younger = nullptr;
  task->older = last;
  task->of_group.younger = nullptr;
  (last != nullptr ? last->younger : list.oldest) = task;
  list.youngest = task;
  if (list.unsorted == nullptr) {
    list.unsorted = task;
  }
}
template <class By = by_group, class List>
void unlink_task(List& list, nopal_task* task) noexcept {
  if (list.unsorted == task) {
    list.unsorted = task->younger;
  } else if (is_sorted<By>(task)) {
    sort_out<By>(&list.by_group, task);
  }
  (task->older != nullptr ? task->older->younger : list.oldest) = task->younger;
  (task->younger != nullptr ? task->younger->older : list.youngest) = task->older;
}

/// The next one that is unsorted; there is one.
template <class By = by_group, class List>
nopal_task* sort_next(List& list) noexcept {
  nopal_task* const task = list.unsorted;
  sort_in<By>(&list.by_group, task);
  list.unsorted = task->younger;
  return task;
}

/// Of a lot, the oldest or the youngest that `is_wanted`; null: there is none.
template <class By, class Wanted>
nopal_task* oldest_in_lot(nopal_task* oldest, const Wanted& is_wanted) noexcept {
  nopal_task* task = oldest;
  while (task != nullptr && !is_wanted(*task)) {
    task = By::lot(task).younger == oldest ? nullptr : By::lot(task).younger;
  }
  return task;
}
template <class By, class Wanted>
nopal_task* youngest_in_lot(nopal_task* oldest, const Wanted& is_wanted) noexcept {
  nopal_task* task = oldest == nullptr ? nullptr : By::lot(oldest).older;
  while (task != nullptr && !is_wanted(*task)) {
    task = task == oldest ? nullptr : By::lot(task).older;
  }
  return task;
}

/// The oldest of the group that `is_wanted`.
template <class By = by_group, class List, class Wanted>
nopal_task* oldest_of(List& list, const nopal_task_group* group, const Wanted& is_wanted) noexcept {
  if (nopal_task* const task = oldest_in_lot<By>(*lot_of<By>(&list.by_group, group), is_wanted)) {
    return task;
  }
  while (list.unsorted != nullptr && !(By::key(list.unsorted) == group && is_wanted(*list.unsorted))) {
    sort_next<By>(list);
  }
  return list.unsorted;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
