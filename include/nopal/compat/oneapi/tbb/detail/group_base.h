// What a group is apart from the function that made it, and its tasks.
#ifndef NOPAL_COMPAT_TBB_DETAIL_GROUP_BASE_H
#define NOPAL_COMPAT_TBB_DETAIL_GROUP_BASE_H

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

#include <nopal/detail/thrown.hpp>

#include "context.h"
#include "exception.h"
#include "lock.h"
#include "task_counts.h"
#include "task_handle.h"
#include "task_record.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// What became of a group's tasks.
enum task_group_status {
  not_complete,   ///< some are not over
  complete,       ///< all ran
  canceled,       ///< the group was cancelled: some may not have run
  task_complete,  ///< the one task that was asked for ran
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
  /// rest. Whether it ran to its end.
  template <class F>
  bool execute(F& f, arena_state* arena, task_record* record = nullptr) noexcept {
    decltype(auto) use = use_now();
    if (algorithm::is_stopped(context_, use)) {
      return false;
    }
    NOPAL_TBB_TRY {
      execution now;
      now.record = record;
      now.context = &context_;
      now.part = &use;
      now.arena = arena;
      const body_call inside(&now);
      if constexpr (std::is_same_v<std::invoke_result_t<F&>, task_handle>) {
        task_handle next = f();
        if (next) {
          run_handle(next, arena, &handle_access::start);
        }
      } else {
        static_cast<void>(f());
      }
      return true;
    }
    NOPAL_TBB_CATCH { static_cast<void>(keep_exception()); }
    return false;
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
      throw_kept();
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
    bool is_first = false;
    {
      const lock_guard guard(lock_);
      is_first = !failed_.load(std::memory_order_relaxed);
      if (is_first) {
        swap(exception_, thrown);
        failed_.store(true, std::memory_order_relaxed);
      }
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
  /// Of several threads that wait, one throws it.
  [[gnu::noinline, gnu::cold]] void throw_kept() {
    nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
    {
      const lock_guard guard(lock_);
      swap(exception_, thrown);
      failed_.store(false, std::memory_order_relaxed);
    }
    thrown.rethrow();
  }

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
  tiny_lock lock_;                   // of these two
  std::atomic<bool> failed_{false};  // written under the lock
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
  group_task(const group_task&) = delete;
  group_task& operator=(const group_task&) = delete;
  ~group_task() override {
    if (task_record* const known = known_record()) {
      known->end(task_record::fate::canceled);  // it was never called
      known->forget();
    }
  }
  void call() noexcept override {
    task_record* const known = known_record();
    if (known == nullptr) {
      static_cast<void>(execute(nullptr));
    } else {
      known->note_begin();
      known->end(execute(known) ? task_record::fate::complete : task_record::fate::canceled);
    }
  }
  [[nodiscard]] std::atomic<task_record*>* record() noexcept override { return &record_; }

private:
#ifndef NOPAL_ELIDE
  /// A thread that waits for one task may have looked for others before that was over, and have found what begins after it. It
  /// leaves that to others: what it waits for may be all that its caller lets it wait for. Each who waits may so find it.
  void call_and_delete() noexcept override {
    if (known_record() == nullptr || !has_waited_enough() || !group_.tasks().push_back(this)) {
      pending_task::call_and_delete();
    }
  }
#endif
  // Relaxed: who has a handle made it, before the handle was run.
  [[nodiscard]] task_record* known_record() const noexcept { return record_.load(std::memory_order_relaxed); }
  bool execute(task_record* known) noexcept {
    const begins_at_once body;
    // As a constant, where it can be called so.
    if constexpr (std::is_invocable_v<const F&>) {
      return group_.execute(std::as_const(f_), arena(), known);
    } else {
      return group_.execute(f_, arena(), known);
    }
  }

  group_base& group_;
  std::atomic<task_record*> record_{nullptr};
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

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
