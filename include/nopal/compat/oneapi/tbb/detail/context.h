// Cancellation of algorithms and groups of tasks.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H
#define NOPAL_COMPAT_TBB_DETAIL_CONTEXT_H

#include <cstdint>
#include <type_traits>
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
class algorithm;
}  // namespace nopal_detail

/// What can be cancelled: the algorithms and groups that are started with it, and those started by
/// their tasks, and what these fork by Nopal's own interface.
///
/// Cancelling is a request: what runs goes on, what has not begun does not begin. Any thread may
/// cancel and ask at any time. Making and resetting take constant time, cancelling a time in proportion to the
/// number of workers, asking the depth of nesting while anything is stopped.
///
/// What is started with it is bound to what is around the call that starts it, by a record of its own, and tells
/// the context once it finds that this is stopped. So a context says of a loop that was cut short that it was
/// cancelled, until it is reset.
class task_group_context {
public:
  /// Whether the cancellation of what starts an algorithm cancels it too.
  enum kind_type { isolated, bound };
  /// Accepted, and without a meaning here.
  enum traits_type { fp_settings = 0x0001, concurrent_wait = 0x0004, default_traits = 0 };

  /// Makes a context that is not cancelled. What is started with a `bound` one is bound to what is around
  /// it.
  task_group_context(kind_type kind = bound, std::uintptr_t traits = default_traits) noexcept
      : is_bound_(kind == bound), traits_(traits) {}
  /// A bound one with the name of what it is for, which has no meaning here.
  template <class Name>
    requires(std::is_enum_v<Name> && !std::is_same_v<Name, kind_type>)
  explicit task_group_context(Name /*name*/) noexcept : task_group_context() {}
  task_group_context(const task_group_context&) = delete;
  task_group_context& operator=(const task_group_context&) = delete;
  ~task_group_context() { reset(); }

  /// Asks to cancel. False if it is cancelled already.
  bool cancel_group_execution() noexcept { return nopal_detail::stop(part_); }

  /// Whether it was cancelled; or what is around the use of it that the caller is in, which cancels it.
  [[nodiscard]] bool is_group_execution_cancelled() const noexcept {
    if (nopal_is_asked_to_stop(&part_) != 0) {
      return true;
    }
    if (!nopal_detail::any_stopped()) [[likely]] {
      return false;
    }
    const nopal_stop* use = nopal_detail::innermost_part();
    while (use != nullptr && (nopal_kind_of(use) != nopal_stop_use || use->of != &part_)) {
      use = use->parent;
    }
    return cancelled_if(nopal_detail::is_stopped(use));
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

  /// Whether a use of it is to stop; if so it is cancelled.
  [[nodiscard]] bool is_use_stopped(const nopal_stop& use) const noexcept {
    // Asked for itself first: that is nothing new to the context.
    return nopal_detail::any_stopped() &&
           (nopal_is_asked_to_stop(&part_) != 0 || cancelled_if(nopal_detail::is_stopped(&use)));
  }
  bool cancelled_if(bool stopped) const noexcept {
    if (stopped) {
      static_cast<void>(const_cast<task_group_context*>(this)->cancel_group_execution());
    }
    return stopped;
  }

  nopal_stop part_{nullptr, nullptr, nopal_stop_skips, 0, nullptr, nullptr, 0};
  const bool is_bound_;
  const std::uintptr_t traits_;
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

  /// The code of a thread that has come to an arena, or was in it already.
  struct entry_of {
    explicit entry_of(arena_state* in) noexcept : arena(in) {}
    arena_state* arena;
  };
  [[gnu::always_inline]] algorithm(task_group_context& context, entry_of to) : algorithm(context, to.arena) {
    const execution* const outer = current();
    now_.is_entry = outer == nullptr || outer->arena != to.arena || outer->is_entry;
  }

  algorithm(const algorithm&) = delete;
  algorithm& operator=(const algorithm&) = delete;
  ~algorithm() {
    static_cast<void>(is_cancelled());  // the context is to say so
    end_use(use_);
  }

  /// The record of a use of the context, inside of `around`.
  static nopal_stop use_of(task_group_context& context, nopal_stop* around) noexcept {
    return {context.is_bound_ ? around : nullptr, &context.part_, nopal_stop_use, 0, nullptr, nullptr, 0};
  }
#ifndef NOPAL_ELIDE
  /// The context is cancelled with a part that may end before it.
  static void follow(follower& by, nopal_stop* part, task_group_context& context, nopal_stop& use) noexcept {
    if (part != nullptr && context.is_bound_) {
      by.follow(part, context.part_, use);
    }
  }
#endif
  /// Whether the use is to stop: its context, or what is around it.
  static bool is_stopped(const task_group_context& context, const nopal_stop& use) noexcept {
    return context.is_use_stopped(use);
  }

  [[nodiscard]] task_group_context& context() const noexcept { return *now_.context; }
  [[nodiscard]] bool is_cancelled() const noexcept { return now_.context->is_use_stopped(use_); }
  [[nodiscard]] bool serial() const noexcept { return is_serial(&now_); }
  [[nodiscard]] int concurrency() const { return concurrency_of(&now_); }
  [[nodiscard]] const execution& now() const noexcept { return now_; }
  /// Whether it is in no other algorithm, whose parts would be there to be taken as well.
  [[nodiscard]] bool is_outermost() const noexcept { return is_outermost_; }

  /// Calls code of the user, unless cancelled. An exception cancels the rest. In an arena, the
  /// thread gets the index if it is free.
  template <class F>
  void call(F&& f, int wanted_index = -1) const {
    if (!is_cancelled()) {
      call_in(now_.part, std::forward<F>(f), wanted_index);
    }
  }
  /// The same, cancelled or not, and nothing stops what it forks: for what brings results together.
  template <class F>
  void call_anyway(F&& f) const {
    call_in(nullptr, std::forward<F>(f), -1);
  }

private:
  template <class F>
  void call_in(nopal_stop* part, F&& f, int wanted_index) const {
    NOPAL_TBB_TRY {
      const body_call inside(&now_, part, wanted_index);
      f();
    }
    NOPAL_TBB_CATCH {
      end_if_asked();
      now_.context->cancel_group_execution();
      NOPAL_TBB_RETHROW;
    }
  }

  /// True if the forks of the algorithm itself are to begin though what is around the caller may be stopped: the
  /// context is isolated from that.
  bool begin(task_group_context& context) noexcept {
    now_.context = &context;
    now_.part = &use_;
    if (const execution* const outer = current(); outer != nullptr) {
      now_.arena = outer->arena;
      is_outermost_ = outer->context == nullptr;  // in a call in an arena
    } else {
      keep_begun();
    }
    nopal_stop* const around = innermost_part();
    use_ = use_of(context, around);
    return around != use_.parent;
  }

  execution now_;
  bool is_outermost_ = true;
  nopal_stop use_;
  own_forks own_forks_;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
