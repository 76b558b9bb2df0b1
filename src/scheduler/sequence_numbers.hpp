// The sequence numbers of the runtime: tickets of steals, serial positions of kept exceptions, and
// versions of deques. They only grow. With 64 bits they wrap after 500 years at 10^9 a second.
#ifndef NOPAL_SCHEDULER_SEQUENCE_NUMBERS_HPP
#define NOPAL_SCHEDULER_SEQUENCE_NUMBERS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Where the numbers start. Tests change this before the first fork, so that a number soon outgrows
/// 32 bits.
struct sequence_starts {
  std::uint64_t ticket = 0;
  std::uint64_t version = 0;
  std::uint64_t position = 0;
};
extern constinit sequence_starts sequences_start_at;

/// The next serial position of an exception that is kept. One strand keeps all exceptions of a
/// frame between two steals, so their positions are in serial order.
std::uint64_t next_position() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
