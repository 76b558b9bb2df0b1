// Loops over containers, and over work that grows while it is done.
#ifndef NOPAL_COMPAT_TBB_PARALLEL_FOR_EACH_H
#define NOPAL_COMPAT_TBB_PARALLEL_FOR_EACH_H

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocked_range.h"
#include "detail/context.h"
#include "detail/halving.h"
#include "detail/lock.h"
#include "parallel_for.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Takes more items while parallel_for_each works. They begin when the call of the body that added
/// them is over.
template <class Item>
class feeder {
public:
  feeder(const feeder&) = delete;
  feeder& operator=(const feeder&) = delete;

  /// From any thread, while the call that was given this feeder lasts. Throws what copying throws,
  /// and std::bad_alloc.
  void add(const Item& item) { emplace(item); }
  void add(Item&& item) { emplace(std::move(item)); }

protected:
  feeder() = default;
  ~feeder() = default;

  template <class Source>
  void emplace(Source&& item) {
    const nopal_detail::lock_guard guard(lock_);
    items_.push_back(std::forward<Source>(item));
  }
  std::vector<Item> items_;

private:
  nopal_detail::tiny_lock lock_;
};

namespace nopal_detail {

template <class Item>
class filled_feeder : public feeder<Item> {
public:
  std::vector<Item>& items() { return this->items_; }
};

template <class Iterator>
using reference_of = typename std::iterator_traits<Iterator>::reference;
template <class Iterator>
inline constexpr bool is_multi_pass =
    std::is_base_of_v<std::forward_iterator_tag, typename std::iterator_traits<Iterator>::iterator_category>;
template <class Iterator>
inline constexpr bool is_random_access =
    std::is_base_of_v<std::random_access_iterator_tag,
                      typename std::iterator_traits<Iterator>::iterator_category>;

/// How deep the calls of items lie in those of the items that added them. What is added at that depth is put off
/// until all else is done, so that a chain of items takes no more stack than a short one.
inline constexpr int added_levels = 32;

template <class Body, class Item>
class for_each_item {
public:
  for_each_item(const algorithm& self, const Body& body) : self_(self), body_(body), serial_(self.serial()) {}

  [[nodiscard]] bool serial() const noexcept { return serial_; }

  /// What was put off since it was last asked for: the items that one call added each. While nothing runs.
  [[nodiscard]] std::vector<std::vector<Item>> take_put_off() const { return std::exchange(put_off_, {}); }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as added_levels
  template <class Source>
  void run(Source&& item, int level = 0) const {
    if constexpr (std::is_invocable_v<const Body&, Source, feeder<Item>&>) {
      filled_feeder<Item> more;
      self_.call([&] { std::invoke(body_, std::forward<Source>(item), static_cast<feeder<Item>&>(more)); });
      run_added(more.items(), level);
    } else {
      self_.call([&] { std::invoke(body_, std::forward<Source>(item)); });
    }
  }

  /// The items of [first, last), of a random-access range. What an item adds begins before the next item.
  template <class Iterator>
  void run_block(Iterator first, const Iterator last) const {
    if constexpr (std::is_invocable_v<const Body&, reference_of<Iterator>, feeder<Item>&>) {
      while (first != last && !self_.is_cancelled()) {
        filled_feeder<Item> more;
        self_.call([&] {
          call_batches(first, last, [&](Iterator& at) {
            std::invoke(body_, static_cast<reference_of<Iterator>>(*at), static_cast<feeder<Item>&>(more));
            return more.items().empty();
          });
        });
        run_added(more.items(), 0);
      }
    } else {
      self_.call([&] {
        call_batches(first, last, [&](Iterator& at) {
          std::invoke(body_, static_cast<reference_of<Iterator>>(*at));
          return true;
        });
      });
    }
  }

  /// An item that nobody else has: as an rvalue, unless the body takes none.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as added_levels
  void run_own(Item& item, int level = 0) const {
    if constexpr (std::is_invocable_v<const Body&, Item, feeder<Item>&> ||
                  std::is_invocable_v<const Body&, Item>) {
      run(std::move(item), level);
    } else {
      run(item, level);
    }
  }

  /// The item that an iterator refers to.
  template <class Iterator>
  void run_at(Iterator& at) const {
    if constexpr (is_multi_pass<Iterator>) {
      run(static_cast<reference_of<Iterator>>(*at));
    } else {
      Item item(*at);
      run_own(item);
    }
  }

  /// What a call at this level added.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as added_levels
  void run_added(std::vector<Item>& items, int level) const {
    if (items.empty() || self_.is_cancelled()) {
      return;
    }
    if (level == added_levels) {
      const lock_guard guard(lock_);
      put_off_.push_back(std::move(items));
      return;
    }
    nopal::scope added;
    NOPAL_DETAIL_TRY {
      for (Item& item : items) {
        if (serial_) {
          run_own(item, level + 1);
        } else {
          added.fork([this, &item, level] { run_own(item, level + 1); });
        }
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(added)
    added.join();
  }

private:
  /// Items between two looks for a cancellation. To look before each would keep compilers from vectorizing the loop.
  static constexpr int batch = 128;

  /// Until `call` says that the next one is to wait. `first` is then behind what was called.
  template <class Iterator, class Call>
  void call_batches(Iterator& first, const Iterator& last, const Call& call) const {
    do {
      const Iterator end = last - first > batch ? first + batch : last;
      Iterator at = first;  // its own: compilers see that what the body stores does not change it
      bool goes_on = true;
      while (goes_on && at != end) {
        goes_on = call(at);
        ++at;
      }
      first = at;
      if (!goes_on) {
        return;
      }
    } while (first != last && !self_.is_cancelled());
  }

  const algorithm& self_;
  const Body& body_;
  const bool serial_;
  mutable tiny_lock lock_;
  mutable std::vector<std::vector<Item>> put_off_;  // under lock_
};

/// Iterators over what is constant may have a constant value_type, as those of oneTBB's containers.
template <class Iterator>
using item_of = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;

/// Others are not asked whether they take an item by value: iterators may refer to something else, as a tuple of
/// references.
template <class Iterator, class Body>
inline constexpr bool adds_items =
    std::disjunction_v<std::is_invocable<const Body&, reference_of<Iterator>, feeder<item_of<Iterator>>&>,
                       std::is_invocable<const Body&, item_of<Iterator>, feeder<item_of<Iterator>>&>,
                       std::is_invocable<const Body&, item_of<Iterator>&, feeder<item_of<Iterator>>&>>;

template <class Iterator, class Body>
void run_items(Iterator first, Iterator last, const algorithm& self,
               const for_each_item<Body, item_of<Iterator>>& items) {
  using item_type = item_of<Iterator>;
  if constexpr (is_random_access<Iterator>) {
    if (items.serial()) {
      items.run_block(first, last);
      return;
    }
    using distance = typename std::iterator_traits<Iterator>::difference_type;
    const bool offers = offers_halves<auto_partitioner>(self);
    const auto leaf = [&](std::size_t from, std::size_t to) {
      if (offers) {
        offer_halves();
      }
      items.run_block(first + static_cast<distance>(from), first + static_cast<distance>(to));
    };
    fork_halves(self, leaf, 0, static_cast<std::size_t>(last - first), halvings(self, auto_partitioner()));
  } else {
    if (items.serial()) {
      for (; first != last && !self.is_cancelled(); ++first) {
        items.run_at(first);
      }
      return;
    }
    nopal::scope all;
    NOPAL_DETAIL_TRY {
      for (; first != last && !self.is_cancelled(); ++first) {
        if constexpr (is_multi_pass<Iterator>) {
          all.fork([&items](Iterator at) { items.run(static_cast<reference_of<Iterator>>(*at)); }, first);
        } else {
          all.fork([&items](item_type item) { items.run_own(item); }, item_type(*first));
        }
      }
    }
    NOPAL_DETAIL_JOIN_IF_THROWN(all)
    all.join();
  }
}

template <class Iterator, class Body>
void run_for_each(Iterator first, Iterator last, const Body& body, task_group_context& context) {
  const algorithm self(context);
  const for_each_item<Body, item_of<Iterator>> items(self, body);
  run_items(first, last, self, items);
  if constexpr (adds_items<Iterator, Body>) {
    for (auto added = items.take_put_off(); !added.empty(); added = items.take_put_off()) {
      const auto leaf = [&](std::size_t from, std::size_t to) {
        for (; from != to; ++from) {
          items.run_added(added[from], 0);
        }
      };
      if (items.serial()) {
        leaf(0, added.size());
      } else {
        fork_halves(self, leaf, 0, added.size(), halve_fully);
      }
    }
  }
}

}  // namespace nopal_detail

/// Calls `body(item)` for each item of [first, last), or `body(item, feeder)`, which may add items.
///
/// Items of iterators that pass once are copied, and like added ones handed over as rvalues if the
/// body takes them. Work: that of the calls, and a fork for each item that is not in a
/// random-access range. Span: where access is not random, linear in the number of items. Exceptions
/// and threads as with parallel_for.
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body) {
  task_group_context context;
  nopal_detail::run_for_each(first, last, body, context);
}
template <class Iterator, class Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body, task_group_context& context) {
  nopal_detail::run_for_each(first, last, body, context);
}
/// The same for the items of a container.
template <class Container, class Body>
  requires requires(Container& items) { std::begin(items); }
void parallel_for_each(Container& items, const Body& body) {
  task_group_context context;
  nopal_detail::run_for_each(std::begin(items), std::end(items), body, context);
}
template <class Container, class Body>
  requires requires(const Container& items) { std::begin(items); }
void parallel_for_each(const Container& items, const Body& body) {
  task_group_context context;
  nopal_detail::run_for_each(std::begin(items), std::end(items), body, context);
}
template <class Container, class Body>
  requires requires(Container& items) { std::begin(items); }
void parallel_for_each(Container& items, const Body& body, task_group_context& context) {
  nopal_detail::run_for_each(std::begin(items), std::end(items), body, context);
}
template <class Container, class Body>
  requires requires(const Container& items) { std::begin(items); }
void parallel_for_each(const Container& items, const Body& body, task_group_context& context) {
  nopal_detail::run_for_each(std::begin(items), std::end(items), body, context);
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
