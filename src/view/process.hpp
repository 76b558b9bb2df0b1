// What all strands of the process share: the reducers, the deposits that joins wait for, and the
// sets that nobody owns.
#ifndef NOPAL_VIEW_PROCESS_HPP
#define NOPAL_VIEW_PROCESS_HPP

#include <nopal/version.hpp>

#include "view/deposits.hpp"
#include "view/registry.hpp"
#include "view/store.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

extern constinit registry all_reducers;
extern constinit deposit_table all_deposits;
extern constinit store unowned;

/// The calling strand's set; one is made for it if it has none. Null without memory. `base`: it has
/// base views.
view_set* own_set(bool base) noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
