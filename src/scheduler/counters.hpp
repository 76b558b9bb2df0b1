// The counts of a worker, each named once: the worker's own, sums, the structures of both languages
// and the lines at exit follow this table.
#ifndef NOPAL_SCHEDULER_COUNTERS_HPP
#define NOPAL_SCHEDULER_COUNTERS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/detail/counters.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// A count that one thread writes and any thread reads.
class counter {
public:
  // Release and acquire for any_strand_active alone; on x86 they are plain moves.
  void add(std::uint64_t amount = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_acquire); }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// A worker's counts: those that nopal::worker_statistics tells of each worker, one that is told
/// as a sum alone, and one that is not told.
struct worker_counters {
#define NOPAL_COUNTER(name, ...) counter name;
  NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
  counter joined_children;
  counter late_wakes;  ///< pushes that woke nobody yet; see short_regions.hpp

  void add(const worker_counters& others) noexcept {
#define NOPAL_COUNTER(name, ...) name.add(others.name.get());
    NOPAL_DETAIL_WORKER_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
    joined_children.add(others.joined_children.get());
    late_wakes.add(others.late_wakes.get());
  }
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
