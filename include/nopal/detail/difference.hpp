// Differences of what should have grown, and may not have.
#ifndef NOPAL_DETAIL_DIFFERENCE_HPP
#define NOPAL_DETAIL_DIFFERENCE_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

/// What `more` has beyond `less`; 0 where that is the larger one.
constexpr std::uint64_t difference(std::uint64_t more, std::uint64_t less) noexcept {
  return more > less ? more - less : 0;
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
