// What the profiler sums up: for each worker, and for each site in each worker. Written by one
// thread, and read by whoever writes the file, which may be while others still run.
#ifndef NOPAL_PROFILE_COUNTS_HPP
#define NOPAL_PROFILE_COUNTS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profile/paths.hpp"
#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// A sum that one thread writes and any thread reads.
class sum {
public:
  void add(std::uint64_t amount) noexcept { value_.store(get() + amount, std::memory_order_relaxed); }
  void raise_to(std::uint64_t amount) noexcept {
    if (amount > get()) {
      value_.store(amount, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> value_{0};
};

struct site_counts {
  sum forks;
  sum unobserved;     ///< forks whose child was not looked into
  sum work;           ///< of children, those in children of the same site left out
  sum own_work;       ///< of these children themselves, those that they fork left out
  sum sampled_forks;  ///< in samples of short children,
  sum sampled_work;   ///< and own work there: the time from fork to fork
  sum all_work;       ///< of all children: divided by `forks` it is the mean grain
};

struct counts_table {
  counts_table* next;
  fork_record* root;    ///< of a thread of the program, whose path it is; null: of the pool
  sum outside;          ///< work of that root where no scope is open
  sum regions;          ///< how many there were
  sum region_time;      ///< from their beginning to their end
  sum forks;            ///< recorded
  sum unobserved_work;  ///< in children that were not looked into
  sum converted;        ///< of these, children that turned out long
  sum sampled;          ///< moments spent in samples of short children
  sum tasks_work;       ///< of roots that are tasks
  sum tasks_span;       ///< the longest
  sum tasks_burdened;
  told_path longest_task;
  told_path regions_path;  ///< of the thread's root, at its last region's end
  sum all_work;            ///< of all pieces, also of regions that are not over
  sum preempted;           ///< left out of pieces: others had the processor
  sum in_hooks;  ///< from a piece's end to the next one's beginning, at forks, children's ends and joins
  /// What a hook takes of the piece behind it, by its kind: less than nine in ten pieces
  std::atomic<std::uint64_t> cost[4];
  site_counts sites[most_sites];
};

/// What the worker's records have taken of its time.
[[nodiscard]] std::uint64_t taken_by_records(const counts_table& of) noexcept;

/// What is known of a site by all workers alike; hints but for the address.
struct site_knowledge {
  std::atomic<const void*> address;  ///< where the fork's function goes on
  /// A child's work to that of the child that forked it as its first, in 1/1024; 0: not known
  std::atomic<std::uint32_t> first_to_parent;
  /// Of children, in ticks: a mean that follows them
  std::atomic<std::uint64_t> mean_work;
  /// Span to work of children, by the logarithm of their work, in 1/1024; 0: not known
  std::atomic<std::uint32_t> span_to_work[40];
};

/// Its number; `other_sites` if there are too many.
site_number number_of(const void* address) noexcept;
site_knowledge& knowledge_of(site_number site) noexcept;
/// All with this number and above have none.
site_number sites_used() noexcept;

/// A table for a worker. It is never freed.
counts_table* make_counts() noexcept;
counts_table* first_counts() noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
