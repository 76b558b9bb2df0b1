// Merges as strands do them, with the updates that reductions make to reducers in turn.
//
// During a merge its strand has no set but for the views that reductions make, and does not count
// as its thread's first strand: what reductions update comes after what they reduce. Invariant: the
// strand has no set before and after.
#ifndef NOPAL_VIEW_STRAND_MERGE_HPP
#define NOPAL_VIEW_STRAND_MERGE_HPP

#include <cstdint>

#include <nopal/version.hpp>

#include "view/merge.hpp"
#include "view/store.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// `left` and then `right`, and then what the reductions, and the ends of views, did to reducers;
/// see `merge`.
view_set* merge_with_updates(const merge_context& with, view_set* left, bool left_is_base, view_set* right);

/// Whether the calling strand is in a reduction of reducer `id`, in a call that stays on its thread
/// as well.
bool is_being_reduced(std::uint32_t id) noexcept;

/// Whether the calling strand is in a call that stays on its thread, and a reduction of `id` can go
/// on there alone, after the call.
bool keeps_from_reducing(std::uint32_t id) noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
