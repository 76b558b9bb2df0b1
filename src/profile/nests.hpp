// Where a strand is, by the sites of the forks around it: what the critical path is told by.
//
// A nest is a site within a nest. In a recursion it is the same again: within its own site, and whatever lies between,
// a fork leads back to the nest that is around.
#ifndef NOPAL_PROFILE_NESTS_HPP
#define NOPAL_PROFILE_NESTS_HPP

#include <cstdint>

#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// The nest of a fork of `site` in `outer`; `other_nests` if there are too many.
nest_number nest_in(nest_number outer, site_number site) noexcept;

site_number site_of(nest_number nest) noexcept;
/// What it lies in, a lesser number; of `outside_nest` and `other_nests` the first of these.
nest_number around(nest_number nest) noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
