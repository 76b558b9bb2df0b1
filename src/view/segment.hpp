// The segments of a strand, each of which begins with a steal and has views of its own. A segment
// is known by that steal's ticket, 0 for the one at home.
#ifndef NOPAL_VIEW_SEGMENT_HPP
#define NOPAL_VIEW_SEGMENT_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// In place of a segment before the first.
inline constexpr std::uint64_t no_segment = ~std::uint64_t{0};
/// In place of one that may never be deposited: at the steal that ended it no reducer had been seen
/// yet.
inline constexpr std::uint64_t unknown_segment = no_segment - 1;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
