// Inlets: who runs them, and in which order.
//
// A child that has returned takes its continuation back before its inlet runs. If nothing was stolen from
// the scope since its last join, no other child of it is under way, and none begins before the inlet
// returns. Otherwise whoever finds an inlet running leaves its own to be run after that.
#ifndef NOPAL_DETAIL_INLETS_HPP
#define NOPAL_DETAIL_INLETS_HPP

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/check.h>
#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/stopped.hpp>
#include <nopal/detail/thrown.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// What a child returned, until its inlet gets it.
template <class R>
class returned {
public:
  template <class Call>
  void make(Call call) {
    value_.emplace(call());
  }
  template <class Inlet>
  void give_to(Inlet& inlet) {
    if (value_) static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(inlet, std::move(*value_)));
  }

private:
  std::optional<R> value_;
};
template <class R>
class returned<R&> {
public:
  template <class Call>
  void make(Call call) {
    R& value = call();
    value_ = __builtin_addressof(value);
  }
  template <class Inlet>
  void give_to(Inlet& inlet) {
    static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(inlet, *value_));
  }

private:
  R* value_ = nullptr;
};
template <>
class returned<void> {
public:
  template <class Call>
  void make(Call call) {
    call();
  }
  template <class Inlet>
  void give_to(Inlet& inlet) {
    static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(inlet));
  }
};
template <class R>
class returned<R&&> : public returned<std::remove_cv_t<R>> {};

template <class F, class... Args>
using returned_by = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;

template <class Inlet, class R>
constexpr bool is_inlet_for() {
  if constexpr (std::is_void_v<R>) {
    return std::is_invocable_v<std::decay_t<Inlet>&>;
  } else {
    return std::is_invocable_v<std::decay_t<Inlet>&,
                               std::conditional_t<std::is_lvalue_reference_v<R>, R, R&&>>;
  }
}

/// Whether the inlet can be called with the child's result; says so where it cannot. The child can be
/// forked.
template <class Inlet, class F, class... Args>
constexpr bool takes_result() {
  using result = returned_by<F, Args...>;
  constexpr bool moves =
      std::is_void_v<result> || std::is_reference_v<result> || std::is_move_constructible_v<result>;
  static_assert(moves, "nopal: fork_inlet: what the child returns must be a type that can be moved");
  constexpr bool takes = is_inlet_for<Inlet, result>();
  static_assert(takes,
                "nopal: fork_inlet: the inlet must be callable with what the child returns, or without "
                "arguments where that is void");
  return takes && moves;
}

/// The inlet of a child, and what that returned, until they are to meet.
struct waiting_inlet {
  explicit waiting_inlet(std::uint64_t of) noexcept : number(of) {}
  waiting_inlet(const waiting_inlet&) = delete;
  waiting_inlet& operator=(const waiting_inlet&) = delete;
  virtual ~waiting_inlet() = default;
  virtual void run() = 0;
  std::uint64_t number;              ///< the less is run first
  waiting_inlet* behind = nullptr;   ///< those that are behind it, the first of a list
  waiting_inlet* sibling = nullptr;  ///< in that list
};

/// Those that wait, the one of the least number first: a pairing heap (M. Fredman and others, "The pairing heap: a new
/// form of self-adjusting heap", Algorithmica 1986). To put one in takes constant time, to take the first
/// out O(log n) amortized; neither takes memory.
class waiting_inlets {
public:
  waiting_inlets() = default;
  waiting_inlets(const waiting_inlets&) = delete;
  waiting_inlets& operator=(const waiting_inlets&) = delete;
  ~waiting_inlets() {
    while (const std::unique_ptr<waiting_inlet> one{take()}) {
    }
  }
  [[nodiscard]] const waiting_inlet* first() const noexcept { return first_; }
  void put(waiting_inlet* one) noexcept { first_ = first_ != nullptr ? meld(first_, one) : one; }
  /// The first; null: there is none.
  waiting_inlet* take() noexcept {
    waiting_inlet* const taken = first_;
    if (taken == nullptr) {
      return nullptr;
    }
    // In pairs, then these from the last to the first.
    waiting_inlet* pairs = nullptr;
    for (waiting_inlet* left = std::exchange(taken->behind, nullptr); left != nullptr;) {
      waiting_inlet* const one = std::exchange(left, std::exchange(left->sibling, nullptr));
      waiting_inlet* const other = left;
      if (other != nullptr) {
        left = std::exchange(other->sibling, nullptr);
      }
      waiting_inlet* const both = other != nullptr ? meld(one, other) : one;
      both->sibling = pairs;
      pairs = both;
    }
    first_ = nullptr;
    while (pairs != nullptr) {
      put(std::exchange(pairs, std::exchange(pairs->sibling, nullptr)));
    }
    return taken;
  }

private:
  static waiting_inlet* meld(waiting_inlet* a, waiting_inlet* b) noexcept {
    if (b->number < a->number) {
      std::swap(a, b);
    }
    b->sibling = std::exchange(a->behind, b);
    return a;
  }

  waiting_inlet* first_ = nullptr;
};

template <class Inlet, class R>
struct waiting_inlet_of final : waiting_inlet {
  using waiting_inlet::waiting_inlet;
  waiting_inlet_of(Inlet&& with, returned<R>&& what)
      : waiting_inlet(0), inlet(std::move(with)), result(std::move(what)) {}
  void run() override {
    if (inlet) {
      result.give_to(*inlet);
    }
  }
  std::optional<Inlet> inlet;  ///< none if the child has no result
  returned<R> result;
};

/// Those of one scope. Whoever comes while an inlet runs leaves its own behind, and who runs that one runs
/// it next: nobody waits, so inlets may fork, join and wait.
class inlets {
public:
  explicit inlets(inlet_order order) noexcept : in_order_(order == inlet_order::serial) {
#ifdef NOPAL_CHECKED
    nopal_check_forget_event(this);
#endif
  }
  inlets(const inlets&) = delete;
  inlets& operator=(const inlets&) = delete;
  ~inlets() = default;

  /// By the strand that forks; null where the order is that of the children's ends.
  template <class Inlet, class R>
  [[nodiscard]] waiting_inlet_of<Inlet, R>* next() {
    return in_order_ ? new waiting_inlet_of<Inlet, R>(forked_++) : nullptr;
  }

  /// With no other child of the scope under way.
  template <class Inlet, class R>
  static void run_alone(Inlet& inlet, returned<R>& result) {
    result.give_to(inlet);
  }
  void run_alone(waiting_inlet* one) {
    const std::unique_ptr<waiting_inlet> owned(one);
    turn_ = one->number + 1;
    one->run();
  }

  /// In the order of the children's ends.
  template <class Inlet, class R>
  void run(Inlet& inlet, returned<R>& result) {
    if (!begin()) {
      std::unique_ptr<waiting_inlet> later =
          std::make_unique<waiting_inlet_of<Inlet, R>>(std::move(inlet), std::move(result));
      {
        const std::lock_guard guard(lock_);
        later->number = arrived_++;
        waiting_.put(later.release());
        if (std::exchange(runs_, true)) {
          return;
        }
      }
      // Meanwhile the last one ended.
      return run_waiting_after([] {});
    }
    run_waiting_after([&] { result.give_to(inlet); });
  }

  /// In the order of the forks, with a result or without one.
  void end(waiting_inlet* one) {
    if (one == nullptr) {
      return;
    }
    {
      const std::lock_guard guard(lock_);
      waiting_.put(one);
      if (std::exchange(runs_, true)) {
        return;
      }
    }
    run_waiting_after([] {});
  }

private:
  bool begin() noexcept {
    const std::lock_guard guard(lock_);
    return !std::exchange(runs_, true);
  }

  /// Calls `first()`, and then what waits. Throws the first exception of all, once none waits any more.
  template <class First>
  void run_waiting_after(First first) {
    kept_exception thrown;
    call(thrown, first);
    while (const std::unique_ptr<waiting_inlet> one{take()}) {
      call(thrown, [&one] { one->run(); });
    }
    thrown.rethrow();
  }
  template <class F>
  static void call(kept_exception& thrown, F f) {
#ifdef __cpp_exceptions
    try {
      f();
    } catch (...) {
      if (handles_end_of_thread()) throw_on();
      if (!thrown.is_set()) {
        thrown.keep();
      } else {
        keep_handled();
      }
    }
#else
    static_cast<void>(thrown);
    f();
#endif
  }

  /// The next one to run; null: none can, and nobody runs one from here on.
  waiting_inlet* take() noexcept {
    const std::lock_guard guard(lock_);
    const waiting_inlet* const first = waiting_.first();
    if (first == nullptr || (in_order_ && first->number != turn_)) {
      runs_ = false;
      return nullptr;
    }
    ++turn_;
    return waiting_.take();
  }

  std::mutex lock_;  ///< of what follows; never held while an inlet runs
  bool runs_ = false;
  const bool in_order_;
  std::uint64_t forked_ = 0;
  std::uint64_t arrived_ = 0;  ///< those that had to wait, where the order is that of the ends
  std::uint64_t turn_ = 0;     ///< whose inlet is next
  waiting_inlets waiting_;
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
