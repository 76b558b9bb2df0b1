// The pool of stacks, and when their unused pages go back to the system.
//
// Stacks are cut from regions of address space, numbered downwards. A bitmap per region says which
// are free; taking and giving is one compare-and-exchange. Only stacks that were taken once may be
// touched; the rest of a region is guards. `take` looks for the highest stack below the frame it is
// for, since debuggers unwind towards higher addresses only. Nothing is unmapped before `stop`.
//
// Of several memory nodes each has every so many-th stack, by its number alone, so that there are
// high ones of each and no state says whose a stack is.
#ifndef NOPAL_STACK_POOL_HPP
#define NOPAL_STACK_POOL_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/runtime.hpp>

#include "stack/stack.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

class stack_pool {
public:
  static constexpr int most_nodes = 64;

  struct policy {
    std::size_t stack_bytes = 0;  ///< usable bytes of a stack, a multiple of the page size
    int workers = 1;
    nopal::reclaim when = nopal::reclaim::lazy;
    nopal::reclaim_call how = nopal::reclaim_call::dontneed;
    int nodes = 1;  ///< memory nodes, `most_nodes` at most
  };

  struct usage {
    std::uint64_t mapped = 0;  ///< stacks that were ever used
    /// The most outside the pool at once, those that workers keep at hand included
    std::uint64_t most_out = 0;
    std::uint64_t pages_in_use = 0;  ///< resident pages of all of them now
    std::uint64_t pages_peak = 0;    ///< bound on the most at once: the sum of each stack's most
  };

  /// Maps the first region. False if not even one stack per worker fits into the address space.
  bool start(const policy& with) noexcept;

  /// Unmaps everything. No stack may be outside the pool.
  void stop() noexcept;

  /// A stack, if possible one that lies below `below`, and of such ones, if possible, one of the
  /// memory node `node`; null if there is no memory for another.
  nopal_stack* take(const void* below, int node = 0) noexcept;

  /// Gives an empty stack back. In a child of fork(2), a stack of its parent's pool then belongs to
  /// nobody. Returns the pages given back to the system.
  std::size_t give(nopal_stack* stack) noexcept;

  [[nodiscard]] int nodes() const noexcept { return policy_.nodes; }

  /// The memory node that has a stack of the pool; below `nodes()`.
  [[nodiscard]] int node_of(const nopal_stack* stack) const noexcept;

  /// Whether it is among the highest stacks, as many as all workers as a rule need: what lies below
  /// can be continued on it. Each node has as many of these as another.
  [[nodiscard]] bool is_high(const nopal_stack* stack) const noexcept;

  /// Whether an address lies on some stack of the pool.
  [[nodiscard]] bool contains(const void* address) const noexcept;

  /// The stack is retained and nothing below `stack_pointer` is needed. Returns the pages given
  /// back to the system.
  std::size_t retain(nopal_stack* stack, const void* stack_pointer) noexcept;

  /// A retained stack is run on again.
  void reuse(nopal_stack* stack) noexcept;

  [[nodiscard]] usage measure() const noexcept;

private:
  static constexpr std::size_t most_regions = 64;
  static constexpr std::size_t bits = 64;

  struct region {
    char* low = nullptr;
    char* high = nullptr;
    std::size_t count = 0;                       // stacks
    std::size_t guard_bytes = 0;                 // below each stack, and above the highest
    std::size_t stride_bytes = 0;                // from one stack to the next
    nopal_stack* stacks = nullptr;               // described from the highest address down
    std::atomic<std::uint64_t>* free = nullptr;  // bit i: stack i is in the pool
    std::atomic<std::uint8_t>* ready = nullptr;  // 1: stack i may be touched

    [[nodiscard]] std::size_t mapped_bytes() const noexcept { return count * stride_bytes + guard_bytes; }
  };

  // What a take looks for.
  struct wish {
    const void* below;    // null: anywhere
    std::uint64_t those;  // bit i: stack i of each word
    bool refused;         // the system refused a stack during this take, and is not asked for another
  };

  [[nodiscard]] const region* home_of(const nopal_stack* stack) const noexcept;
  [[nodiscard]] std::size_t narrow_guard() const noexcept;
  [[nodiscard]] std::size_t wide_guard() const noexcept;
  [[nodiscard]] std::size_t stacks_of_a_region(std::size_t least) const noexcept;
  [[nodiscard]] region map_region(std::size_t count, std::size_t guard_bytes) const noexcept;
  [[nodiscard]] region map_region_by_limits(std::size_t count) const noexcept;
  bool add_region(std::size_t count, bool may_be_wide) noexcept;
  bool grow(std::size_t seen_regions) noexcept;
  nopal_stack* take_near_or_far(std::size_t count, wish& what) noexcept;
  nopal_stack* take_far(std::size_t count, wish& what) noexcept;
  nopal_stack* take_from_any(std::size_t count, wish& what) noexcept;
  nopal_stack* take_from(region& from, wish& what) noexcept;
  bool prepare(region& in, std::size_t index, bool& refused) noexcept;
  std::size_t give_pages_back(nopal_stack* stack, char* high) noexcept;
  std::size_t idle(nopal_stack* stack, char* first_needed) noexcept;
  bool may_keep(nopal_stack* stack, const char* first_needed, int held) const noexcept;

  policy policy_;
  std::uint64_t of_first_node_ = ~std::uint64_t{0};  // bit i: stack i of each word
  // Under `lazy`: stacks that may hold any unused pages, and that may hold a few.
  int budget_ = 0;
  int budget_of_few_ = 0;
  std::atomic<std::size_t> regions_count_{0};
  std::atomic_flag growing_ = ATOMIC_FLAG_INIT;
  region regions_[most_regions];
  std::atomic<int> stacks_with_idle_pages_{0};
  std::atomic<std::uint64_t> mapped_{0};
  std::atomic<std::uint64_t> out_{0};
  std::atomic<std::uint64_t> most_out_{0};
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
