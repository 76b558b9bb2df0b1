// The library's searches of trees in virtual time, strand by strand as in <nopal/detail/tree_search.hpp>, without what is
// there for exceptions and for threads.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_FIND_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_FIND_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "scopes.hpp"

namespace virtual_time {

/// Calls `search(child, index)` as a child of its own for each child of a node, until `ends(index)`.
template <class Node, class Children, class Search, class Ends>
void fork_children(Children&& children, const Search& search, const Ends& ends) {
  scope s;
  std::size_t index = 0;
  const auto end = children.end();
  for (auto at = children.begin(); at != end && !ends(index); ++at, ++index) {
    s.fork([&search, index](Node child) { search(child, index); }, Node(*at));
  }
  s.join();
}

/// A node whose children are searched.
template <class Node>
class tree_level {
public:
  tree_level(tree_level* above, std::size_t index) : above_(above), index_(index) {}

  /// Whether the child at `index` comes after a find.
  [[nodiscard]] bool is_behind(std::size_t index) const {
    machine::current().pass_time();
    const tree_level* level = this;
    for (; level != nullptr; index = level->index_, level = level->above_)
      if (level->least_ < index) return true;
    return false;
  }
  /// In the child at `index`. Told at each level at once: what comes later ends.
  void found(std::size_t index, std::optional<Node> node) {
    put(index, std::move(node));
    for (tree_level* level = this; level != nullptr; index = level->index_, level = level->above_)
      level->least_ = std::min(level->least_, index);
  }
  /// After the join: hands what comes first on to the level above.
  void hand_on() {
    if (first_) above_->put(index_, std::move(first_));
  }
  [[nodiscard]] std::optional<Node>& first() { return first_; }

private:
  void put(std::size_t index, std::optional<Node> node) {
    if (index >= first_in_ || !node) return;
    first_in_ = index;
    first_.reset();
    first_.emplace(std::move(*node));
  }

  static constexpr std::size_t none_found = static_cast<std::size_t>(-1);

  tree_level* const above_;
  const std::size_t index_;            ///< of this node among its siblings
  std::size_t least_ = none_found;     ///< the first child in which something is found
  std::size_t first_in_ = none_found;  ///< the one that `first_` is of
  std::optional<Node> first_{};
};

template <class Node, class Expand, class Accept>
void search_first(const Node& node, tree_level<Node>& above, std::size_t index, const Expand& expand,
                  const Accept& accept) {
  if (above.is_behind(index)) return;
  if (accept(node)) {
    machine::current().pass_time();
    above.found(index, node);
    return;
  }
  tree_level<Node> here(&above, index);
  fork_children<Node>(
      expand(node),
      [&here, &expand, &accept](const Node& child, std::size_t at) {
        search_first(child, here, at, expand, accept);
      },
      [&here](std::size_t at) { return here.is_behind(at); });
  here.hand_on();
}

template <class Node, class Expand, class Accept>
[[nodiscard]] std::optional<Node> parallel_find_first(const Node& root, const Expand& expand,
                                                      const Accept& accept) {
  tree_level<Node> top(nullptr, 0);
  search_first(root, top, 0, expand, accept);
  return std::move(top.first());
}

template <class Node>
struct any_search {
  cancel_scope all{};
  std::optional<Node> found{};
};

template <class Node, class Expand, class Accept>
void search_any(const Node& node, any_search<Node>& in, const Expand& expand, const Accept& accept) {
  if (stop_requested()) return;
  if (accept(node)) {
    if (!in.found) in.found.emplace(node);
    static_cast<void>(in.all.request_stop());
    return;
  }
  fork_children<Node>(
      expand(node),
      [&in, &expand, &accept](const Node& child, std::size_t) { search_any(child, in, expand, accept); },
      [](std::size_t) { return stop_requested(); });
}

template <class Node, class Expand, class Accept>
[[nodiscard]] std::optional<Node> parallel_find_any(const Node& root, const Expand& expand,
                                                    const Accept& accept) {
  any_search<Node> in;
  search_any(root, in, expand, accept);
  in.all.join();
  return std::move(in.found);
}

}  // namespace virtual_time

#endif
