// Choosing whose work to look at: at random, near ones first, and by the ranks of arenas.

#include "scheduler/victims.hpp"

#include <climits>

#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/steal.hpp"

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

void leave_cpu_of(worker* self, const worker* victim) noexcept {
  constexpr std::uint64_t stay_ns = 1'000'000;
  if (!the_runtime().spreads_woken || !self->of_pool) {
    return;
  }
  const int own = os::current_cpu();
  worker* const first = thread_worker(victim);
  // Relaxed: a CPU is a hint. The first word is stored before `has_thread`; the second is the kernel's.
  const std::uint32_t* const word = first->cpu_of_thread.load(std::memory_order_relaxed);
  if (word == nullptr || own < 0) {
    return;
  }
  // Sequentially consistent on both words: see visit.
  first->visitors.fetch_add(1, std::memory_order_seq_cst);
  const bool is_shared = first->has_thread.load(std::memory_order_seq_cst) &&
                         __atomic_load_n(first->cpu_of_thread.load(std::memory_order_relaxed),
                                         __ATOMIC_RELAXED) == static_cast<std::uint32_t>(own);
  first->visitors.fetch_sub(1, std::memory_order_release);
  if (!is_shared) {
    return;
  }
  const std::uint64_t now = os::monotonic_ns();
  if (now >= self->stays_until) {
    self->stays_until = now + stay_ns;
    leave_cpu(self, own);
  }
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
