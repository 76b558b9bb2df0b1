// What events order: what a strand did before it set one comes before what another does after it
// waited for that.
//
// Bags do not say so. So a race is none where the earlier access came before the set, in the same
// child of the innermost scope that separates both.
#ifndef NOPAL_CHECK_EVENTS_HPP
#define NOPAL_CHECK_EVENTS_HPP

#include <cstdint>

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Whether events order the access of this record before the running strand.
bool comes_before(std::uint32_t record) noexcept;

/// Ends the program with a line if the running strand, which was called from there, waits for what can never come; `lock`
/// is null if it waits for no lock.
void wait_in_vain(const char* what, const void* lock, void* returned_to);

/// Whether there is anything to leave at a child's end.
extern bool has_waits;
/// At a child's end: what it waited for orders nothing after it.
void leave_events() noexcept;

/// Of all strands that have set an event which may be waited for, but for those that set one that others have set before:
/// such are alike.
void visit_setters(void (*visit)(std::uint32_t strand)) noexcept;

/// Where records end that are from before an event was set: of all that may be waited for, and of the waits.
void visit_ends_of_events(void (*visit)(std::uint32_t& end)) noexcept;

/// Gives strands new numbers.
void renumber_events(std::uint32_t (*strand)(std::uint32_t)) noexcept;
/// After the above, where the numbers are those of all strands, and where some waits are gone.
void find_waits_anew() noexcept;

}  // namespace nopal_check

#endif
