// The pool of stacks; see the header for its invariants.

#include "stack/pool.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include <nopal/detail/noise.h>

#include "os/os.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// Regions that are mapped for the sake of the stacks' order, at most.
constexpr std::size_t regions_for_order = 4;
// A leaf function may use so much below its stack pointer.
constexpr std::size_t red_zone_bytes = 128;
}  // namespace

bool stack_pool::start(const policy& with) noexcept {
  policy_ = with;
  budget_ = 4 * with.workers;
  budget_of_few_ = 32 * with.workers;
  of_first_node_ = 0;
  for (std::size_t bit = 0; bit < bits; bit += static_cast<std::size_t>(with.nodes)) {
    of_first_node_ |= std::uint64_t{1} << bit;
  }
  const std::size_t least = static_cast<std::size_t>(with.workers) + 1;
  std::size_t count = stacks_of_a_region(least);
  for (bool first = true; !add_region(count, first); first = false) {
    if (count <= least) {
      return false;
    }
    count = count / 2 > least ? count / 2 : least;
  }
  return true;
}

bool stack_pool::add_region(std::size_t count, bool may_be_wide) noexcept {
  const std::size_t number = regions_count_.load(std::memory_order_relaxed);
  if (number == most_regions) {
    return false;
  }
  const std::size_t words = (count + bits - 1) / bits;
  region fresh = may_be_wide ? map_region_by_limits(count) : map_region(count, narrow_guard());
  if (fresh.low == nullptr) {
    return false;
  }
  fresh.stacks = new (std::nothrow) nopal_stack[count];
  fresh.free = new (std::nothrow) std::atomic<std::uint64_t>[words];
  fresh.ready = new (std::nothrow) std::atomic<std::uint8_t>[count];
  if (fresh.stacks == nullptr || fresh.free == nullptr || fresh.ready == nullptr) {
    os::unmap(fresh.low, fresh.mapped_bytes());
    delete[] fresh.stacks;
    delete[] fresh.free;
    delete[] fresh.ready;
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    fresh.stacks[i].high = fresh.high - i * fresh.stride_bytes;
    fresh.stacks[i].low = fresh.stacks[i].high - fresh.stride_bytes + fresh.guard_bytes;
    fresh.stacks[i].guard_bytes = fresh.guard_bytes;
    fresh.ready[i].store(0, std::memory_order_relaxed);
  }
  for (std::size_t word = 0; word < words; ++word) {
    const std::size_t in_word = count - word * bits;
    fresh.free[word].store(in_word >= bits ? ~std::uint64_t{0} : (std::uint64_t{1} << in_word) - 1,
                           std::memory_order_relaxed);
  }
  // unreached below: tools
  if (sanitizers::apart() != 0 && count > 1) {
    // Something else may lie above.
    fresh.free[0].fetch_and(~std::uint64_t{1}, std::memory_order_relaxed);
  }
  NOPAL_PLAIN_WRITE(regions_[number]);
  regions_[number] = fresh;
  // Release pairs with the acquire in take: the region is complete when it is counted.
  regions_count_.store(number + 1, NOPAL_FAULT_ORDER("counted without release", std::memory_order_release));
  return true;
}

bool stack_pool::grow(std::size_t seen_regions) noexcept {
  // Acquire and release pair with the same flag in another thread's grow: one region at a time.
  // unreached below: race
  while (!NOPAL_FAULT("grown by two") && growing_.test_and_set(std::memory_order_acquire)) {
    os::yield();
  }
  bool grown = regions_count_.load(std::memory_order_relaxed) != seen_regions;
  // In a child of fork(2) a pool that has not been started has none.
  const std::size_t most = grown || seen_regions == 0 ? 0 : stacks_of_a_region(1);
  for (std::size_t count = most; !grown && count > 0; count /= 2) {
    grown = add_region(count, count == most);
  }
  growing_.clear(std::memory_order_release);
  return grown;
}

void stack_pool::stop() noexcept {
  const std::size_t count = regions_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    region& old = regions_[i];
    for (std::size_t index = 0; index < old.count; ++index) {
      if (old.ready[index].load(std::memory_order_acquire) != 0) {
        sanitizers::stack_unmade(old.stacks[index].record);
      }
    }
    os::unmap(old.low, old.mapped_bytes());
    delete[] old.stacks;
    delete[] old.free;
    delete[] old.ready;
    old = region{};
  }
  policy_.nodes = 1;  // So nobody asks for the node of a CPU, whose description goes with the stacks.
  of_first_node_ = ~std::uint64_t{0};
  regions_count_.store(0, std::memory_order_release);
  stacks_with_idle_pages_.store(0, std::memory_order_relaxed);
  mapped_.store(0, std::memory_order_relaxed);
  out_.store(0, std::memory_order_relaxed);
}

nopal_stack* stack_pool::take(const void* below, int node) noexcept {
  wish what{below, NOPAL_FAULT("taken from any node") ? ~std::uint64_t{0} : of_first_node_ << node, false};
  for (;;) {
    // Acquire pairs with add_region.
    const std::size_t count = regions_count_.load(std::memory_order_acquire);
    nopal_stack* stack = take_near_or_far(count, what);
    // unreached: race
    if (stack == nullptr && below != nullptr && !what.refused && count < regions_for_order && grow(count)) {
      continue;  // The system places mappings downwards, as a rule: the new one lies below.
    }
    if (stack == nullptr && below != nullptr) {
      what.below = nullptr;
      stack = take_near_or_far(count, what);
    }
    if (stack != nullptr) {
      reuse(stack);
      const std::uint64_t out = out_.fetch_add(1, std::memory_order_relaxed) + 1;
      std::uint64_t most = most_out_.load(std::memory_order_relaxed);
      // unreached: race
      while (out > most && !most_out_.compare_exchange_weak(most, out, std::memory_order_relaxed)) {
      }
      return stack;
    }
    what.below = below;
    if (what.refused || !grow(count)) {
      return nullptr;
    }
  }
}

nopal_stack* stack_pool::take_near_or_far(std::size_t count, wish& what) noexcept {
  nopal_stack* const stack = take_from_any(count, what);
  return stack != nullptr || ~what.those == 0 ? stack : take_far(count, what);
}

// The order of stacks comes before their nodes: what is below on another node is better than what
// is above on this one.
[[gnu::noinline]] nopal_stack* stack_pool::take_far(std::size_t count, wish& what) noexcept {
  NOPAL_FAULT_DOES("none of another node", return nullptr);
  wish others{what.below, ~what.those, what.refused};
  nopal_stack* const stack = take_from_any(count, others);
  what.refused = others.refused;
  return stack;
}

nopal_stack* stack_pool::take_from_any(std::size_t count, wish& what) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (nopal_stack* const stack = take_from(regions_[i], what)) {
      return stack;
    }
  }
  return nullptr;
}

nopal_stack* stack_pool::take_from(region& from, wish& what) noexcept {
  NOPAL_PLAIN_READ(from);
  const char* const bound = static_cast<const char*>(what.below);
  std::size_t first = 0;
  if (bound != nullptr && bound < from.high) {
    if (bound <= from.low) {
      return nullptr;
    }
    first = (static_cast<std::size_t>(from.high - bound) + from.stride_bytes - 1) / from.stride_bytes;
  }
  for (std::size_t word = first / bits; word * bits < from.count; ++word) {
    std::uint64_t wanted = word == first / bits ? what.those & ~std::uint64_t{0} << first % bits : what.those;
    std::uint64_t free = from.free[word].load(std::memory_order_relaxed);
    while ((free & wanted) != 0) {
      NOPAL_DISTURB();
      const auto bit = static_cast<std::size_t>(std::countr_zero(free & wanted));
      // Acquire pairs with the release in give: what the last holder wrote to the stack's
      // description is visible.
      NOPAL_FAULT_DOES("taken in two steps",
                       from.free[word].store(free & ~(std::uint64_t{1} << bit), std::memory_order_relaxed));
      if (NOPAL_FAULT("taken in two steps") ||
          from.free[word].compare_exchange_weak(
              free, free & ~(std::uint64_t{1} << bit),
              NOPAL_FAULT_ORDER("taken without acquire", std::memory_order_acquire),
              std::memory_order_relaxed)) {
        const std::size_t index = word * bits + bit;
        if (prepare(from, index, what.refused)) {
          return &from.stacks[index];
        }
        wanted &= ~(std::uint64_t{1} << bit);
        free = from.free[word].load(std::memory_order_relaxed);
      }
    }
  }
  return nullptr;
}

bool stack_pool::prepare(region& in, std::size_t index, bool& refused) noexcept {
  if (in.ready[index].load(std::memory_order_relaxed) != 0) {
    return true;
  }
  nopal_stack& stack = in.stacks[index];
  // Not before its first use: what may be written counts as memory under mlockall(MCL_FUTURE),
  // RLIMIT_DATA and strict accounting. One refusal is enough: with the system's limit on mappings
  // or memory reached, stacks that were used before still serve.
  refused = refused || !os::allow_stack_memory(stack.low, stack.size_bytes());
  if (refused) {
    in.free[index / bits].fetch_or(std::uint64_t{1} << index % bits, std::memory_order_release);
    return false;
  }
  sanitizers::stack_made(stack.record, stack.low, stack.size_bytes());
  // Release pairs with the acquire in measure.
  in.ready[index].store(1, std::memory_order_release);
  mapped_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

int stack_pool::node_of(const nopal_stack* stack) const noexcept {
  const region* const home = home_of(stack);
  // In a child of fork(2) it may be of its parent's pool.
  return home == nullptr
             ? 0
             : static_cast<int>((stack - home->stacks) % static_cast<std::ptrdiff_t>(bits) % policy_.nodes);
}

bool stack_pool::is_high(const nopal_stack* stack) const noexcept {
  const nopal_stack* const first = regions_[0].stacks;
  return first != nullptr && stack >= first &&
         stack < first + 8 * static_cast<std::ptrdiff_t>(policy_.workers);
}

bool stack_pool::contains(const void* address) const noexcept {
  const std::size_t count = regions_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (address >= regions_[i].low && address < regions_[i].high) {  // unreached: memory-by-region
      return true;
    }
  }
  return false;
}

const stack_pool::region* stack_pool::home_of(const nopal_stack* stack) const noexcept {
  const std::size_t count = regions_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {  // unreached: home-region
    const region& home = regions_[i];
    if (stack >= home.stacks && stack < home.stacks + home.count) {
      return &home;
    }
  }
  return nullptr;
}

std::size_t stack_pool::give(nopal_stack* stack) noexcept {
  const region* const found = home_of(stack);
  if (found == nullptr) {
    return give_pages_back(stack, stack->high);
  }
  const region& home = *found;
  const std::size_t pages = idle(stack, stack->high);
  out_.fetch_sub(1, std::memory_order_relaxed);
  const auto index = static_cast<std::size_t>(stack - home.stacks);
  NOPAL_DISTURB();
  // Release pairs with the acquire in take_from.
  home.free[index / bits].fetch_or(std::uint64_t{1} << index % bits,
                                   NOPAL_FAULT_ORDER("given without release", std::memory_order_release));
  return pages;
}

std::size_t stack_pool::retain(nopal_stack* stack, const void* stack_pointer) noexcept {
  auto* const first_needed = static_cast<char*>(const_cast<void*>(stack_pointer)) - red_zone_bytes;
  return idle(stack, first_needed);
}

void stack_pool::reuse(nopal_stack* stack) noexcept {
  if (stack->idle_pages) {
    stack->idle_pages = false;
    stacks_with_idle_pages_.fetch_sub(1, std::memory_order_relaxed);
  }
}

std::size_t stack_pool::idle(nopal_stack* stack, char* first_needed) noexcept {
  if (policy_.when == nopal::reclaim::never) {
    return 0;
  }
  if (policy_.when == nopal::reclaim::lazy) {
    // Relaxed: the count is a budget, and being off by the stacks that come and go just now does no
    // harm.
    const int held = stacks_with_idle_pages_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (may_keep(stack, first_needed, held)) {
      stack->idle_pages = true;
      return 0;
    }
    stacks_with_idle_pages_.fetch_sub(1, std::memory_order_relaxed);
  }
  return give_pages_back(stack, first_needed);
}

// Giving pages back interrupts every processor that runs a thread of the process: a few pages are
// not worth that. Nor is a look at each suspension, and what was few stays so as a rule.
bool stack_pool::may_keep(nopal_stack* stack, const char* first_needed, int held) const noexcept {
  constexpr std::size_t few_pages = 4;
  constexpr std::uint8_t times_between_looks = 15;
  if (held <= budget_ || held > budget_of_few_) {
    return held <= budget_;
  }
  if (stack->unlooked > 0) {
    --stack->unlooked;
    return true;
  }
  const std::size_t page_bytes = os::page_size();
  // The red zone of a strand at its stack's end lies below the stack.
  const std::size_t unused =
      first_needed > stack->low ? static_cast<std::size_t>(first_needed - stack->low) / page_bytes : 0;
  const std::size_t looked_at = unused < few_pages + 1 ? unused : few_pages + 1;
  if (os::resident_pages(stack->low + (unused - looked_at) * page_bytes, looked_at * page_bytes) >
      few_pages) {
    return false;
  }
  stack->unlooked = times_between_looks;
  return true;
}

std::size_t stack_pool::give_pages_back(nopal_stack* stack, char* high) noexcept {
  const std::size_t page_bytes = os::page_size();
  const auto used = reinterpret_cast<std::uintptr_t>(high) / page_bytes * page_bytes;
  const auto low = reinterpret_cast<std::uintptr_t>(stack->low);
  if (used <= low) {
    return 0;
  }
  const std::size_t pages = os::resident_pages(stack->low, used - low);
  const std::size_t above = stack->size_bytes() / page_bytes - (used - low) / page_bytes;
  stack->most_pages = pages + above > stack->most_pages ? pages + above : stack->most_pages;
  if (pages == 0 || !os::discard_pages(stack->low, used - low, policy_.how == nopal::reclaim_call::free)) {
    return 0;
  }
  return pages;
}

stack_pool::usage stack_pool::measure() const noexcept {
  usage result;
  result.mapped = mapped_.load(std::memory_order_relaxed);
  result.most_out = most_out_.load(std::memory_order_relaxed);
  const std::size_t count = regions_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    const region& in = regions_[i];
    for (std::size_t index = 0; index < in.count; ++index) {
      if (in.ready[index].load(std::memory_order_acquire) == 0) {
        continue;
      }
      const nopal_stack& stack = in.stacks[index];
      const std::size_t pages = os::resident_pages(stack.low, stack.size_bytes());
      result.pages_in_use += pages;
      result.pages_peak += pages > stack.most_pages ? pages : stack.most_pages;
    }
  }
  return result;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
