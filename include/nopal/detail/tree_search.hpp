// Searches in trees that the program describes: for the first node of a kind, and for any.
#ifndef NOPAL_DETAIL_TREE_SEARCH_HPP
#define NOPAL_DETAIL_TREE_SEARCH_HPP

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/loop.hpp>
#include <nopal/detail/range.hpp>
#include <nopal/detail/thrown.hpp>
#include <nopal/speculate.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

template <class Node, class Expand, class Accept>
constexpr bool describes_tree() {
  using node = std::decay_t<Node>;
  if constexpr (std::is_invocable_r_v<bool, Accept&, const node&> &&
                std::is_invocable_v<Expand&, const node&>) {
    using children = std::remove_reference_t<std::invoke_result_t<Expand&, const node&>>;
    if constexpr (is_range<children>) {
      return std::is_constructible_v<node, decltype(*detail::begin_of(std::declval<children&>()))>;
    }
  }
  return false;
}
template <class Node, class Expand, class Accept>
concept is_tree = describes_tree<Node, Expand, Accept>();

/// What a search has found, by value. Without a move this is a copy, which may fork.
template <class Node>
std::optional<Node> taken_from(const std::unique_ptr<Node>& found) {
  return found != nullptr ? std::optional<Node>(std::move(*found)) : std::nullopt;
}

/// The first event below a node: a node that is accepted, or what was thrown before. By pointer: under a lock no node
/// is copied, moved or destroyed, for that is the program's code, and may fork.
template <class Node>
struct tree_event {
  std::unique_ptr<Node> node;
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  kept_exception thrown;
#endif
};

/// A node whose children are searched. It lies on the stack of the strand that does so.
template <class Node>
class tree_level {
public:
  tree_level(tree_level* above, std::size_t index) noexcept : above_(above), index_(index) {}
  tree_level(const tree_level&) = delete;
  tree_level& operator=(const tree_level&) = delete;
  ~tree_level() = default;

  /// Whether the child at `index` comes after an event. Relaxed: it only saves work until the join, which
  /// orders the events for their reader.
  [[nodiscard]] bool is_behind(std::size_t index) const noexcept {
    const tree_level* level = this;
    for (; level != nullptr; index = level->index_, level = level->above_) {
      if (__atomic_load_n(&level->least_, __ATOMIC_RELAXED) < index) return true;
    }
    return false;
  }

  /// In the child at `index`, or below it. Told at each level at once: what comes later ends.
  void happened(std::size_t index, tree_event<Node>& what) {
    put(index, what);
    for (tree_level* level = this; level != nullptr; level = level->above_) {
      std::size_t least = __atomic_load_n(&level->least_, __ATOMIC_RELAXED);
      while (index < least && !__atomic_compare_exchange_n(&level->least_, &least, index, true,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      }
      index = level->index_;
    }
  }

  /// After the join: hands what happened first on to the level above.
  void hand_on() {
    if (first_ != none && above_ != nullptr) above_->put(index_, event_);
  }
  [[nodiscard]] tree_event<Node>& event() noexcept { return event_; }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// What was there before is in `what` then, and ends after the lock does.
  void put(std::size_t index, tree_event<Node>& what) {
    [[maybe_unused]] const bool is_behind_a_node = exchange(index, what);
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
    if (is_behind_a_node) {
      what.thrown.forget();
    }
#endif
  }
  bool exchange(std::size_t index, tree_event<Node>& what) {
    const std::lock_guard guard(lock_);
    if (index < first_) {
      event_.node.swap(what.node);
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
      swap(event_.thrown, what.thrown);
#endif
      first_ = index;
    }
    return event_.node != nullptr;
  }

  tree_level* const above_;
  const std::size_t index_;   ///< of this node among its siblings
  std::size_t least_ = none;  ///< atomic; the first child in which something happened
  std::size_t first_ = none;  ///< the one that `event_` is of
  tree_event<Node> event_;
  std::mutex lock_;
};

/// Calls `search(child, index)` as a child of its own for each child of a node, until `ends(index)`.
template <class Node, class Children, class Search, class Ends>
void fork_children(Children&& children, const Search& search, const Ends& ends) {
  scope s;
  std::size_t index = 0;
  const auto end = detail::end_of(children);
  NOPAL_DETAIL_TRY {
    for (auto at = detail::begin_of(children); at != end && !ends(index); ++at, ++index) {
      s.fork([&search, index](Node child) { search(child, index); }, Node(*at));
    }
  }
  NOPAL_DETAIL_JOIN_IF_THROWN(s)
  s.join();
}

template <class Node, class Expand, class Accept>
void search_first(const Node& node, tree_level<Node>& above, std::size_t index, Expand& expand,
                  Accept& accept);

/// Whether the node is accepted; otherwise its children are searched.
template <class Node, class Expand, class Accept>
bool accepted_or_searched(const Node& node, tree_level<Node>& above, std::size_t index, Expand& expand,
                          Accept& accept) {
  if (static_cast<bool>(detail::invoke(accept, node))) {
    return true;
  }
  tree_level<Node> here(&above, index);
  fork_children<Node>(
      detail::invoke(expand, node),
      [&here, &expand, &accept](const Node& child, std::size_t at) {
        search_first(child, here, at, expand, accept);
      },
      [&here](std::size_t at) { return here.is_behind(at); });
  here.hand_on();
  return false;
}

template <class Node, class Expand, class Accept>
void search_first(const Node& node, tree_level<Node>& above, std::size_t index, Expand& expand,
                  Accept& accept) {
  if (above.is_behind(index)) {
    return;
  }
  tree_event<Node> event;
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  try {
    if (!accepted_or_searched(node, above, index, expand, accept)) {
      return;
    }
    event.node = std::make_unique<Node>(node);
  } catch (...) {
    if (handles_end_of_thread()) throw_on();
    event.thrown.keep();
  }
#else
  if (!accepted_or_searched(node, above, index, expand, accept)) {
    return;
  }
  event.node = std::make_unique<Node>(node);
#endif
  above.happened(index, event);
}

template <class Node, class Root, class Expand, class Accept>
std::optional<Node> first_node(Root&& root, Expand& expand, Accept& accept) {
  tree_level<Node> top(nullptr, 0);
  const Node first(std::forward<Root>(root));
  search_first(first, top, 0, expand, accept);
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
  top.event().thrown.rethrow();
#endif
  return taken_from(top.event().node);
}

template <class Node>
struct any_search {
  cancel_scope* scope;
  std::mutex lock;
  std::unique_ptr<Node> found;  ///< as a tree_event's
};

template <class Node, class Expand, class Accept>
void search_any(const Node& node, any_search<Node>& all, Expand& expand, Accept& accept) {
  if (is_stopped_here()) {
    return;
  }
  if (static_cast<bool>(detail::invoke(accept, node))) {
    auto found = std::make_unique<Node>(node);
    {
      const std::lock_guard guard(all.lock);
      if (all.found == nullptr) {
        all.found.swap(found);
      }
    }
    static_cast<void>(all.scope->request_stop());
    return;
  }
  fork_children<Node>(
      detail::invoke(expand, node),
      [&all, &expand, &accept](const Node& child, std::size_t) { search_any(child, all, expand, accept); },
      [](std::size_t) { return is_stopped_here(); });
}

template <class Node, class Root, class Expand, class Accept>
std::optional<Node> some_node(Root&& root, Expand& expand, Accept& accept) {
  const Node first(std::forward<Root>(root));
  any_search<Node> all;
  {
    cancel_scope s;
    all.scope = &s;
    search_any(first, all, expand, accept);
    s.join();
  }
  // Behind the scope, which is stopped: that would cut a copy short.
  return taken_from(all.found);
}

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
