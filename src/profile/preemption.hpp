// What others had of a thread's processor, to be left out of its strand's pieces.
//
// The system is asked rarely, for that takes as long as several forks: at the end of a piece so long that it may
// have been interrupted, where a thread comes to a strand, and where the last answer is old. What was lost between
// two answers is taken off a long piece at the end: so it must be little that was lost outside of it.
#ifndef NOPAL_PROFILE_PREEMPTION_HPP
#define NOPAL_PROFILE_PREEMPTION_HPP

#include <cstdint>

#include "profile/machine.hpp"
#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// The piece of so many ticks, without the time in which the thread was ready and others had its
/// processor.
[[nodiscard]] std::uint64_t without_preemption(strand_state& self, std::uint64_t ticks) noexcept;

/// Whether much may have been lost since the last look that is no piece's: in the hook that ends at that moment, or
/// bit by bit in short pieces.
[[nodiscard]] inline bool is_look_old(const strand_state& self, std::uint64_t at) noexcept {
  return at - self.stopped >= this_machine.long_piece || at - self.looked.at >= this_machine.old_look;
}

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
