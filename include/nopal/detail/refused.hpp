// For calls that overload resolution would refuse with a list of candidates: they are overloads of
// their own, and what instantiates one gets one sentence that says what is accepted.
#ifndef NOPAL_DETAIL_REFUSED_HPP
#define NOPAL_DETAIL_REFUSED_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace refusals {

/// False, and not before a template is instantiated.
template <class... Arguments>
inline constexpr bool accepted = false;

/// What such a call returns, so that what is done with a result is no second error.
struct no_value {
  /// As the value that was meant
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator T() const noexcept;
};

}  // namespace refusals
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
