// Where the time of reducers goes when strands are stolen, in libraries that are built for the
// evaluation only (NOPAL_VIEW_TIMES). In all others there is nothing to it.
#ifndef NOPAL_VIEW_TIMES_HPP
#define NOPAL_VIEW_TIMES_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

#include "arch/arch.hpp"

/// What a build with NOPAL_VIEW_TIMES has added up since the process began, in the order of
/// `activity`.
struct nopal_view_times {
  std::uint64_t ticks[4];
  std::uint64_t count[4];
  std::uint64_t empty_ticks;  ///< what one timer shows of itself; part of each that was counted
};

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace view {

enum class activity {
  creation,   ///< of an identity
  insertion,  ///< of a view that was made into its strand's set
  transfer,   ///< of a set to the table of deposits and out of it
  merge       ///< of two sets, the reductions of their views included
};

#ifdef NOPAL_VIEW_TIMES

/// Sums of all threads. Relaxed throughout: they are read when all that counts is joined.
struct time_sum {
  std::atomic<std::uint64_t> ticks{0};
  std::atomic<std::uint64_t> count{0};
};
inline constinit time_sum time_sums[4];

/// Adds the time from its making to its end.
class timed {
public:
  explicit timed(activity what) noexcept : what_(what), start_(processor_ticks()) {}
  timed(const timed&) = delete;
  timed& operator=(const timed&) = delete;
  ~timed() {
    const std::uint64_t passed = processor_ticks() - start_;
    time_sum& sum = time_sums[static_cast<std::size_t>(what_)];
    sum.ticks.fetch_add(passed, std::memory_order_relaxed);
    sum.count.fetch_add(1, std::memory_order_relaxed);
  }

private:
  activity what_;
  std::uint64_t start_;
};

#else

class [[maybe_unused]] timed {
public:
  explicit timed(activity) noexcept {}
};

#endif

}  // namespace view
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#ifdef NOPAL_VIEW_TIMES
/// Looks at the sums.
extern "C" void nopal_read_view_times(nopal_view_times* into) noexcept;
#endif

#endif
