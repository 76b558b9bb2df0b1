// Where the sequence numbers start, and the counter of serial positions.
#include "scheduler/sequence_numbers.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

constinit sequence_starts sequences_start_at;

std::uint64_t next_position() noexcept {
  static constinit std::atomic<std::uint64_t> positions{0};
  // Relaxed: only positions that one strand took are compared.
  return sequences_start_at.position + positions.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
