// Groups of tasks.
#ifndef NOPAL_COMPAT_TBB_TASK_GROUP_H
#define NOPAL_COMPAT_TBB_TASK_GROUP_H

#include <atomic>
#include <exception>
#include <memory>
#include <source_location>
#include <type_traits>
#include <utility>

#include "detail/context.h"
#include "detail/exception.h"
#include "detail/group_frame.h"
#include "detail/task_handle.h"
#include "detail/task_source.h"

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
  explicit group_base(task_group_context* context, bool nests)
      : context_(context != nullptr ? *context : own_) {
    now_.context = &context_;
    if (const execution* const outer = current(); outer != nullptr) {
      now_.arena_limit = outer->arena_limit;
      now_.arena = outer->arena;
      if (nests) {
        unbinds_ = algorithm::bind(context_, outer->context);
      }
    }
  }
  group_base(const group_base&) = delete;
  group_base& operator=(const group_base&) = delete;
  ~group_base() {
    if (unbinds_) {
      algorithm::unbind(context_);
    }
  }

  [[nodiscard]] task_group_context& context() noexcept { return context_; }
  [[nodiscard]] task_source& source() noexcept { return source_; }
  [[nodiscard]] bool serial() const noexcept { return is_serial(&now_); }

  /// Runs a task. Its exception is kept for the wait, and cancels the rest.
  template <class F>
  void execute(F& f) noexcept {
    if (context_.is_group_execution_cancelled()) {
      return;
    }
    set_current(&now_);
    NOPAL_TBB_TRY {
      if constexpr (std::is_same_v<std::invoke_result_t<F&>, task_handle>) {
        task_handle next = f();
        set_current(nullptr);
        if (next) {
          handle_access::start(next);
        }
      } else {
        static_cast<void>(f());
      }
    }
    NOPAL_TBB_CATCH { keep_exception(); }
    set_current(nullptr);
  }

  /// Puts a task where those who wait find it.
  void start(pending_task* task) { source_.push(task); }

  /// When no task runs any more: how it went. Throws the exception of a task.
  task_group_status finish() {
    const bool was_cancelled = context_.is_group_execution_cancelled();
    if (was_cancelled) {
      context_.reset();
    }
    // Relaxed: the joins of all tasks come before.
    if (failed_.load(std::memory_order_relaxed)) {
      failed_.store(false, std::memory_order_relaxed);
      rethrow();
    }
    return was_cancelled ? canceled : complete;
  }

  /// When no task runs any more and nobody asks how it went.
  void forget() noexcept {
    failed_.store(false, std::memory_order_relaxed);
    exception_ = nullptr;
  }

  /// The first counts; finish() reads it when all tasks are joined.
  void keep_exception() noexcept {
    end_if_asked();
    if (!failed_.exchange(true, std::memory_order_acq_rel)) {
      exception_ = std::current_exception();
    }
    context_.cancel_group_execution();
  }

private:
  void rethrow() {
    const std::exception_ptr exception = std::exchange(exception_, nullptr);
    if (exception != nullptr) {
      std::rethrow_exception(exception);
    }
  }

  task_group_context own_;
  task_group_context& context_;
  execution now_;
  bool unbinds_ = false;
  std::atomic<bool> failed_{false};
  std::exception_ptr exception_;
  task_source source_{task_source::order::newest_first};
};

/// A task that was put into a list.
template <class F>
class listed_task final : public pending_task {
public:
  template <class Source>
  listed_task(group_base& group, Source&& f) : group_(group), f_(std::forward<Source>(f)) {}
  void run() noexcept override { group_.execute(f_); }

private:
  group_base& group_;
  F f_;
};

template <class F>
[[gnu::noinline]] void list_task(group_base& group, F&& f) {
  group.start(new listed_task<std::decay_t<F>>(group, std::forward<F>(f)));
}

}  // namespace nopal_detail

/// Tasks that are started one by one and waited for together.
///
/// `run` called by the function whose local variable the group is forks: the task is called at once, and what follows the call
/// may go on at the same time on another thread, as with `nopal::scope`. So that function holds no lock that a task takes
/// across `run`, and waits for no task but by `wait`. Called by any other function, by tasks or from other threads, or with
/// NOPAL_TBB_DEFER_RUN defined throughout, `run` puts the task into a list, which `wait` works off with all workers, as do
/// tasks of the list when they are over.
///
/// Cost: a fork is a few nanoseconds and no allocation; a task in the list is allocated and takes a lock.
class task_group {
public:
  [[gnu::always_inline]] explicit task_group(
      std::source_location where = std::source_location::current()) noexcept
      : frame_(where), base_(nullptr, frame_.is_local()) {}
  /// With a context of the caller's, which outlives the group.
  [[gnu::always_inline]] explicit task_group(
      task_group_context& context, std::source_location where = std::source_location::current()) noexcept
      : frame_(where), base_(&context, frame_.is_local()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Waits, if nobody did: cancels what has not begun, and throws `missing_wait` unless an exception is leaving already.
  [[gnu::always_inline]] ~task_group() noexcept(false) {
    if (!frame_.has_children() && base_.source().is_unused()) [[likely]] {
      return;
    }
    // Where another function waited, all is over and the join alone remains.
    const bool is_missed = frame_.has_outstanding() || !base_.source().is_unused();
    const bool leaving = std::uncaught_exceptions() != 0;
    if (is_missed) {
      base_.context().cancel_group_execution();
    }
    wait_for_tasks();
    if (frame_.has_children()) {
      nopal_detail::group_frame::fail_unjoined();
    }
    base_.forget();
    if (is_missed && !leaving) {
      nopal_detail::throw_missing_wait();
    }
  }

  /// Starts `f()`. From any thread and function. Throws std::bad_alloc where it does not fork.
  template <class F>
  [[gnu::always_inline]] void run(F&& f, std::source_location where = std::source_location::current()) {
    if (frame_.is_ours_in(where)) {
      const nopal_detail::execution* const outer = nopal_detail::exchange_current(nullptr);
      if (base_.serial()) {
        std::decay_t<F> task(std::forward<F>(f));
        base_.execute(task);
      } else {
        frame_.fork([](nopal_detail::group_base* base, std::decay_t<F> task) { base->execute(task); }, &base_,
                    std::forward<F>(f));
      }
      nopal_detail::set_current(outer);
    } else {
      nopal_detail::list_task(base_, std::forward<F>(f));
    }
  }
  /// Starts the task of a handle that `defer` made.
  void run(task_handle&& handle) { nopal_detail::handle_access::start(handle); }

  /// A task that does not begin before its handle is given to `run`. While the handle has it, `wait` does not return.
  template <class F>
  [[nodiscard]] task_handle defer(F&& f) {
    return nopal_detail::handle_access::make(
        std::make_unique<nopal_detail::listed_task<std::decay_t<F>>>(base_, std::forward<F>(f)),
        &base_.source());
  }

  /// Waits for every task started since the last wait, by whoever, and works meanwhile. Throws the exception of a task, if one
  /// threw; that cancelled the others. Afterwards the group can be used again.
  [[gnu::always_inline]] task_group_status wait() {
    const nopal_detail::execution* const outer = nopal_detail::exchange_current(nullptr);
    wait_for_tasks();
    nopal_detail::set_current(outer);
    return base_.finish();
  }

  /// Calls `f()` as a task and waits for all.
  template <class F>
  [[gnu::always_inline]] task_group_status run_and_wait(const F& f) {
    const nopal_detail::execution* const outer = nopal_detail::exchange_current(nullptr);
    base_.execute(f);
    wait_for_tasks();
    nopal_detail::set_current(outer);
    return base_.finish();
  }
  task_group_status run_and_wait(task_handle&& handle) {
    run(std::move(handle));
    return wait();
  }

  /// Asks that tasks which have not begun do not begin. From any thread.
  void cancel() { base_.context().cancel_group_execution(); }

private:
  [[gnu::always_inline]] void wait_for_tasks() {
    if (!base_.source().is_unused()) {
      base_.source().drain(base_.serial());
    }
    if (frame_.is_ours()) {
      frame_.join();
    } else {
      if (frame_.has_children()) {
        frame_.wait_for_children();
      }
    }
    if (!base_.source().is_unused()) {
      base_.source().wait(base_.serial());
    }
  }

  nopal_detail::group_frame frame_;
  nopal_detail::group_base base_;
};

/// A group whose tasks run apart from others. Here a strand that waits leaves its thread to others and goes on where it was,
/// so that this is a task_group.
using isolated_task_group = task_group;

/// Whether the algorithm or group whose code calls this was cancelled.
[[nodiscard]] inline bool is_current_task_group_canceling() {
  const nopal_detail::execution* const now = nopal_detail::current();
  return now != nullptr && now->context->is_group_execution_cancelled();
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
