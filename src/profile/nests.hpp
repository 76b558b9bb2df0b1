// Where a strand is, by the sites of the forks around it: what the critical path is told by.
//
// A nest is a site within a nest. In a recursion it is the same again: within its own site, and whatever lies between,
// a fork leads back to the nest that is around. A number of a site is that of the nest of this site alone, which also
// stands for the site's nests that are not told apart.
#ifndef NOPAL_PROFILE_NESTS_HPP
#define NOPAL_PROFILE_NESTS_HPP

#include <cstdint>

#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// So many sites at most lie in one another.
inline constexpr int deepest_nest = 64;

/// The nest of a fork of `site` in `outer`; the site alone if there are too many, or too deep ones.
nest_number nest_in(nest_number outer, site_number site) noexcept;

site_number site_of(nest_number nest) noexcept;
/// What it lies in; `outside_nest` of a site alone.
nest_number around(nest_number nest) noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
