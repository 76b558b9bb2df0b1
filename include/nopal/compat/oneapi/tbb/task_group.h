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

#include "detail/context.h"
#include "detail/exception.h"
#include "detail/group_frame.h"
#include "detail/task_counts.h"
#include "detail/task_handle.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// What became of a group's tasks.
enum task_group_status {
  not_complete,  ///< some are not over
  complete,      ///< all ran
  canceled,      ///< the group was cancelled: some may not have run
};

namespace nopal_detail {

/// What a group is apart from forks in the function that made it.
class group_base {
public:
  group_base(task_group_context* context, const surroundings& at)
      : context_(context != nullptr ? *context : own_),
#ifdef NOPAL_ELIDE
        at_(at) {
  }
#else
        use_(algorithm::use_of(context_, at.around)) {
    algorithm::follow(follows_, at.followed, context_, use_);
  }
  ~group_base() { end_use(use_); }
#endif
  group_base(const group_base&) = delete;
  group_base& operator=(const group_base&) = delete;

  [[nodiscard]] task_group_context& context() noexcept { return context_; }
  [[nodiscard]] task_counts& tasks() noexcept { return tasks_; }

  /// Runs a task that was started in `arena`. Its exception is kept for the wait, and cancels the
  /// rest.
  template <class F>
  void execute(F& f, arena_state* arena) noexcept {
    decltype(auto) use = use_now();
    if (algorithm::is_stopped(context_, use)) {
      return;
    }
    NOPAL_TBB_TRY {
      execution now;
      now.context = &context_;
      now.part = &use;
      now.arena = arena;
      const body_call inside(&now);
      if constexpr (std::is_same_v<std::invoke_result_t<F&>, task_handle>) {
        task_handle next = f();
        if (next) {
          handle_access::start(next, arena);
        }
      } else {
        static_cast<void>(f());
      }
    }
    NOPAL_TBB_CATCH { static_cast<void>(keep_exception()); }
  }

  /// Whether a task threw what no wait has thrown. Relaxed: asked when no task runs any more.
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

  /// When no task runs any more: how it went. Throws the exception of a task.
  task_group_status finish() {
    const bool was_cancelled = algorithm::is_stopped(context_, use_now());
    if (was_cancelled) {
      context_.reset();
    }
    // Relaxed: the ends of all tasks come before.
    if (failed_.load(std::memory_order_relaxed)) {
      failed_.store(false, std::memory_order_relaxed);
      exception_.rethrow();
    }
    return was_cancelled ? canceled : complete;
  }

  /// Waits for the tasks that were pushed. True if a reduction threw, and no task before; finish()
  /// throws that.
  bool wait(arena_state* arena) noexcept {
    NOPAL_TBB_TRY {
      tasks_.wait(arena);
      return false;
    }
    NOPAL_TBB_CATCH { return keep_exception(); }
  }

  /// The first counts, for which this is true; finish() reads it when all tasks are over.
  bool keep_exception() noexcept {
    end_if_asked();
    nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
    thrown.keep();
    const bool is_first = !failed_.exchange(true, std::memory_order_acq_rel);
    if (is_first) {
      swap(exception_, thrown);
    }
    context_.cancel_group_execution();
    return is_first;
  }

  /// Whether a fork of the caller begins its child unless the group is to stop.
  [[nodiscard]] bool may_fork_here() const noexcept {
#ifdef NOPAL_ELIDE
    return true;
#else
    const nopal_stop* const part = innermost_part();
    return part == nullptr || part == use_.parent || follows_.follows(part);
#endif
  }

private:
#ifdef NOPAL_ELIDE
  nopal_stop use_now() noexcept { return algorithm::use_of(context_, at_.now()); }
#else
  nopal_stop& use_now() noexcept {
    if (any_stopped()) {
      follows_.again();  // the context may have been reset since what it follows was stopped
    }
    return use_;
  }
#endif

  task_group_context own_;
  task_group_context& context_;
#ifdef NOPAL_ELIDE
  const surroundings at_;
#else
  nopal_stop use_;
  follower follows_;
#endif
  std::atomic<bool> failed_{false};
  nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception exception_;
  task_counts tasks_;
};

inline arena_state* current_arena() noexcept {
  const execution* const now = current();
  return now != nullptr ? now->arena : nullptr;
}

/// A task on its own, with what it calls.
template <class F>
class group_task final : public pending_task {
public:
  template <class Source>
  group_task(group_base& group, Source&& f) : group_(group), f_(std::forward<Source>(f)) {}
  void call() noexcept override {
    // As a constant, where it can be called so.
    if constexpr (std::is_invocable_v<const F&>) {
      group_.execute(std::as_const(f_), arena());
    } else {
      group_.execute(f_, arena());
    }
  }

private:
  group_base& group_;
  F f_;
};

template <class F>
[[gnu::noinline]] void start_task(group_base& group, F&& f) {
  auto task = std::make_unique<group_task<std::decay_t<F>>>(group, std::forward<F>(f));
  group.tasks().push(task.get(), current_arena());
  static_cast<void>(task.release());
}

template <class F>
void call_as_task(group_base& group, const F& f) noexcept {
  auto call = [&group, &f, arena = current_arena()] { group.execute(f, arena); };
  group.tasks().call(call);
}

}  // namespace nopal_detail

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
    nopal_detail::handle_access::start(handle, nopal_detail::current_arena());
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

  /// Asks that tasks which have not begun do not begin. From any thread.
  void cancel() { base_.context().cancel_group_execution(); }

private:
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
