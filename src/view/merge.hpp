// Two sets of views become one, each reducer's views reduced in serial order.
#ifndef NOPAL_VIEW_MERGE_HPP
#define NOPAL_VIEW_MERGE_HPP

#include <nopal/version.hpp>

#include "view/registry.hpp"
#include "view/view_set.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

/// A merge that is under way on a stack.
struct merge_record {
  std::uint32_t reduced;  ///< the reducer whose views are being reduced; 0: none
  merge_record* outer;    ///< another one on the same stack, whose reduction came to this one
  const void* at;         ///< reductions lie below this address of the stack; for jumps
};

/// What a merge calls.
struct merge_context {
  registry& reducers;
  /// In a handler, for what a reduction throws; its right view is lost
  void (*failed)(void* context);
  void* context;
  /// Where to say which reducer's views are being reduced, if anybody asks
  std::uint32_t* reduced = nullptr;
};

/// The views of `left`, then those of `right`, either of which may be null for none. If
/// `left_is_base`, a reducer without a view in `left` has its own value there. Returns the set that
/// has them, or null; `emptied` gets the other one, or null.
///
/// As many reductions as both sets have reducers in common, or as `right` has if `left_is_base`;
/// beyond these, time in proportion to the smaller set's size (to that of `right` if
/// `left_is_base`).
view_set* merge(const merge_context& with, view_set* left, bool left_is_base, view_set* right,
                view_set*& emptied);

/// Ends a view that has left `from`.
void end_view(registry& reducers, const view_set* from, std::uint32_t id, void* view) noexcept;

/// Ends every view of `set`, which is empty afterwards.
void drop_all(registry& reducers, view_set* set) noexcept;

/// Ends the views of reducers that ended elsewhere, each time that `set` has doubled: their numbers
/// are free then. They leave the set before the first of them ends, which is the program's code and
/// may use the set, or give it away. Returns whether there were any.
bool drop_ended(registry& reducers, view_set& set) noexcept;

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
