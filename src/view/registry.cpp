// The registry: reducers get numbers and give them back, and hold and pin their entries.
#include "view/registry.hpp"

#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "sanitizers/sanitizers.hpp"
#include "testing/fault_points.hpp"
#include "view/unwatched_lock.hpp"
#include "view/view_set.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

registry::entry* registry::make_block(std::uint32_t number) noexcept {
  // All zeroes is an entry of nobody. Blocks are small, since the allocator may fill them with zeroes.
  std::size_t bytes = (block_entries + 1) * sizeof(entry);
  memory_[number] = std::calloc(1, bytes);
  void* first = memory_[number];
  return first != nullptr
             ? static_cast<entry*>(std::align(alignof(entry), block_entries * sizeof(entry), first, bytes))
             : nullptr;
}

std::uint32_t registry::take_number() noexcept {
  if (const std::uint32_t id = NOPAL_PLAIN_LOAD(free_); id != 0) {
    NOPAL_PLAIN_STORE(free_, at(id).next_free);
    ++given_out_;
    return id;
  }
  const std::uint32_t block = used_ / block_entries;
  if (block == block_count) {
    return 0;
  }
  if (blocks_[block].load(std::memory_order_relaxed) == nullptr) {
    entry* const entries = make_block(block);
    if (entries == nullptr) {
      return 0;
    }
    blocks_[block].store(entries, std::memory_order_relaxed);
  }
  ++given_out_;
  return used_++;
}

void registry::give_number_back(std::uint32_t id) noexcept {
  NOPAL_PLAIN_STORE(at(id).next_free, NOPAL_PLAIN_LOAD(free_));
  NOPAL_PLAIN_STORE(free_, id);
  --given_out_;
}

void* registry::word_of(std::uint32_t id) noexcept {
  // As far from slots as the words of sets are, in the lowest 12 bits of their addresses.
  constexpr std::size_t first = view_set::page / 2 / sizeof(std::uint64_t);
  constexpr std::size_t bytes = (block_entries * sizeof(std::uint64_t)) + view_set::page;
  std::uint64_t*& block = words_[id / block_entries];
  if (block == nullptr) {
    block = static_cast<std::uint64_t*>(std::aligned_alloc(view_set::page, bytes));
    if (block == nullptr) {
      return nullptr;
    }
    std::memset(block, 0, bytes);
  }
  return block + first + id % block_entries;
}

std::uint32_t registry::enter(const nopal_view_functions& functions, void* object, void* leftmost,
                              bool watched) {
  const bool makes_leftmost = leftmost == nullptr && watched;
  if (makes_leftmost && (leftmost = functions.create(object)) == nullptr) {
    return 0;
  }
  std::uint32_t id;
  {
    const unwatched_lock guard(lock_);
    id = take_number();
    if (id != 0 && leftmost == nullptr && (leftmost = word_of(id)) == nullptr) {
      give_number_back(std::exchange(id, 0));
    }
  }
  if (id != 0) {
    entry& one = at(id);
    NOPAL_PLAIN_WRITE(one.leftmost);
    one.functions = functions;
    if (watched) {
      one.functions.identity = nullptr;
    }
    one.object = object;
    one.leftmost = leftmost;
    one.owns_leftmost = makes_leftmost;
    // Relaxed: nobody else knows the number yet.
    one.state.store(0, std::memory_order_relaxed);
  } else if (makes_leftmost) {
    functions.destroy(object, leftmost);
  }
  return id;
}

void registry::recycle(std::uint32_t id) noexcept {
  const unwatched_lock guard(lock_);
  give_number_back(id);
}

void registry::trim() noexcept {
  const unwatched_lock guard(lock_);
  if (given_out_ != 0) {
    return;
  }
  // Nobody knows a number, so nobody reads an entry or a word, and numbers begin anew. ThreadSanitizer sees no order between
  // this thread and those that used the memory.
  const sanitizers::unseen whole;
  for (std::uint32_t block = 0; block * block_entries < used_; ++block) {
    // Relaxed: whoever is given a number of the next block has it from the one who enters it.
    blocks_[block].store(nullptr, std::memory_order_relaxed);
    std::free(std::exchange(memory_[block], nullptr));
    std::free(std::exchange(words_[block], nullptr));
  }
  used_ = 1;
  NOPAL_PLAIN_STORE(free_, 0);
}

void registry::yield(int) noexcept { sched_yield(); }

void registry::end(std::uint32_t id, void (*wait)(int round) noexcept) noexcept {
  entry& one = at(id);
  void* const owned = one.owns_leftmost ? one.leftmost : nullptr;
  void* const object = one.object;
  const auto destroy = one.functions.destroy;
  // The end is a holder too, so that the number stays this reducer's while its pins are looked at.
  // Release: what was done to the reducer comes before.
  one.state.fetch_add(ended + (NOPAL_FAULT("holders not heeded") ? 0 : one_holder),
                      std::memory_order_acq_rel);
  // Only who pinned it before it ended may use it still. Relaxed: to let go acquires what the end
  // of the pin released.
  for (int round = 0;
       !NOPAL_FAULT("end does not wait") && (one.state.load(std::memory_order_relaxed) & pins) != 0;
       ++round) {
    wait(round);
  }
  let_go(id);
  if (owned != nullptr) {
    destroy(object, owned);
  }
}

void registry::hold(std::uint32_t id) noexcept {
  // Relaxed: the view that is entered keeps the number from changing its meaning from here on, in
  // this thread's order.
  at(id).state.fetch_add(one_holder, std::memory_order_relaxed);
}

void registry::let_go(std::uint32_t id) noexcept {
  // Release orders this holder's use of the entry before its next use; acquire gets the other
  // holders'.
  const std::uint64_t before =
      at(id).state.fetch_sub(one_holder, NOPAL_FAULT_ORDER("let go relaxed", std::memory_order_acq_rel));
  if (before == (ended | one_holder) || (NOPAL_FAULT("recycled by each") && (before & ended) != 0)) {
    recycle(id);
  }
}

void registry::drop(std::uint32_t id, void* view) noexcept {
  const entry& one = at(id);
  NOPAL_PLAIN_READ(one.leftmost);
  if (view != one.leftmost) {
    one.functions.destroy(one.object, view);
  }
  let_go(id);
}

void registry::reduce(std::uint32_t id, void* left, void* right) {
  entry& one = at(id);
  // The end of the pin, at each way out. Release pairs with the acquire as the reducer's end lets
  // go.
  struct pin {
    explicit pin(entry& which)
        : of(which), was_ended((which.state.fetch_add(one_pin, std::memory_order_acquire) & ended) != 0) {}
    ~pin() {
      of.state.fetch_sub(one_pin, NOPAL_FAULT_ORDER("pin ends without release", std::memory_order_release));
    }
    entry& of;
    const bool was_ended;
  };
  const pin pinned(one);
  if (!pinned.was_ended || NOPAL_FAULT("end not heeded")) {
    one.functions.reduce(one.object, left, right);
  }
}

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
