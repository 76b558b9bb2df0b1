// Calls of fork and fork_into that no scope has: each is one error, which names what they take.
#ifndef NOPAL_DETAIL_WRONG_FORKS_HPP
#define NOPAL_DETAIL_WRONG_FORKS_HPP

#include <type_traits>

#include <nopal/detail/refused.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// A base of every scope, which declares them beside its own.
struct wrong_forks {
  /// Without arguments.
  template <class Nothing = void>
  void fork() {
    static_assert(refusals::accepted<Nothing>,
                  "nopal: fork takes a callable and its arguments: s.fork(f, arguments...)");
  }
  /// Without arguments.
  template <class Nothing = void>
  void fork_into() {
    static_assert(refusals::accepted<Nothing>,
                  "nopal: fork_into takes what the result is assigned to, a callable and its arguments: "
                  "s.fork_into(out, f, arguments...)");
  }
  /// Without a callable.
  template <class Out>
  void fork_into(Out&& /*out*/) {
    wrong_forks::fork_into<Out>();
  }
  /// With the address of a variable, or a value.
  template <class Out, class F, class... Args>
    requires(!std::is_lvalue_reference_v<Out>)
  void fork_into(Out&& /*out*/, F&& /*f*/, Args&&... /*args*/) {
    static_assert(!std::is_pointer_v<Out>,
                  "nopal: fork_into: the first argument is the variable for the result, not its address");
    static_assert(
        std::is_pointer_v<Out>,
        "nopal: fork_into: the first argument must be a variable, which has the result after the join");
  }
  /// Of a scope that has no inlets.
  template <class... Arguments>
  void fork_inlet(Arguments&&... /*arguments*/) {
    static_assert(
        refusals::accepted<Arguments...>,
        "nopal: fork_inlet is a member of cancel_scope: nopal::cancel_scope s; s.fork_inlet(inlet, f, "
        "arguments...)");
  }
};

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
