// The order of time.
#ifndef NOPAL_TOOLS_TRACE_ORDER_HPP
#define NOPAL_TOOLS_TRACE_ORDER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tool::tracing {

/// Sorts by key(item), a number; equal ones stay as they were. The library's stable sort calls what newer
/// compilers warn of.
template <class Item, class Key>
void sort_stably(std::vector<Item>& items, Key key) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order.emplace_back(key(items[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const auto& each : order) sorted.push_back(std::move(items[each.second]));
  items = std::move(sorted);
}

}  // namespace tool::tracing

#endif
