// The sums of the timed activities, and what a timer shows of itself.
#include "view/times.hpp"

#ifdef NOPAL_VIEW_TIMES

#include <algorithm>

namespace {

using namespace nopal::internal::view;

/// The least that two looks at the clock are apart: what a timer adds to the time it shows.
std::uint64_t least_ticks() noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t start = nopal::internal::processor_ticks();
    least = std::min(least, nopal::internal::processor_ticks() - start);
  }
  return least;
}

}  // namespace

extern "C" void nopal_read_view_times(nopal_view_times* into) noexcept {
  for (int i = 0; i < 4; ++i) {
    into->ticks[i] = time_sums[i].ticks.load(std::memory_order_relaxed);
    into->count[i] = time_sums[i].count.load(std::memory_order_relaxed);
  }
  into->empty_ticks = least_ticks();
}

#endif
