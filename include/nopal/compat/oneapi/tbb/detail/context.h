// Cancellation of algorithms and groups of tasks.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H
#define NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H

#include <atomic>
#include <cstdint>

#include "../version.h"
#include "current.h"
#include "exception.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {
/// How many contexts are cancelled now, so that those who ask look no further while there is none.
inline constinit std::atomic<int> cancelled_contexts{0};

class algorithm;
}  // namespace nopal_detail

/// What can be cancelled: the algorithms and groups that are started with it, and those started by their tasks.
///
/// Cancelling is a request: what runs goes on, what has not begun does not begin. Any thread may cancel and ask at any
/// time. Making, cancelling and resetting take constant time, asking the depth of nesting while anything is cancelled.
class task_group_context {
public:
  /// Whether the cancellation of what starts an algorithm cancels it too.
  enum kind_type { isolated, bound };
  /// Accepted, and without a meaning here.
  enum traits_type { fp_settings = 0x0001, concurrent_wait = 0x0004, default_traits = 0 };

  /// Makes a context that is not cancelled. Where it is bound, to what: the algorithm it is first used in, until the end
  /// of that use.
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits) noexcept
      : is_bound_(kind == bound), traits_(traits) {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() { reset(); }

  /// Asks to cancel. False if it is cancelled already.
  bool cancel_group_execution() noexcept {
    if (cancelled_.exchange(true, std::memory_order_acq_rel)) {
      return false;
    }
    nopal_detail::cancelled_contexts.fetch_add(1, std::memory_order_release);
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
  // By who bound it, when nothing runs in it.
  void unbind() noexcept { parent_.store(nullptr, std::memory_order_release); }

  std::atomic<task_group_context*> parent_{nullptr};
  std::atomic<bool> cancelled_{false};
  const bool is_bound_;
  const std::uintptr_t traits_;
};

namespace nopal_detail {

/// The use of a context by one algorithm, in the frame of the function that the user called.
class algorithm {
public:
  explicit algorithm(task_group_context& context) noexcept : outer_(exchange_current(nullptr)) {
    now_.context = &context;
    if (outer_ != nullptr) {
      now_.arena_limit = outer_->arena_limit;
      now_.arena = outer_->arena;
      unbinds_ = context.bind_to(outer_->context);
    }
  }
  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  ~algorithm() {
    if (unbinds_) {
      now_.context->unbind();
    }
    set_current(outer_);
  }

  /// Binds for as long as a group lives. True if it has to be unbound.
  static bool bind(task_group_context& context, task_group_context* outer) noexcept {
    return context.bind_to(outer);
  }
  static void unbind(task_group_context& context) noexcept { context.unbind(); }

  [[nodiscard]] task_group_context& context() const noexcept { return *now_.context; }
  [[nodiscard]] bool is_cancelled() const noexcept { return now_.context->is_group_execution_cancelled(); }
  [[nodiscard]] bool serial() const noexcept { return is_serial(&now_); }
  [[nodiscard]] int concurrency() const { return concurrency_of(&now_); }
  [[nodiscard]] const execution* outer() const noexcept { return outer_; }
  [[nodiscard]] execution& now() noexcept { return now_; }

  /// Calls code of the user, unless cancelled. An exception cancels the rest.
  template <class F>
  void call(F&& f) const {
    if (is_cancelled()) {
      return;
    }
    set_current(&now_);
    NOPAL_TBB_TRY {
      f();
      set_current(nullptr);
    }
    NOPAL_TBB_CATCH {
      end_if_asked();
      set_current(nullptr);
      now_.context->cancel_group_execution();
      NOPAL_TBB_RETHROW;
    }
  }

private:
  const execution* outer_;
  execution now_;
  bool unbinds_ = false;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
