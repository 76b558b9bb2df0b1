// What the profiler has measured of the machine, and what it takes for short.
#ifndef NOPAL_PROFILE_MACHINE_HPP
#define NOPAL_PROFILE_MACHINE_HPP

#include <cstdint>

#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

struct machine {
  std::uint64_t ticks_per_ms;
  std::uint64_t began_ticks;
  std::uint64_t began_ns;
  std::uint64_t measuring;      ///< what all of this took, in ticks
  std::uint64_t burden;         ///< of a continuation that is stolen, in ticks
  std::uint64_t steal_ns;       ///< parts of that: the way of the cache lines,
  std::uint64_t wake_ns;        ///< a sleeper that is woken,
  std::uint64_t cold_stack_ns;  ///< pages of a stack that was not used before
  std::uint64_t short_child;    ///< children below that are not looked into, in ticks
  std::uint64_t first_cost;     ///< of a hook, to the piece behind it, before anything is known; in ticks
  std::uint64_t most_cost;      ///< likewise, at most
  std::uint64_t long_piece;     ///< of such the thread's own time is asked for, in ticks
  std::uint64_t old_look;       ///< it is asked for anew after so many ticks
};

extern machine this_machine;

/// Takes some milliseconds.
void measure_machine() noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
