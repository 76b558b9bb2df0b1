// Groups of tasks.
#ifndef NOPAL_COMPAT_TBB_TASK_GROUP_H
#define NOPAL_COMPAT_TBB_TASK_GROUP_H

#include <atomic>
#include <exception>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <iterator>
#include <mutex>
#include <thread>

#include <nopal/detail/thrown.hpp>

#include "detail/completion_handle.h"
#include "detail/context.h"
#include "detail/exception.h"
#include "detail/group_base.h"
#include "detail/group_frame.h"
#include "detail/task_handle.h"
#include "detail/task_record.h"

// oneTBB's are behind a macro of previews, and say so by these.
#ifndef TBB_HAS_TASK_GROUP_DEPENDENCIES
#define TBB_HAS_TASK_GROUP_DEPENDENCIES 202603
#endif
#ifndef TBB_HAS_TASK_GROUP_WAIT_FOR_SINGLE_TASK
#define TBB_HAS_TASK_GROUP_WAIT_FOR_SINGLE_TASK 202603
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Tasks that are started one by one and waited for together.
///
/// `run` never calls the task: it begins on another thread when there is an idle worker, or on this
/// one at its `wait`, which calls the youngest first. A thread that waits calls tasks of the group
/// and what these started, and nothing else. Each task, and the function that starts and waits,
/// stays on its thread.
///
/// With NOPAL_TBB_STEAL_BODIES defined throughout, `run` by the function whose local variable the
/// group is forks instead: the task is called at once, and what follows `run` may go on at the same
/// time on another thread, until the task or algorithm around it is over. That costs a few
/// nanoseconds and no allocation. It does not where the function has made a part that may be stopped
/// since it made the group, or the group's context is isolated from one. Such a function holds no lock that a task takes across `run`, and
/// waits for no task but by `wait`.
///
/// Cost: a task is allocated, and takes a lock that others seldom want.
class task_group {
public:
  [[gnu::always_inline]] explicit task_group(
      std::source_location where = std::source_location::current()) noexcept
      : frame_(where), base_(nullptr, frame_.around()) {}
  /// With a context of the caller's, which outlives the group.
  [[gnu::always_inline]] explicit task_group(
      task_group_context& context, std::source_location where = std::source_location::current()) noexcept
      : frame_(where), base_(&context, frame_.around()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Waits, if a task is not over: cancels what has not begun, and throws `missing_wait` unless an
  /// exception is leaving already.
  [[gnu::always_inline]] ~task_group() noexcept(false) {
    if (!frame_.has_children() && base_.tasks().is_done() && !base_.tasks().has_views() &&
        !base_.has_failed()) [[likely]] {
      return;
    }
    // Where another function waited, all is over and the join alone remains.
    const bool is_missed = frame_.has_outstanding() || !base_.tasks().is_done();
    const bool leaving =
        std::uncaught_exceptions() != 0 || nopal::NOPAL_MODE_NAMESPACE::detail::thread_is_ending();
    if (is_missed) {
      base_.context().cancel_group_execution();
    }
    const bool is_reduction_lost = wait_for_tasks();
    if (frame_.has_children()) {
      nopal_detail::group_frame::fail_unjoined();
    }
    if (is_missed && !leaving) {
      nopal_detail::throw_missing_wait();
    }
    if (is_reduction_lost && !leaving) {
      base_.finish();  // throws what the reduction threw, as a scope's end does
    }
  }

  /// Starts `f()`. From any thread and function. Throws std::bad_alloc.
  template <class F>
  [[gnu::always_inline]] void run(F&& f, std::source_location where = std::source_location::current()) {
    if (frame_.is_ours_in(where) && base_.may_fork_here()) {
      if (nopal_detail::is_serial(nopal_detail::current())) {
        std::decay_t<F> task(std::forward<F>(f));
        base_.execute(task, nopal_detail::current_arena());
      } else {
        frame_.fork([](nopal_detail::group_base* base, std::decay_t<F> task,
                       nopal_detail::arena_state* arena) { base->execute(task, arena); },
                    &base_, std::forward<F>(f), nopal_detail::current_arena());
      }
    } else {
      nopal_detail::start_task(base_, std::forward<F>(f));
    }
  }
  /// Starts the task of a handle that `defer` made.
  void run(task_handle&& handle) {
    nopal_detail::run_handle(handle, nopal_detail::current_arena(), &nopal_detail::handle_access::start);
  }

  /// A task that does not begin before its handle is given to `run`. While the handle has it,
  /// `wait` does not return.
  template <class F>
  [[nodiscard]] task_handle defer(F&& f) {
    return nopal_detail::handle_access::make(
        std::make_unique<nopal_detail::group_task<std::decay_t<F>>>(base_, std::forward<F>(f)),
        &base_.tasks());
  }

  /// Waits for every task started since the last wait, by whoever, and works meanwhile. Throws the
  /// exception of a task, if one threw; that cancelled the others. Afterwards the group can be used
  /// again.
  [[gnu::always_inline]] task_group_status wait() {
    wait_for_tasks();
    return base_.finish();
  }

  /// Calls `f()` as a task and waits for all.
  template <class F>
  [[gnu::always_inline]] task_group_status run_and_wait(const F& f) {
    nopal_detail::call_as_task(base_, f);
    wait_for_tasks();
    return base_.finish();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run(std::move(handle));
    return wait();
  }

  /// Runs the handle and waits for its task alone, as wait_for_task does.
  task_group_status run_and_wait_for_task(task_handle&& handle) {
    task_completion_handle end = handle;
    run(std::move(handle));
    return wait_for_task(end);
  }
  /// Waits until the task that `end` names is over, or the one to which it handed its end over: `task_complete`, or `canceled`
  /// where it did not run to its end. Works meanwhile. What it threw, `wait` throws.
  task_group_status wait_for_task(task_completion_handle& end) { return wait_here_for(end); }
  /// The same, or `not_complete`, without a wait. From any thread.
  [[nodiscard]] task_group_status get_status_of(task_completion_handle& end) const { return status_of(end); }

  /// `next`, whose handle was not run yet, begins when the task of `first` is over. Where that is cancelled, `next` begins as
  /// well, and does nothing if it is of the same group. From any thread. Throws std::bad_alloc.
  static void set_task_order(task_handle& first, task_handle& next) {
    nopal_detail::record_of(first).put_before(nopal_detail::record_of(next));
  }
  static void set_task_order(task_completion_handle& first, task_handle& next) {
    first.record().put_before(nopal_detail::record_of(next));
  }
  /// Called by a task of a group, once: it counts as over when the task of `heir` is, and not before. Elsewhere it does nothing.
  /// Throws std::bad_alloc.
  static void transfer_this_task_completion_to(task_handle& heir) {
    const nopal_detail::execution* const now = nopal_detail::current();
    // Without a record nobody waits for its end, nor can.
    if (now != nullptr && now->record != nullptr) {
      now->record->hand_over_to(nopal_detail::record_of(heir));
    }
  }

  /// Asks that tasks which have not begun do not begin. From any thread.
  void cancel() { base_.context().cancel_group_execution(); }

private:
  friend class task_arena;

  static task_group_status status_of(nopal_detail::task_record::fate fate) noexcept {
    using nopal_detail::task_record;
    if (fate == task_record::fate::open) {
      return not_complete;
    }
    return fate == task_record::fate::complete ? task_complete : canceled;
  }
  static task_group_status status_of(const task_completion_handle& end) noexcept {
    return status_of(end.record().now());
  }
  static task_group_status wait_here_for(const task_completion_handle& end) {
    return status_of(nopal_detail::wait_for(end.record(), nopal_detail::current_arena()));
  }

  [[gnu::always_inline]] bool wait_for_tasks() {
    if (frame_.is_ours()) {
      frame_.join();
    } else {
      if (frame_.has_children()) {
        frame_.wait_for_children();
      }
    }
    return base_.wait(nopal_detail::current_arena());
  }

  nopal_detail::group_frame frame_;
  nopal_detail::group_base base_;
};

/// A group whose tasks run apart from others: while one waits, its thread runs none of another
/// group's, as with any group here.
using isolated_task_group = task_group;

/// Whether the algorithm or group whose code calls this was cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() {
  const nopal_detail::execution* const now = nopal_detail::current();
  return now != nullptr && now->context->is_group_execution_cancelled();
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
