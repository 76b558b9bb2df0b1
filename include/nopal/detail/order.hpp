// Orders: the first and the last number by those of the standard library, and the opposite of any
// order.
#ifndef NOPAL_DETAIL_ORDER_HPP
#define NOPAL_DETAIL_ORDER_HPP

#include <iterator>  // and std::ranges::less
#include <limits>
#include <string>  // and std::less, without <functional>, which takes long to compile
#include <type_traits>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace monoid_detail {

/// Whether the standard library has `Less`, so that it is known which numbers are the first and the
/// last by it.
template <class Less, class T>
inline constexpr bool goes_up = std::is_same_v<Less, std::less<T>> || std::is_same_v<Less, std::less<>> ||
                                std::is_same_v<Less, std::ranges::less>;
template <class Less, class T>
inline constexpr bool goes_down =
    std::is_same_v<Less, std::greater<T>> || std::is_same_v<Less, std::greater<>> ||
    std::is_same_v<Less, std::ranges::greater>;

template <class T>
T greatest_number() {
  return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                              : std::numeric_limits<T>::max();
}
template <class T>
T least_number() {
  return std::numeric_limits<T>::has_infinity ? static_cast<T>(-std::numeric_limits<T>::infinity())
                                              : std::numeric_limits<T>::lowest();
}

template <class Less>
struct greater {
  template <class T>
  bool operator()(const T& left, const T& right) const {
    return Less()(right, left);
  }
};

}  // namespace monoid_detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
