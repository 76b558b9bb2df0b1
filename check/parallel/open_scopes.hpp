// Scopes of a strand that have children which are not joined, each by its first child, and which views go on when they are
// joined. They need not be nested. Of strands.cpp alone.
#ifndef NOPAL_CHECK_PARALLEL_OPEN_SCOPES_HPP
#define NOPAL_CHECK_PARALLEL_OPEN_SCOPES_HPP

#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// A scope forks, and no other one has forked since it did. If it is joined while that is so, views since now are over.
inline void open_scope(strand_node& node, strand_node& first, const view_segment* views) noexcept {
  first.views_before = views;
  first.opened_before = node.newest_open;
  node.newest_open = &first;
}

/// A scope is joined, or forks after another one. Whether no other scope has forked since: else children of that one have the
/// latest views, and new ones come after them. The views from before are then that one's, when it is joined.
inline bool close_scope(strand_node& node, const strand_node& first) noexcept {
  if (node.newest_open == &first) {
    node.newest_open = first.opened_before;
    return true;
  }
  for (strand_node* each = node.newest_open; each != nullptr; each = each->opened_before) {
    if (each->opened_before != &first) continue;
    each->views_before = first.views_before;
    each->opened_before = first.opened_before;
    break;
  }
  return false;
}

}  // namespace nopal_check

#endif
