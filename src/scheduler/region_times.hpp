// What a root remembers of its regions: see short_regions.hpp and rhythm.hpp.
#ifndef NOPAL_SCHEDULER_REGION_TIMES_HPP
#define NOPAL_SCHEDULER_REGION_TIMES_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/detail/quiet_loops.h>
#include <nopal/version.hpp>

#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// How long a region from one place took, the last time; see short_regions.hpp.
struct region_time {
  const void* place;  ///< where its first fork goes on, or a loop's own address
  std::uint64_t ticks;
  std::size_t count;     ///< of a loop's positions
  std::uint32_t shared;  ///< loops that were not tried alone
  /// Grows as regions that were taken for short ones turn out to be long, and falls as others are short
  std::uint32_t surprises;
  std::uint32_t at_once;  ///< so many regions wake at once, whatever the last one took
  bool was_shared;        ///< the last loop was not alone
};

inline constexpr std::size_t region_places = 16;

/// How regularly times of one kind come, in ticks; see rhythm.hpp.
struct region_rhythm {
  std::uint64_t mean;
  std::uint64_t deviation;
  std::uint32_t regular;  ///< times in a row that were near the mean
};

/// The regions of a root.
struct region_times {
  const nopal_frame* scope;  ///< whose fork began the region that is open; null: none is
  const nopal_frame*
      outermost;         ///< whose fork began it or, where the deque was empty in between, its first part
  const void* place;     ///< where that fork goes on
  std::uint64_t began;   ///< in ticks
  bool taken_for_short;  ///< some push of it woke nobody
  bool none_older;       ///< no fork that is older than its first one was latent then
  std::atomic<bool> owes_wake;  ///< a push woke nobody yet; read by a sleeper that goes to work
  /// Of a thread's first worker: `chosen.workers` of the runtime, where loops have it at hand; see tell_number_of_workers
  std::atomic<std::int32_t> workers;
  /// Of a thread of the program that has some, until its end; see note_workers
  std::atomic<nopal_quiet_loops*> quiet_loops;
  // While it owes a wake:
  std::int32_t looking_entries;  ///< pushes onto fewer entries look at the clock
  std::uint64_t looks_credit;    ///< in ticks; each look takes what it may cost off
  std::uint64_t last_look;       ///< in ticks, never later than now
  std::uint64_t looked;          ///< when a loop looked at the clock, in ticks; never later than now
  std::uint64_t alone_until;     ///< until when loops go on alone after quiet, in ticks
  region_time times[region_places];
  // Of bursts, which are regions with next to nothing between them.
  region_rhythm gaps;         ///< from the end of a burst to the next one
  region_rhythm periods;      ///< from one beginning to the next
  std::uint64_t burst_began;  ///< when, in ticks, as the next three
  std::uint64_t ended;        ///< of the last region
  // Read by sleepers, as hints.
  std::atomic<std::uint64_t> expected;  ///< the next beginning; 0: not known
  std::atomic<std::uint64_t> leeway;    ///< it is no surprise so much before or after
};

/// By the words' thread: the number of workers that they have from here on is not older than the last choice of one. Whoever
/// chooses stores `regions.workers`, then reads `regions.quiet_loops`, then stores 0; this stores that one, then the number,
/// then looks again. All of it is sequentially consistent: either this look finds another number, or the chooser finds the
/// words, and its 0 comes last.
inline void note_workers(region_times& regions, nopal_quiet_loops* mine) noexcept {
  regions.quiet_loops.store(mine, NOPAL_FAULT_ORDER("words noted relaxed", std::memory_order_seq_cst));
  const std::int32_t workers = regions.workers.load(std::memory_order_seq_cst);
  __atomic_store_n(&mine->workers, workers, __ATOMIC_SEQ_CST);
  if (!NOPAL_FAULT("no look after the number") &&
      regions.workers.load(std::memory_order_seq_cst) != workers) {
    __atomic_store_n(&mine->workers, 0, __ATOMIC_RELAXED);
  }
}

/// Tells a thread's first worker the number of workers, and has the thread's words of quiet loops ask for it.
inline void tell_workers(region_times& regions, std::int32_t known) noexcept {
  // Sequentially consistent, and before the load: see note_workers.
  NOPAL_FAULT_OMITS("told before the number", regions.workers.store(known, std::memory_order_seq_cst));
  if (nopal_quiet_loops* const loops = regions.quiet_loops.load(std::memory_order_seq_cst)) {
    // Pairs with the loads of its thread, as hints do; sequentially consistent: after what the thread stored.
    __atomic_store_n(&loops->workers, 0, __ATOMIC_SEQ_CST);
  }
  NOPAL_FAULT_DOES("told before the number", regions.workers.store(known, std::memory_order_seq_cst));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
