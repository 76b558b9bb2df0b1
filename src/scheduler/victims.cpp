// Choosing whose work to look at: at random, near ones first, and by the ranks of arenas.

#include "scheduler/victims.hpp"

#include <climits>

#include "scheduler/runtime.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// A round in so many is for all ranks, so that no work waits for thieves for ever.
constexpr std::uint32_t rounds_by_rank = 16;

}  // namespace

int allowed_workers = INT_MAX;

namespace {

// Relaxed, all of them: a thief that is told late looks at other ranks first for a round.
std::atomic<int> high_calls{0};
std::atomic<int> low_calls{0};

std::uint64_t next_random(worker* self) {
  // xorshift64: any non-zero state; only the spread of victims depends on it.
  std::uint64_t x = self->random;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  self->random = x;
  return x;
}

}  // namespace

worker* choose_victim(worker* self, int attempt) noexcept {
  runtime& all = the_runtime();
  const auto others = static_cast<std::uint64_t>(all.table_used.load(std::memory_order_relaxed)) - 1;
  auto index = static_cast<std::size_t>(NOPAL_CHOICE(others, (next_random(self) >> 32) * others >> 32));
  NOPAL_PLAIN_READ(self->index);
  index += index >= static_cast<std::size_t>(self->index) ? 1 : 0;
  // Acquire pairs with the release in enter_table: the worker is complete.
  worker* const victim = all.table[index].load(std::memory_order_acquire);
  if (victim == nullptr) {
    return nullptr;
  }
  if (all.hierarchy) {
    const int reach = attempt * os::distance_levels / looks_before_yield;
    const int distance = all.topology->distance(self->cpu.load(std::memory_order_relaxed),
                                                victim->cpu.load(std::memory_order_relaxed));
    if (distance > reach && reach < os::distance_levels - 1) {
      return nullptr;
    }
  }
  return victim;
}

void count_call_of_rank(std::uint32_t rank, int amount) noexcept {
  if (rank != ordinary_rank) {
    (rank < ordinary_rank ? high_calls : low_calls).fetch_add(amount, std::memory_order_relaxed);
  }
}

void choose_ranks_of_look(worker* self, int attempt) noexcept {
  const bool high = attempt < looks_before_yield / 4 && high_calls.load(std::memory_order_relaxed) > 0;
  const bool low = attempt < looks_before_yield / 2 && low_calls.load(std::memory_order_relaxed) > 0;
  self->most_rank = self->rounds % rounds_by_rank == 0 ? lowest_rank
                    : high                             ? ordinary_rank - 1
                    : low                              ? ordinary_rank
                                                       : lowest_rank;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
