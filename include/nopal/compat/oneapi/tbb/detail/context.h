// Cancellation of algorithms and groups of tasks.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H
#define NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H

#include <atomic>
#include <cstdint>
#include <utility>

#include "../version.h"
#include "arena_state.h"
#include "current.h"
#include "exception.h"
#include "lock.h"
#include "stops.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
/// Guards contexts that may outlive what they are bound to: held while one is bound or unbound, and
/// while somebody looks through it.
inline constinit tiny_lock loose_contexts_lock{};

class algorithm;
}  // namespace nopal_detail

/// What can be cancelled: the algorithms and groups that are started with it, and those started by
/// their tasks, and what these fork by Nopal's own interface.
///
/// Cancelling is a request: what runs goes on, what has not begun does not begin. Any thread may
/// cancel and ask at any time. Making and resetting take constant time, cancelling a time in proportion to the
/// number of workers, asking the depth of nesting while anything is stopped.
///
/// It is a part of the computation that may be stopped, as a `nopal::cancel_scope` is, and is in those around the
/// algorithm that it is first used in.
class task_group_context {
public:
  /// Whether the cancellation of what starts an algorithm cancels it too.
  enum kind_type { isolated, bound };
  /// Accepted, and without a meaning here.
  enum traits_type { fp_settings = 0x0001, concurrent_wait = 0x0004, default_traits = 0 };

  /// Makes a context that is not cancelled. A `bound` one is bound to where it is first used, until the
  /// end of that use.
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits) noexcept
      : is_bound_(kind == bound), traits_(traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() {
    reset();
    // Acquire pairs with the release in join_siblings().
    if (loose_children_.load(std::memory_order_acquire) != nullptr) {
      let_children_go();
    }
  }

  /// Asks to cancel. False if it is cancelled already.
  bool cancel_group_execution() noexcept { return nopal_detail::stop(part_); }

  /// Whether this or what it is bound to was cancelled, or stopped.
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    if (!nopal_detail::any_stopped()) [[likely]] {
      return false;
    }
    for (const nopal_stop* at = &part_; at != nullptr && at->kind != nopal_stop_shield;
         at = nopal_detail::around(*at)) {
      if (nopal_detail::is_asked_to_stop(*at)) {
        return true;
      }
      if (nopal_detail::loose_parent(*at) != nullptr) {
        return is_loose_parent_cancelled(*at);
      }
    }
    return false;
  }
  /// The same, as oneTBB's own code calls it.
  [[nodiscard]] bool is_group_execution_cancelled() noexcept {
    return static_cast<const task_group_context*>(this)->is_group_execution_cancelled();
  }

  /// Takes a cancellation back. Only while nothing runs in this context.
  void reset() noexcept { nopal_detail::withdraw_stop(part_); }

  /// Does nothing: strands have the floating-point settings of the root they come from.
  void capture_fp_settings() noexcept {}
  /// What the context was made with.
  [[nodiscard]] std::uintptr_t traits() const noexcept { return traits_; }

private:
  friend class nopal_detail::algorithm;

  /// To the innermost part around the caller. True if the caller has to unbind.
  bool bind(nopal_stop* around) noexcept {
    // Whoever binds it has it until it is unbound: so what it is bound to is never in it.
    if (!is_bound_ || is_in_use_.load(std::memory_order_relaxed) ||
        is_in_use_.exchange(true, std::memory_order_acquire)) {
      return false;
    }
    // Release pairs with the loads of those who look.
    __atomic_store_n(&part_.parent, around, __ATOMIC_RELEASE);
    return true;
  }
  // Called by whoever bound it, when nothing runs in it.
  void unbind() noexcept {
    // Somebody who holds the lock may look through this.
    if (loose_children_.load(std::memory_order_acquire) != nullptr) {
      const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
      __atomic_store_n(&part_.parent, nullptr, __ATOMIC_RELEASE);
    } else {
      __atomic_store_n(&part_.parent, nullptr, __ATOMIC_RELEASE);
    }
    // Release pairs with the acquire of who binds it next.
    is_in_use_.store(false, std::memory_order_release);
  }

  bool bind_loosely_to(task_group_context* parent) noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    if (parent == nullptr || parent == this || !bind(nullptr)) {
      return false;
    }
    __atomic_store_n(&part_.of, &parent->part_, __ATOMIC_RELEASE);
    join_siblings(parent);
    return true;
  }
  void unbind_loosely() noexcept {
    {
      const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
      leave_siblings();
      __atomic_store_n(&part_.of, nullptr, __ATOMIC_RELEASE);
    }
    is_in_use_.store(false, std::memory_order_release);
  }

  // These under the lock.
  void join_siblings(task_group_context* parent) noexcept {
    loose_parent_ = parent;
    next_sibling_ = parent->loose_children_.load(std::memory_order_relaxed);
    // Release pairs with the look in the parent's destructor.
    parent->loose_children_.store(this, std::memory_order_release);
  }
  void leave_siblings() noexcept {
    task_group_context* const parent = std::exchange(loose_parent_, nullptr);
    if (parent == nullptr) {
      return;
    }
    task_group_context* at = parent->loose_children_.load(std::memory_order_relaxed);
    if (at == this) {
      parent->loose_children_.store(next_sibling_, std::memory_order_release);
      return;
    }
    while (at->next_sibling_ != this) {
      at = at->next_sibling_;
    }
    at->next_sibling_ = next_sibling_;
  }

  /// Unbinds the contexts that may outlive this one.
  void let_children_go() noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    for (task_group_context* at = loose_children_.load(std::memory_order_relaxed); at != nullptr;
         at = at->next_sibling_) {
      at->loose_parent_ = nullptr;
      __atomic_store_n(&at->part_.of, nullptr, __ATOMIC_RELEASE);
    }
  }

  /// Contexts may end, but none of those that are looked at from `child` on while the lock is held:
  /// each waits for it, or outlives one that does.
  static bool is_loose_parent_cancelled(const nopal_stop& child) noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    for (const nopal_stop* at = nopal_detail::loose_parent(child);
         at != nullptr && at->kind != nopal_stop_shield;) {
      if (nopal_detail::is_asked_to_stop(*at)) {
        return true;
      }
      const nopal_stop* const loose = nopal_detail::loose_parent(*at);
      at = loose != nullptr ? loose : nopal_detail::around(*at);
    }
    return false;
  }

  /// `of` is the part of what it is bound to loosely, and `parent` of what it is bound to otherwise.
  nopal_stop part_{nullptr, nullptr, nopal_stop_skips, 0, nullptr};
  std::atomic<bool> is_in_use_{false};
  const bool is_bound_;
  const std::uintptr_t traits_;
  std::atomic<task_group_context*> loose_children_{nullptr};  // written under the lock
  task_group_context* loose_parent_ = nullptr;                // under the lock
  task_group_context* next_sibling_ = nullptr;                // among those; under the lock
};

namespace nopal_detail {

/// The use of a context by one algorithm, in the frame of the function that the user called.
class algorithm {
public:
  [[gnu::always_inline]] explicit algorithm(task_group_context& context) {
    if (begin(context)) {
      own_forks_.shield();
    }
  }
  /// In another arena than the caller's.
  [[gnu::always_inline]] algorithm(task_group_context& context, arena_state* arena) : algorithm(context) {
    now_.arena = arena;
  }

  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  ~algorithm() {
    if (unbinds_) {
      unbind(*now_.context);
    }
  }

  /// To where the caller is. True if it has to be unbound, before what is around the caller ends.
  static bool bind(task_group_context& context) noexcept { return context.bind(innermost_part()); }
  static void unbind(task_group_context& context) noexcept { context.unbind(); }
  /// For what may live longer than the outer context. True if it has to be unbound at its own end.
  static bool bind_loosely(task_group_context& context, task_group_context* outer) noexcept {
    return context.bind_loosely_to(outer);
  }
  static void unbind_loosely(task_group_context& context) noexcept { context.unbind_loosely(); }

  /// What is stopped when the context is cancelled.
  static nopal_stop* part_of(task_group_context& context) noexcept { return &context.part_; }

  [[nodiscard]] task_group_context& context() const noexcept { return *now_.context; }
  [[nodiscard]] bool is_cancelled() const noexcept { return now_.context->is_group_execution_cancelled(); }
  [[nodiscard]] bool serial() const noexcept { return is_serial(&now_); }
  [[nodiscard]] int concurrency() const { return concurrency_of(&now_); }
  [[nodiscard]] const execution& now() const noexcept { return now_; }

  /// Calls code of the user, unless cancelled. An exception cancels the rest. In an arena, the
  /// thread gets the index if it is free.
  template <class F>
  void call(F&& f, int wanted_index = -1) const {
    if (!is_cancelled()) {
      call_anyway(std::forward<F>(f), wanted_index);
    }
  }
  /// The same, cancelled or not: for what brings results together.
  template <class F>
  void call_anyway(F&& f, int wanted_index = -1) const {
    NOPAL_TBB_TRY {
      const body_call inside(&now_, wanted_index);
      f();
    }
    NOPAL_TBB_CATCH {
      end_if_asked();
      now_.context->cancel_group_execution();
      NOPAL_TBB_RETHROW;
    }
  }

private:
  /// True if the forks of the algorithm itself are to begin though what is around the caller may be stopped: the
  /// context is not bound to that.
  bool begin(task_group_context& context) noexcept {
    now_.context = &context;
    now_.part = part_of(context);
    if (const execution* const outer = current(); outer != nullptr) {
      now_.arena = outer->arena;
    }
    nopal_stop* const around = innermost_part();
    unbinds_ = context.bind(around);
    return around != nullptr && !unbinds_;
  }

  execution now_;
  bool unbinds_ = false;
  own_forks own_forks_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
