// A file that the library writes as the process ends, and what such a file says of code.
#ifndef NOPAL_OS_REPORT_FILE_HPP
#define NOPAL_OS_REPORT_FILE_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// Makes it, or empties it. Returns its number, or an errno value made negative. Processes that the
/// program executes do not get it.
[[nodiscard]] int create_file(const char* path) noexcept;
/// Writes all. Returns 0 or an errno value.
int write_file(int file, const char* text, std::size_t bytes) noexcept;

struct code_place {
  const char* object;    ///< the path of the program or library; empty: not known
  std::uint64_t offset;  ///< as the object's own tables have it
  const char* symbol;    ///< empty: not known
};
[[nodiscard]] code_place place_of(const void* address) noexcept;

struct thread_time {
  std::uint64_t processor_ns;  ///< that the calling thread had a processor
  std::uint64_t own_waits;     ///< how often it has waited for something
};
[[nodiscard]] thread_time time_of_thread() noexcept;

/// Calls `act` in a handler of those signals that end a process from outside, where the program leaves
/// them alone.
void when_ended_by_signal(void (*act)(int signal_number)) noexcept;
/// Leaves those alone that `act` was for, and is still.
void leave_signals(void (*act)(int signal_number)) noexcept;
/// Ends the process by that signal, as if nobody had handled it.
void end_by_signal(int signal_number) noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
