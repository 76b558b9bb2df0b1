#include "scheduler/clocks.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

constinit clock_starts clocks_start_at;

std::uint64_t next_place() noexcept {
  static constinit std::atomic<std::uint64_t> places{0};
  // Relaxed: places are compared where they were taken by one strand.
  return clocks_start_at.place + places.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
