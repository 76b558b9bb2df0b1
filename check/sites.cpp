#include "sites.hpp"

#include <iterator>

namespace [[gnu::visibility("hidden")]] nopal_check {

table<site> sites;
std::ptrdiff_t bytes_of_window;
std::uint64_t step_over_window;
std::uint32_t sites_found_again;

namespace {

number_map stacks;  // by the hash of the calls: numbers in `kept`
number_map known;   // by program counter and calls: sites
table<call_stack*> kept;

constexpr std::uint32_t windows[] = {most_kept_calls, 8, 4, 2};
constexpr std::uint32_t stacks_for_next[] = {1U << 12, 1U << 13, 1U << 14, ~0U};
constexpr std::uint32_t most_sites = 1U << 28;

std::uint32_t window_in_use = 0;

constexpr std::uint64_t power(std::uint64_t base, std::uint32_t exponent) noexcept {
  std::uint64_t product = 1;
  for (; exponent != 0; --exponent) product *= base;
  return product;
}

void choose_window() noexcept {
  while (kept.count > stacks_for_next[window_in_use]) ++window_in_use;
  bytes_of_window = static_cast<std::ptrdiff_t>(windows[window_in_use] * sizeof(call_frame));
  step_over_window = power(hash_step, windows[window_in_use]);
}

const call_stack* stack_of(std::uint64_t hashed) noexcept {
  std::uint32_t& number = stacks.at(hashed);
  if (number != 0) return kept[number];
  std::uint32_t count = static_cast<std::uint32_t>(self.calls - self.outermost);
  if (count > windows[window_in_use]) count = windows[window_in_use];
  auto* const made = static_cast<call_stack*>(keep(sizeof(call_stack) + count * sizeof(address)));
  made->count = count;
  for (std::uint32_t i = 0; i < count; ++i) made->callers[i] = (self.calls - i)->caller;
  number = kept.add(made);
  choose_window();
  return made;
}

}  // namespace

void make_sites() noexcept {
  sites.make(most_sites);
  kept.make(most_sites);
  sites.add({});
  kept.add(nullptr);
  choose_window();
}

std::uint32_t site_at(address at) noexcept {
  std::uint32_t& number = known.at(site_key(at));
  if (number == 0) {
    const call_stack* const calls = stack_of(calls_hashed());
    number = sites.add({at, calls});
  } else {
    ++sites_found_again;
  }
  return number;
}

void narrow_calls_after(std::uint32_t records_made) noexcept {
  constexpr std::uint32_t seldom = 32;
  if (sites_found_again > records_made / seldom && window_in_use + 1 < std::size(windows)) ++window_in_use;
  sites_found_again = 0;
  choose_window();
}

void visit_code(void (*visit)(void*, address), void* data) noexcept {
  for (std::uint32_t i = 1; i < sites.count; ++i) visit(data, sites[i].at);
  for (std::uint32_t i = 1; i < kept.count; ++i) {
    for (std::uint32_t j = 0; j < kept[i]->count; ++j) visit(data, kept[i]->callers[j]);
  }
}

bool move_code(address begin, std::size_t bytes, address step) noexcept {
  const auto is_gone = [=](address at) { return at - (begin + step) < bytes; };
  const auto has_gone = [=](const call_stack& calls) {
    for (std::uint32_t i = 0; i < calls.count; ++i) {
      if (is_gone(calls.callers[i])) return true;
    }
    return false;
  };
  bool has_moved = false;
  const auto move = [&](address& at) {
    if (at - begin >= bytes) return;
    at += step;
    has_moved = true;
  };
  for (std::uint32_t i = 1; i < kept.count; ++i) {
    for (std::uint32_t j = 0; j < kept[i]->count; ++j) move(kept[i]->callers[j]);
  }
  for (std::uint32_t i = 1; i < sites.count; ++i) move(sites[i].at);
  if (!has_moved) return false;
  stacks.forget_where([&](std::uint32_t number) { return has_gone(*kept[number]); });
  known.forget_where([&](std::uint32_t number) {
    const site& one = sites[number];
    return is_gone(one.at) || (one.calls != nullptr && has_gone(*one.calls));
  });
  // Which remember sites by the same keys.
  for (thread* each = all_threads; each != nullptr; each = each->next_thread) {
    for (cached_record& cached : each->cache) cached = {};
  }
  return true;
}

}  // namespace nopal_check
