#include "profile/counts.hpp"

#include <new>

#include "os/os.hpp"
#include "profile/machine.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

namespace {

constexpr std::uint32_t places = 4 * most_sites;

struct place {
  std::atomic<const void*> address;
  std::atomic<site_number> number;
};

constinit place all_places[places] = {};
constinit site_knowledge knowledge[most_sites] = {};
constinit std::atomic<site_number> used_sites{other_sites + 1};
constinit std::atomic<counts_table*> tables{nullptr};

site_number new_number(const void* address) noexcept {
  const site_number number = used_sites.fetch_add(1, std::memory_order_relaxed);
  if (number >= most_sites) {
    used_sites.store(most_sites, std::memory_order_relaxed);
    return other_sites;
  }
  // Release pairs with the acquire of the file's writer.
  knowledge[number].address.store(address, std::memory_order_release);
  return number;
}

}  // namespace

site_number number_of(const void* address) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(address);
  std::uint32_t at = static_cast<std::uint32_t>((bits * 0x9e3779b97f4a7c15U) >> 40) % places;
  for (std::uint32_t looks = 0; looks < places; ++looks, at = (at + 1) % places) {
    // Acquire pairs with the exchange below, of whoever took the place.
    const void* here = all_places[at].address.load(std::memory_order_acquire);
    if (here == nullptr && all_places[at].address.compare_exchange_strong(here, address)) {
      const site_number number = new_number(address);
      // Release pairs with the acquire of those who wait for the number below: its knowledge has the address.
      all_places[at].number.store(number, std::memory_order_release);
      return number;
    }
    if (here == address) {
      for (;;) {
        // Acquire pairs with the release above.
        const site_number number = all_places[at].number.load(std::memory_order_acquire);
        if (number != 0) {
          return number;
        }
      }
    }
  }
  return other_sites;
}

site_knowledge& knowledge_of(site_number site) noexcept { return knowledge[site]; }

site_number sites_used() noexcept {
  const site_number now = used_sites.load(std::memory_order_relaxed);
  return now < most_sites ? now : most_sites;
}

std::uint64_t taken_by_records(const counts_table& of) noexcept {
  std::uint64_t around = 0;  // a fork, the end of its child, and a join
  for (const after kind : {after::fork, after::child, after::join}) {
    around += of.cost[static_cast<int>(kind)].load(std::memory_order_relaxed);
  }
  return of.in_hooks.get() + of.forks.get() * around;
}

counts_table* make_counts() noexcept {
  auto* const made = new (std::nothrow) counts_table{};
  if (made == nullptr) {
    os::end_process("nopal: NOPAL_PROFILE: no memory for what it records");
  }
  for (std::atomic<std::uint64_t>& each : made->cost) {
    each.store(this_machine.first_cost, std::memory_order_relaxed);
  }
  made->next = tables.load(std::memory_order_relaxed);
  // Release pairs with the acquire in first_counts: the table is empty.
  while (!tables.compare_exchange_weak(made->next, made, std::memory_order_release)) {
  }
  return made;
}

// Acquire pairs with the release in make_counts.
counts_table* first_counts() noexcept { return tables.load(std::memory_order_acquire); }

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
