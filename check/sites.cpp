#include "sites.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

table<site> sites;
std::uint32_t window_in_calls;
std::uint64_t step_over_window;

namespace {

number_map stacks;  // by the hash of the calls: numbers in `kept`
number_map known;   // by program counter and calls: sites
table<const call_stack*> kept;

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
  window_in_calls = windows[window_in_use];
  step_over_window = power(hash_step, window_in_calls);
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
  }
  return number;
}

}  // namespace nopal_check
