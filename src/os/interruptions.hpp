// Interrupting a thread of this process by a signal that is the library's own.
#ifndef NOPAL_SRC_OS_INTERRUPTIONS_HPP
#define NOPAL_SRC_OS_INTERRUPTIONS_HPP

#include <cstdint>

#include <nopal/version.hpp>

#include "arch/arch.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// What the interrupted code had.
struct interrupted {
  arch::registers at;
  std::uint64_t float_control;  ///< as arch::float_control has it
  bool has_room;                ///< on the stack of the answer, for more than a few words
};

/// The signal for that where none is chosen.
[[nodiscard]] int default_interruption() noexcept;

/// Reads a signal's name, with SIG or without, or its number; "off" as 0. False where it is none
/// that may be used.
bool parse_interruption(const char* text, int& signal) noexcept;

/// Has `answer` called on a thread that `interrupt` was called for, in a handler for `signal`. What
/// others send goes to the handler that was there. False if the system refuses.
bool answer_interruptions(int signal, void (*answer)(const interrupted&)) noexcept;
/// Puts the handler back that was there, unless the program has set another since.
void answer_no_more() noexcept;
/// The same where an interruption that comes late does no harm: not where the system would then end
/// the process.
void pause_answers() noexcept;

/// Lets the calling thread be interrupted by `signal`, which threads of the pool block with the rest.
void allow_interruptions(int signal) noexcept;

/// False if there is no such thread, or the system refuses.
bool interrupt(int thread_id) noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
