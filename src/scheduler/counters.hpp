// The counts of a worker, each named once: the worker's own, sums, the structures of both languages and the lines at exit
// follow this table.
#ifndef NOPAL_SCHEDULER_COUNTERS_HPP
#define NOPAL_SCHEDULER_COUNTERS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

/// `each(name, title, width)`, in the order of the public structures. NOPAL_STATS prints a column with the title, so many
/// characters wide; those without one are for programs alone.
#define NOPAL_COUNTERS(each)                                                                                 \
  each(steals, "steals", 10) each(failed_steals, "failed", 10) each(suspensions, "suspended", 10)            \
      each(resumptions, nullptr, 0) each(publishes, "published", 10) each(forced_publishes, "forced", 8)     \
          each(parks, "parks", 8) each(wakes, "wakes", 8) each(stacks_taken, nullptr, 0)                     \
              each(stacks_returned, nullptr, 0) each(pages_reclaimed, "pages", 8)

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

struct worker_counters {
#define NOPAL_COUNTER(name, title, width) counter name;
  NOPAL_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
  counter joined_children;

  /// Adds another worker's.
  void add(const worker_counters& other) noexcept {
#define NOPAL_COUNTER(name, title, width) name.add(other.name.get());
    NOPAL_COUNTERS(NOPAL_COUNTER)
#undef NOPAL_COUNTER
    joined_children.add(other.joined_children.get());
  }
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
