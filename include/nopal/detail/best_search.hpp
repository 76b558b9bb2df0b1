// Best-first branch and bound: open nodes in a heap that all strands share, and the best answer so far.
//
// Strands are forked to take nodes, not for nodes: each takes the node of the best bound, until there is
// none. So no node waits for a strand of its own, and a fork is made only when there is work for one more.
#ifndef NOPAL_DETAIL_BEST_SEARCH_HPP
#define NOPAL_DETAIL_BEST_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <nopal/detail/invoke.hpp>
#include <nopal/detail/mode.hpp>
#ifndef NOPAL_ELIDE
#include <nopal/detail/pinned.h>
#endif
#include <nopal/detail/range.hpp>
#include <nopal/runtime.hpp>
#include <nopal/speculate.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

template <class Node, class Expand, class Value, class Bound, class Better>
constexpr bool can_find_best() {
  constexpr bool bounds = std::is_invocable_v<Bound&, const Node&>;
  static_assert(bounds, "nopal: parallel_find_best: the bound must be callable with a node");
  constexpr bool values = std::is_invocable_v<Value&, const Node&>;
  static_assert(values, "nopal: parallel_find_best: the value must be callable with a node");
  constexpr bool expands = std::is_invocable_v<Expand&, const Node&>;
  static_assert(expands, "nopal: parallel_find_best: the function that expands must be callable with a node");
  if constexpr (bounds && values && expands) {
    using worth = std::decay_t<std::invoke_result_t<Bound&, const Node&>>;
    using value = std::decay_t<std::invoke_result_t<Value&, const Node&>>;
    constexpr bool orders = !std::is_void_v<worth>;
    static_assert(orders, "nopal: parallel_find_best: the bound must return what bounds are compared by");
    if constexpr (!orders) {
      return false;
    } else {
      constexpr bool alike = std::is_same_v<value, worth> || std::is_same_v<value, std::optional<worth>>;
      static_assert(
          alike,
          "nopal: parallel_find_best: the value must be of the bound's type, or a std::optional of it");
      constexpr bool compares = std::is_invocable_r_v<bool, Better&, const worth&, const worth&>;
      static_assert(compares, "nopal: parallel_find_best: the comparison must take two bounds");
      constexpr bool ranges = is_range<std::remove_reference_t<std::invoke_result_t<Expand&, const Node&>>>;
      static_assert(ranges, "nopal: parallel_find_best: what a node is expanded to must be a range of nodes");
      if constexpr (ranges) {
        using children = std::remove_reference_t<std::invoke_result_t<Expand&, const Node&>>;
        constexpr bool nodes =
            std::is_constructible_v<Node, decltype(*detail::begin_of(std::declval<children&>()))>;
        static_assert(nodes,
                      "nopal: parallel_find_best: the elements of the range must be nodes, which are copied");
        return alike && compares && nodes;
      }
    }
  }
  return false;
}

/// Whether to compare bounds, and to move them, runs nothing of the program's.
template <class Worth, class Better>
inline constexpr bool compares_in_place =
    std::is_arithmetic_v<Worth> &&
    (std::is_same_v<Better, std::less<>> || std::is_same_v<Better, std::less<Worth>> ||
     std::is_same_v<Better, std::greater<>> || std::is_same_v<Better, std::greater<Worth>>);

struct stays_anyway {};
/// A local around the lock under which bounds are compared. What a comparison forks is joined on this thread, which
/// meanwhile runs nothing else: another strand of the search would wait there for the lock that is below it.
#ifdef NOPAL_ELIDE
template <class Worth, class Better>
using stays_on_thread = stays_anyway;
#else
template <class Worth, class Better>
using stays_on_thread = std::conditional_t<compares_in_place<Worth, Better>, stays_anyway,
                                           NOPAL_ABI_NAMESPACE::detail::pinned_call>;
#endif

/// So many strands look for work in one search.
inline std::size_t most_searchers() noexcept {
#ifdef NOPAL_ELIDE
  return 1;
#else
  return static_cast<std::size_t>(nopal::workers());
#endif
}

template <class Node, class Expand, class Value, class Bound, class Better>
class best_search {
public:
  using worth = std::decay_t<std::invoke_result_t<Bound&, const Node&>>;

  best_search(Expand& expand, Value& value, Bound& bound, Better& better)
      : expand_(expand), value_(value), bound_(bound), better_(better) {}

  [[nodiscard]] std::optional<Node> run(Node&& root) {
    auto first = std::make_unique<open_node>(std::in_place, std::move(root));
    first->bound.emplace(detail::invoke(bound_, std::as_const(first->node)));
    open_.push_back(std::move(first));
    do {
      searchers_ = 1;
      begins_anew_ = false;
      take_nodes(0);
    } while (begins_anew_ && !is_stopped_here());
    poll_stop();  // nothing may have been forked
    return best_ != nullptr ? std::optional<Node>(std::move(best_->node)) : std::nullopt;
  }

private:
  struct open_node {
    template <class From>
    open_node(std::in_place_t /*node*/, From&& one) : node(std::forward<From>(one)) {}
    Node node;
    std::optional<worth> bound;
  };
  using open_nodes = std::vector<std::unique_ptr<open_node>>;

  /// Searchers fork searchers so deep. Where more are of use then, all end, and the first begins anew.
  static constexpr int deepest = 16;

  /// Until there are no nodes left that may be better than the answer. Other strands may have some in hand.
  void take_nodes(int depth) {
    scope s;
    NOPAL_DETAIL_TRY {
      gives_up unless_done(*this);
      while (!is_stopped_here()) {
        if (takes_one_more(depth)) {
          s.fork([this, depth] { take_nodes(depth + 1); });
        }
        std::unique_ptr<open_node> node = next();
        if (node == nullptr) break;
        look_at(std::move(node));
      }
      unless_done.is_done = true;
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(s)
    s.join();
  }
  /// The end of a searcher. Where something was thrown nobody takes nodes any more.
  struct gives_up {
    best_search& all;
    bool is_done = false;
    explicit gives_up(best_search& of) noexcept : all(of) {}
    gives_up(const gives_up&) = delete;
    gives_up& operator=(const gives_up&) = delete;
    ~gives_up() {
      const std::lock_guard guard(all.lock_);
      --all.searchers_;
      all.given_up_ = all.given_up_ || !is_done;
    }
  };
  /// With the lock: what `better` throws out of the heap leaves a hole there, which nobody is to see.
  class changes_heap {
  public:
    explicit changes_heap(bool& given_up) noexcept : given_up_(given_up), before_(given_up) {
      given_up_ = true;
    }
    changes_heap(const changes_heap&) = delete;
    changes_heap& operator=(const changes_heap&) = delete;
    ~changes_heap() = default;
    void done() noexcept { given_up_ = before_; }

  private:
    bool& given_up_;
    const bool before_;
  };

  void look_at(std::unique_ptr<open_node> from) {
    std::optional<worth> value = detail::invoke(value_, std::as_const(from->node));
    open_nodes children;
    {
      auto&& below = detail::invoke(expand_, std::as_const(from->node));
      const auto end = detail::end_of(below);
      for (auto at = detail::begin_of(below); at != end; ++at) {
        children.push_back(std::make_unique<open_node>(std::in_place, *at));
        children.back()->bound.emplace(detail::invoke(bound_, std::as_const(children.back()->node)));
      }
    }
    // What is left of both ends after the lock is free.
    [[maybe_unused]] const stays_on_thread<worth, Better> here;
    const std::lock_guard guard(lock_);
    if (given_up_) {
      return;
    }
    changes_heap change(given_up_);
    if (value && (!worth_ || is_better(*value, *worth_))) {
      worth_.reset();
      worth_.emplace(std::move(*value));
      best_.swap(from);
    }
    for (std::unique_ptr<open_node>& child : children) {
      if (may_be_better(*child->bound)) {
        open_.push_back(std::move(child));
        std::push_heap(open_.begin(), open_.end(), is_worse());
      }
    }
    change.done();
  }

  [[nodiscard]] std::unique_ptr<open_node> next() {
    open_nodes left_out;
    [[maybe_unused]] const stays_on_thread<worth, Better> here;
    const std::lock_guard guard(lock_);
    if (given_up_ || begins_anew_ || open_.empty()) {
      return nullptr;
    }
    changes_heap change(given_up_);
    std::unique_ptr<open_node> node;
    if (may_be_better(*open_.front()->bound)) {
      std::pop_heap(open_.begin(), open_.end(), is_worse());
      node = std::move(open_.back());
      open_.pop_back();
    } else {
      left_out.swap(open_);  // nor is any other
    }
    change.done();
    return node;
  }

  /// Whether there is work for the caller and another strand, which is counted then.
  [[nodiscard]] bool takes_one_more(int depth) {
    const std::lock_guard guard(lock_);
    if (given_up_ || open_.size() < 2 || searchers_ == most_) {
      return false;
    }
    if (depth == deepest) {
      begins_anew_ = true;
      return false;
    }
    ++searchers_;
    return true;
  }

  [[nodiscard]] bool is_better(const worth& a, const worth& b) {
    return static_cast<bool>(detail::invoke(better_, a, b));
  }
  [[nodiscard]] bool may_be_better(const worth& bound) { return !worth_ || is_better(bound, *worth_); }
  auto is_worse() {
    return [this](const std::unique_ptr<open_node>& a, const std::unique_ptr<open_node>& b) {
      return is_better(*b->bound, *a->bound);
    };
  }

  Expand& expand_;
  Value& value_;
  Bound& bound_;
  Better& better_;
  const std::size_t most_ = most_searchers();
  /// Of what follows; held while `better` runs, and bounds are moved, and nothing else of the program. Where that
  /// may fork, its thread runs no strand of the search meanwhile: a `stays_on_thread` is around the lock.
  std::mutex lock_;
  open_nodes open_;             ///< a heap, the best bound first
  std::optional<worth> worth_;  ///< of the best node so far
  std::unique_ptr<open_node> best_;
  std::size_t searchers_ = 1;
  bool begins_anew_ = false;
  bool given_up_ = false;  ///< something was thrown
};

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
