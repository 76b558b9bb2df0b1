// How many stacks a region has and how wide its guards are: as many as are useful, and fewer where
// address space is scarce.

#include <algorithm>

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"
#include "stack/pool.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::size_t widest_guard = std::size_t{1} << 20;
// A region leaves this many times its own size of the address space.
constexpr std::size_t least_left_by_stacks = 4;
// Wide guards leave this many times their own size of the address space.
constexpr std::size_t least_left_by_guards = 16;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

// One page is enough where the compiler probes.
std::size_t stack_pool::narrow_guard() const noexcept {
  const std::size_t page_bytes = os::page_size();
  if (sanitizers::apart() != 0) {                      // unreached: tools
    return round_up(sanitizers::apart(), page_bytes);  // unreached: tools
  }
  return policy_.stack_bytes >= (512U << 10) ? round_up(64U << 10, page_bytes) : page_bytes;
}

// A wide guard catches large frames and copies of arguments that skip pages. One page more: were
// the stacks a power of two apart, their first pages would share one set of the TLB.
std::size_t stack_pool::wide_guard() const noexcept {
  const std::size_t page_bytes = os::page_size();
  // unreached: tools
  return sanitizers::apart() != 0
             ? narrow_guard()
             : round_up(std::clamp(policy_.stack_bytes, widest_guard / 4, widest_guard), page_bytes) +
                   page_bytes;
}

/// How many stacks a region gets: more than will be used on each memory node, but fewer if they would
/// take much of what the program may map, and never fewer than `least`.
std::size_t stack_pool::stacks_of_a_region(std::size_t least) const noexcept {
  const std::size_t stride = round_up(policy_.stack_bytes, os::page_size()) + narrow_guard();
  const std::size_t most = os::address_space_left() / least_left_by_stacks;
  const std::size_t often_enough = 4 * (static_cast<std::size_t>(policy_.workers) + 1);
  std::size_t count = round_up(std::max<std::size_t>(often_enough, 256), bits);
  count *= static_cast<std::size_t>(policy_.nodes);
  while (count > least && count > most / stride) {
    count = std::max(count / 2, least);
  }
  return count;
}

/// Maps a region with a guard above the highest stack too: arguments that do not fit their stack
/// are stored upwards, and the program's own memory may lie there.
stack_pool::region stack_pool::map_region(std::size_t count, std::size_t guard_bytes) const noexcept {
  region fresh;
  fresh.guard_bytes = guard_bytes;
  fresh.stride_bytes = round_up(policy_.stack_bytes, os::page_size()) + guard_bytes;
  fresh.count = count;
  fresh.low = static_cast<char*>(os::reserve_stack_memory(fresh.mapped_bytes()));
  if (fresh.low != nullptr) {
    fresh.high = fresh.low + count * fresh.stride_bytes;
  }
  return fresh;
}

/// Uses wide guards unless they would take much of what the program may map or lock: both count
/// against limits.
stack_pool::region stack_pool::map_region_by_limits(std::size_t count) const noexcept {
  const std::size_t wide_part = (count + 1) * (wide_guard() - narrow_guard());
  if (wide_part <= os::address_space_left() / least_left_by_guards) {
    const region wide = map_region(count, wide_guard());
    if (wide.low != nullptr && wide_part <= os::lock_limit_on(wide.low) / least_left_by_guards) {
      return wide;
    }
    if (wide.low != nullptr) {
      os::unmap(wide.low, wide.mapped_bytes());
    }
  }
  return map_region(count, narrow_guard());
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
