// The views of tasks. A task is part of the strand that waits for it only if that strand runs it.
//
// A task on a stack of the pool has views of its own. Before it counts as over it leaves them in
// its group, merged with the set that is there. Invariant: a group has one set at most, so there
// are no more sets than tasks that run. The wait that finds the group done takes the set.
// Reductions are the program's code: they run in pinned calls, as a task or as the strand that
// waits.
//
// The outermost code of a thread works on reducers' own values, and a task that it runs while it
// waits is part of it. But two threads may wait for the same tasks, so one thread at a time runs
// tasks on these values, and the tasks of others have views of their own. One thread merges the set
// of a group into the values, and others that wait for the group wait for that too.

#include "view/task_views.hpp"

#include <pthread.h>

#include <atomic>

#include <nopal/detail/noise.h>
#include <nopal/detail/pinned.h>
#include <nopal/detail/task.h>

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"
#include "view/host.hpp"
#include "view/merge.hpp"
#include "view/process.hpp"
#include "view/strand_merge.hpp"
#include "view/unwatched_lock.hpp"
#include "view/views.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

namespace {

constexpr int looks_before_nap = 64;
constexpr std::uint64_t nap_ns = 100'000;

/// Whether a thread's outermost code runs a task on reducers' own values.
constinit std::atomic<bool> values_held{false};

/// A group whose tasks' views a thread's outermost code merges into values.
struct merge_into_values {
  const nopal_task_group* group;
  merge_into_values* next;
};
constinit pthread_mutex_t merges_lock = PTHREAD_MUTEX_INITIALIZER;
// Under the lock; whether there is one, without.
constinit std::atomic<merge_into_values*> merges{nullptr};

/// Acquire pairs with the release in leave_views: what was done to the views comes before.
view_set* take_set(nopal_task_group* group) noexcept {
  auto* const set = static_cast<view_set*>(__atomic_exchange_n(&group->views, nullptr, __ATOMIC_SEQ_CST));
  if (set != nullptr) {
    sanitizers::after(set);
  }
  return set;
}

/// `left` and then `right`, as merge_with_updates has it; what reductions throw is kept for the
/// wait for `group`.
view_set* merge_for_group(view_set* left, bool left_is_base, view_set* right,
                          const nopal_task_group* group) noexcept {
  const auto failed = [](void* of) { host::keep_thrown(static_cast<const nopal_task_group*>(of)); };
  return merge_with_updates({all_reducers, failed, const_cast<nopal_task_group*>(group)}, left, left_is_base,
                            right);
}

/// The calling strand's set becomes the group's, after what is there.
void leave_views(nopal_task_group* group) noexcept {
  view_set* mine = leave_set();
  while (mine != nullptr) {
    sanitizers::before(mine);
    NOPAL_DISTURB();
    void* there = nullptr;
    if (__atomic_compare_exchange_n(&group->views, &there, mine, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
      return;
    }
    if (view_set* const earlier = take_set(group)) {
      mine = merge_for_group(earlier, false, mine, group);
    }
  }
}

bool is_under_way(const nopal_task_group* group) noexcept {
  const merge_into_values* one = merges.load(std::memory_order_relaxed);
  while (one != nullptr && one->group != group) {
    one = one->next;
  }
  return one != nullptr;
}

/// The group's set, with the merge noted; null, and nothing noted: there is none, and no other
/// thread merges one any more.
view_set* begin_merge(nopal_task_group* group, merge_into_values& mine) noexcept {
  for (int looks = 0;; ++looks) {
    {
      const unwatched_lock guard(merges_lock);
      // Noted first: who finds the set gone, and looks without the lock, finds the note.
      mine = {group, merges.load(std::memory_order_relaxed)};
      const bool others = is_under_way(group);
      merges.store(&mine, std::memory_order_seq_cst);
      view_set* const set = take_set(group);
      if (set != nullptr) {
        return set;
      }
      merges.store(mine.next, std::memory_order_release);
      if (!others) {
        return nullptr;
      }
    }
    if (looks < looks_before_nap) {
      os::yield();
    } else {
      std::atomic<std::uint32_t>& events = host::events_of(group);
      os::futex_wait_for(events, events.load(std::memory_order_relaxed), nap_ns);
    }
  }
}

/// In a child of fork(2) it may be forgotten already.
void end_merge(merge_into_values& mine) noexcept {
  sanitizers::before(const_cast<nopal_task_group*>(mine.group));
  const unwatched_lock guard(merges_lock);
  merge_into_values* const first = merges.load(std::memory_order_relaxed);
  if (first == &mine) {
    // Release pairs with the acquire in take_task_views: the merge is over.
    merges.store(mine.next, std::memory_order_release);
    return;
  }
  for (merge_into_values* one = first; one != nullptr; one = one->next) {  // unreached: three-merges
    if (one->next == &mine) {                                              // unreached: three-merges
      one->next = mine.next;
      return;
    }
  }
}

/// `views` and what reductions do go to the calling strand.
void merge_into_strand(view_set* views, bool base, const nopal_task_group* group) noexcept {
  nopal_pinned call;
  const bool pinned = nopal_begin_pinned_in(&call, nullptr) == 0;
  const base_views before = this_base_views();
  view_set* mine = leave_set();
  if (base) {
    set_this_base_views(
        base_views::apart);  // for what reductions do, as in any merge; a worker's stack knows too
  }
  mine = merge_for_group(mine, base, views, group);
  if (base) {
    set_this_base_views(before);
  }
  set_this_views(mine);
  if (pinned) {  // unreached: refused-pinned
    nopal_end_pinned(&call);
  }
}

/// At the end of a task that nobody waits for: ends the process if the task leaves views of a
/// reducer that is not its own.
void end_unawaited_views(view_set* set) noexcept {
  if (set == nullptr) {
    return;
  }
  set->take_all([set](std::uint32_t id, void* view) {
    // One that the task made has its own value here.
    if (!all_reducers.has_ended(id) && view != all_reducers.leftmost(id)) {  // unreached: stranger-ends
      os::end_process(
          "nopal: a task that nobody waits for (tbb::task_arena::enqueue) used a reducer that it did not "
          "make: "
          "use it in a task of a tbb::task_group, whose wait gets the updates, or make one in the task");
    }
    end_view(all_reducers, set, id, view);
  });
  unowned.give_set(set);
}

}  // namespace

task_views::task_views(nopal_task_group* group, views_of whose) noexcept : group_(group) {
  if (whose == views_of::caller) {
    if (!views_used() || !has_base_views() || this_base_views() == base_views::held) {
      return;
    }
    // Acquire pairs with the release in ~task_views: what other threads' tasks did to the values
    // comes before.
    if (!values_held.exchange(true, std::memory_order_acquire)) {
      sanitizers::after(&values_held);
      set_this_base_views(base_views::held);
      kind_ = kind::held;
      return;
    }
  }
  kind_ = kind::own;
  callers_ = leave_set();
  base_ = this_base_views();
  set_this_base_views(base_views::apart);
}

task_views::~task_views() {
  if (kind_ == kind::held) {
    set_this_base_views(base_views::values);
    sanitizers::before(&values_held);
    values_held.store(false, std::memory_order_release);
  } else if (kind_ == kind::own) {
    leave_views(group_);
    set_this_base_views(base_);
    set_this_views(callers_);
  }
}

void* take_task_views(nopal_task_group* group) noexcept {
  if (!views_used()) {
    return nullptr;
  }
  const bool base = has_base_views();
  // In this order: who takes the set has noted it before. Acquire pairs with the ends of merges.
  if (__atomic_load_n(&group->views, __ATOMIC_SEQ_CST) == nullptr &&
      (!base || merges.load(std::memory_order_seq_cst) == nullptr)) {
    sanitizers::after(group);
    return nullptr;
  }
  merge_into_values noted{group, nullptr};
  view_set* const views = base ? begin_merge(group, noted) : take_set(group);
  sanitizers::after(group);  // another thread's merge
  if (views == nullptr) {
    return nullptr;
  }
  NOPAL_DISTURB();
  merge_into_strand(views, base, group);
  void* const thrown = host::take_exception(group);
  if (base) {
    end_merge(noted);  // the group may be gone then
  }
  return thrown;
}

extern "C" NOPAL_EXPORT void nopal_call_unawaited(void (*call)(void*), void* argument) {
  view_set* const callers = leave_set();
  const base_views before = this_base_views();
  set_this_base_views(base_views::apart);
  call(argument);
  end_unawaited_views(leave_set());
  set_this_base_views(before);
  set_this_views(callers);
}

void lock_task_merges() noexcept { pthread_mutex_lock(&merges_lock); }
void unlock_task_merges() noexcept { pthread_mutex_unlock(&merges_lock); }

void forget_task_merges() noexcept {
  merges.store(nullptr, std::memory_order_relaxed);
  values_held.store(this_base_views() == base_views::held, std::memory_order_relaxed);
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
