// Numbers that only grow: tickets of steals, places of kept exceptions, versions of deques. They are 64 bits wide and never
// start anew; at 10^9 a second the first would wrap after 500 years.
#ifndef NOPAL_SCHEDULER_CLOCKS_HPP
#define NOPAL_SCHEDULER_CLOCKS_HPP

#include <atomic>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Where they start. For tests, which change it before the first fork, to be there when a number outgrows 32 bits.
struct clock_starts {
  std::uint64_t ticket = 0;
  std::uint64_t version = 0;
  std::uint64_t place = 0;
};
extern constinit clock_starts clocks_start_at;

/// Grows from one kept exception to the next; those of one frame between two steals are kept by one strand.
std::uint64_t next_place() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
