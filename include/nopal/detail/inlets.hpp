// Inlets: who runs them, and in which order.
//
// A child that has returned takes its continuation back before its inlet runs. If nothing was stolen from
// the scope since its last join, no other child of it is under way, and none begins before the inlet
// returns: there is nothing to lock. Otherwise a mutex keeps the inlets apart, which strands may hold across
// forks.
#ifndef NOPAL_DETAIL_INLETS_HPP
#define NOPAL_DETAIL_INLETS_HPP

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/fork_arguments.hpp>
#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#include <nopal/detail/stopped.hpp>
#ifdef NOPAL_ELIDE
#include <nopal/detail/waiting_elided.hpp>
#else
#include <nopal/detail/waiting_parallel.hpp>
#endif

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
    static_cast<void>(NOPAL_ABI_NAMESPACE::detail::invoke(inlet, std::move(*value_)));
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
  constexpr bool takes = is_inlet_for<Inlet, returned_by<F, Args...>>();
  static_assert(takes,
                "nopal: fork_inlet: the inlet must be callable with what the child returns, or without "
                "arguments where that is void");
  return takes;
}

/// The inlet of a child, where inlets run in the order of the forks. Made at the fork.
struct ordered_inlet {
  explicit ordered_inlet(std::uint64_t of) noexcept : number(of) {}
  ordered_inlet(const ordered_inlet&) = delete;
  ordered_inlet& operator=(const ordered_inlet&) = delete;
  virtual ~ordered_inlet() = default;
  virtual void run() = 0;
  const std::uint64_t number;
  ordered_inlet* next = nullptr;
};
template <class Inlet, class R>
struct ordered_inlet_of final : ordered_inlet {
  using ordered_inlet::ordered_inlet;
  void run() override {
    if (inlet) {
      result.give_to(*inlet);
    }
  }
  std::optional<Inlet> inlet;  ///< none if the child has no result
  returned<R> result;
};

/// Those of one scope.
class inlets {
public:
  explicit inlets(inlet_order order) noexcept : in_order_(order == inlet_order::serial) {}
  inlets(const inlets&) = delete;
  inlets& operator=(const inlets&) = delete;
  ~inlets() = default;

  /// By the strand that forks; null where the order is that of the children's ends.
  template <class Inlet, class R>
  [[nodiscard]] ordered_inlet_of<Inlet, R>* next() {
    return in_order_ ? new ordered_inlet_of<Inlet, R>(forked_++) : nullptr;
  }

  /// `alone`: no other child of the scope is under way.
  template <class Inlet, class R>
  void run(Inlet& inlet, returned<R>& result, ordered_inlet_of<Inlet, R>* ordered, bool alone) {
    if (ordered != nullptr) {
      ordered->inlet.emplace(std::move(inlet));
      ordered->result = std::move(result);
      return end(ordered);
    }
    if (alone) {
      return result.give_to(inlet);
    }
    const std::lock_guard guard(lock_);
    result.give_to(inlet);
  }

  /// The child is over, with a result or without one: runs the inlets whose turn has come.
  void end(ordered_inlet* one) {
    if (one == nullptr) {
      return;
    }
    const std::lock_guard guard(lock_);
    ordered_inlet** place = &waiting_;
    while (*place != nullptr && (*place)->number < one->number) {
      place = &(*place)->next;
    }
    one->next = *place;
    *place = one;
    while (waiting_ != nullptr && waiting_->number == turn_) {
      const std::unique_ptr<ordered_inlet> next(waiting_);
      waiting_ = next->next;
      ++turn_;
      next->run();
    }
  }

private:
  NOPAL_MODE_NAMESPACE::mutex lock_;
  const bool in_order_;
  std::uint64_t forked_ = 0;
  std::uint64_t turn_ = 0;            ///< whose inlet is next
  ordered_inlet* waiting_ = nullptr;  ///< for their turn
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
