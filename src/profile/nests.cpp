#include "profile/nests.hpp"

#include <atomic>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

// Those that lie in another one have the numbers from `most_sites` on.
constexpr nest_number most_nests = most_sites + 4096;
constexpr std::uint32_t nest_places = 2 * 4096;

struct nest {
  // Relaxed: who reads them has the number, by the acquire in nest_in or by a record that its own thread or a join hands
  // over.
  std::atomic<site_number> site;
  std::atomic<nest_number> outer;
};

constinit nest nests[most_nests - most_sites] = {};
constinit std::atomic<nest_number> used_nests{most_sites};

bool is_site_alone(nest_number number) noexcept { return number < most_sites; }
nest& known(nest_number number) noexcept { return nests[number - most_sites]; }

/// A key, which is never zero, and behind it the number, zero until it is known.
struct nest_place {
  std::atomic<std::uint64_t> key;
  std::atomic<nest_number> number;
};
constinit nest_place all_nest_places[nest_places] = {};

nest_number new_nest(nest_number outer, site_number site) noexcept {
  // Relaxed: a count alone; the release in `interned` hands the nest over.
  const nest_number number = used_nests.fetch_add(1, std::memory_order_relaxed);
  if (number >= most_nests) {
    used_nests.store(most_nests, std::memory_order_relaxed);
    return site;
  }
  known(number).site.store(site, std::memory_order_relaxed);
  known(number).outer.store(outer, std::memory_order_relaxed);
  return number;
}

nest_number interned(nest_number outer, site_number site) noexcept {
  const std::uint64_t key = (std::uint64_t{outer} << 32 | site) + 1;
  auto at = static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15U) >> 40) % nest_places;
  for (std::uint32_t looks = 0; looks < nest_places; ++looks, at = (at + 1) % nest_places) {
    // Acquire pairs with the exchange, of whoever took the place.
    std::uint64_t here = all_nest_places[at].key.load(std::memory_order_acquire);
    // Relaxed: who sees an old count takes a place more. Free ones remain, for looks to end at.
    if (here == 0 && used_nests.load(std::memory_order_relaxed) >= most_nests) {
      return site;
    }
    if (here == 0 && all_nest_places[at].key.compare_exchange_strong(here, key)) {
      const nest_number number = new_nest(outer, site);
      // Release pairs with the acquire below: the nest is there.
      all_nest_places[at].number.store(number, std::memory_order_release);
      return number;
    }
    if (here == key) {
      for (;;) {
        // Acquire pairs with the release above.
        const nest_number number = all_nest_places[at].number.load(std::memory_order_acquire);
        if (number != 0) {
          return number;
        }
      }
    }
  }
  return site;
}

}  // namespace

nest_number nest_in(nest_number outer, site_number site) noexcept {
  if (outer == outside_nest || site == other_sites) {
    return site;
  }
  int depth = 1;
  for (nest_number one = outer; one != outside_nest; one = around(one), ++depth) {
    if (site_of(one) == site) {
      return one;
    }
  }
  return depth > deepest_nest ? site : interned(outer, site);
}

site_number site_of(nest_number nest) noexcept {
  return is_site_alone(nest) ? nest : known(nest).site.load(std::memory_order_relaxed);
}

nest_number around(nest_number nest) noexcept {
  return is_site_alone(nest) ? outside_nest : known(nest).outer.load(std::memory_order_relaxed);
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
