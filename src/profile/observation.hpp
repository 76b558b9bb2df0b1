// Which children are looked into, and what is expected of the others.
//
// To record a fork takes a tenth of a microsecond or two. So the forks in a child that is expected to
// be short are not recorded: its work is its time, and its span is that time by the ratio that
// samples have shown. What a child takes is told by the last one of the same fork around, or by what
// that one is expected to take.
#ifndef NOPAL_PROFILE_OBSERVATION_HPP
#define NOPAL_PROFILE_OBSERVATION_HPP

#include <cstdint>

#include "profile/counts.hpp"
#include "profile/machine.hpp"
#include "profile/records.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace profile {

/// At a fork: chooses.
void observe_or_not(strand_state& self, fork_record& fork) noexcept;
/// At the end of its child: what that says of others.
void learn(strand_state& self, const fork_record& fork, std::uint64_t work, std::uint64_t span) noexcept;
/// The strand is outside of the fork's child again, or over.
void leave_unobserved(strand_state& self, const fork_record& fork) noexcept;
/// What the forks in a child are told by those before.
void forget_children(fork_record& around) noexcept;
void note_last(fork_record& around, site_number site, std::uint64_t work) noexcept;
/// In a child that is not looked into: whether it takes much longer than expected. It is looked into
/// then from here on.
[[nodiscard]] bool turns_out_long(strand_state& self) noexcept;
/// Of so many ticks of such children.
[[nodiscard]] std::uint64_t expected_span(site_number site, std::uint64_t ticks) noexcept;

/// Regions of a root: from the first scope that it opens to the end of the last.
void begin_region(strand_state& self) noexcept;
void end_region(strand_state& self) noexcept;

}  // namespace profile
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
