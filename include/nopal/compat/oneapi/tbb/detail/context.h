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

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
/// How many contexts are cancelled now, so that those who ask look no further while there is none.
inline constinit std::atomic<int> cancelled_contexts{0};

/// Guards contexts that may outlive what they are bound to: held while one is bound or unbound, and
/// while somebody looks through it.
inline constinit tiny_lock loose_contexts_lock{};

class algorithm;
}  // namespace nopal_detail

/// What can be cancelled: the algorithms and groups that are started with it, and those started by
/// their tasks.
///
/// Cancelling is a request: what runs goes on, what has not begun does not begin. Any thread may
/// cancel and ask at any time. Making, cancelling and resetting take constant time, asking the
/// depth of nesting while anything is cancelled.
class task_group_context {
public:
  /// Whether the cancellation of what starts an algorithm cancels it too.
  enum kind_type { isolated, bound };
  /// Accepted, and without a meaning here.
  enum traits_type { fp_settings = 0x0001, concurrent_wait = 0x0004, default_traits = 0 };

  /// Makes a context that is not cancelled. A `bound` one is bound to the algorithm it is first
  /// used in, until the end of that use.
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits) noexcept
      : is_bound_(kind == bound), traits_(traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() {
    reset();
    // Acquire pairs with the release in bind_loosely_to().
    if (loose_children_.load(std::memory_order_acquire) != nullptr) {
      let_children_go();
    }
  }

  /// Asks to cancel. False if it is cancelled already.
  bool cancel_group_execution() noexcept {
    // Counted first: who finds it cancelled finds the count.
    nopal_detail::cancelled_contexts.fetch_add(1, std::memory_order_relaxed);
    if (cancelled_.exchange(true, std::memory_order_acq_rel)) {
      nopal_detail::cancelled_contexts.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    return true;
  }

  /// Whether this or what it is bound to was cancelled.
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    if (nopal_detail::cancelled_contexts.load(std::memory_order_acquire) == 0) [[likely]] {
      return false;
    }
    // Pairs with bind_to(): the parent is whole. The flags pair with cancel_group_execution().
    for (const task_group_context* at = this; at != nullptr;
         at = at->parent_.load(std::memory_order_acquire)) {
      if (at->cancelled_.load(std::memory_order_acquire)) {
        return true;
      }
      if (at->is_loose_.load(std::memory_order_relaxed)) {
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
  void reset() noexcept {
    if (cancelled_.load(std::memory_order_relaxed) && cancelled_.exchange(false, std::memory_order_acq_rel)) {
      nopal_detail::cancelled_contexts.fetch_sub(1, std::memory_order_release);
    }
  }

  /// Does nothing: strands have the floating-point settings of the root they come from.
  void capture_fp_settings() noexcept {}
  /// What the context was made with.
  [[nodiscard]] std::uintptr_t traits() const noexcept { return traits_; }

private:
  friend class nopal_detail::algorithm;

  /// True if the caller has to unbind.
  bool bind_to(task_group_context* parent) noexcept {
    if (!is_bound_ || parent == nullptr || parent == this ||
        parent_.load(std::memory_order_relaxed) != nullptr) {
      return false;
    }
    // Release pairs with the loads of is_group_execution_cancelled().
    task_group_context* nobody = nullptr;
    return parent_.compare_exchange_strong(nobody, parent, std::memory_order_acq_rel);
  }
  // Called by whoever bound it, when nothing runs in it.
  void unbind() noexcept {
    // Somebody who holds the lock may look through this.
    if (loose_children_.load(std::memory_order_acquire) != nullptr) {
      const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
      parent_.store(nullptr, std::memory_order_release);
    } else {
      parent_.store(nullptr, std::memory_order_release);
    }
  }

  bool bind_loosely_to(task_group_context* parent) noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    if (!bind_to(parent)) {
      return false;
    }
    is_loose_.store(true, std::memory_order_relaxed);
    join_siblings(parent);
    return true;
  }
  void unbind_loosely() noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    leave_siblings();
    parent_.store(nullptr, std::memory_order_release);
  }

  // These under the lock.
  void join_siblings(task_group_context* parent) noexcept {
    next_sibling_ = parent->loose_children_.load(std::memory_order_relaxed);
    // Release pairs with the look in the parent's destructor.
    parent->loose_children_.store(this, std::memory_order_release);
  }
  void leave_siblings() noexcept {
    task_group_context* const parent = parent_.load(std::memory_order_relaxed);
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
      at->parent_.store(nullptr, std::memory_order_release);
    }
  }

  /// Contexts may end, but none of those that are looked at from `child` on while the lock is held:
  /// each waits for it, or outlives one that does.
  static bool is_loose_parent_cancelled(const task_group_context& child) noexcept {
    const nopal_detail::lock_guard guard(nopal_detail::loose_contexts_lock);
    for (const task_group_context* at = child.parent_.load(std::memory_order_acquire); at != nullptr;
         at = at->parent_.load(std::memory_order_acquire)) {
      if (at->cancelled_.load(std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  std::atomic<task_group_context*> parent_{nullptr};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> is_loose_{false};  // it may live longer than its parent; stays set
  const bool is_bound_;
  const std::uintptr_t traits_;
  std::atomic<task_group_context*> loose_children_{nullptr};  // written under the lock
  task_group_context* next_sibling_ = nullptr;                // among those; under the lock
};

namespace nopal_detail {

/// The use of a context by one algorithm, in the frame of the function that the user called.
class algorithm {
public:
  explicit algorithm(task_group_context& context) noexcept { begin(context); }
  /// In another arena than the caller's.
  algorithm(task_group_context& context, arena_state* arena) noexcept {
    begin(context);
    now_.arena = arena;
  }

  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  ~algorithm() {
    if (unbinds_) {
      unbind(*now_.context);
    }
  }

  /// True if it has to be unbound, before the outer context ends.
  static bool bind(task_group_context& context, task_group_context* outer) noexcept {
    return context.bind_to(outer);
  }
  static void unbind(task_group_context& context) noexcept { context.unbind(); }
  /// For what may live longer than the outer context. True if it has to be unbound at its own end.
  static bool bind_loosely(task_group_context& context, task_group_context* outer) noexcept {
    return context.bind_loosely_to(outer);
  }
  static void unbind_loosely(task_group_context& context) noexcept { context.unbind_loosely(); }

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
  void begin(task_group_context& context) noexcept {
    now_.context = &context;
    if (const execution* const outer = current(); outer != nullptr) {
      now_.arena = outer->arena;
      unbinds_ = bind(context, outer->context);
    }
  }

  execution now_;
  bool unbinds_ = false;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
