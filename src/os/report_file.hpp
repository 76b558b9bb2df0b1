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

/// A file that is there from the beginning, and is written at the end.
struct report_file {
  int number = -1;
  std::uint64_t device = 0;  ///< with the next: which file that is
  std::uint64_t inode = 0;
  char path[4096] = {};  ///< from the root
};

/// Makes it, or empties it. Returns 0 or an errno value: EBUSY if this process has it open already. Processes that the
/// program executes do not get it.
[[nodiscard]] int create_file(const char* path, report_file& made) noexcept;
/// Before it is written: opens it anew if the program has closed it, whose number may be another file's;
/// empties it, and keeps other processes that end from writing it meanwhile. Returns 0 or an errno value.
[[nodiscard]] int reopen_file(report_file& file) noexcept;
/// Others may write it from here on.
void close_file(report_file& file) noexcept;
/// Writes all. Returns 0 or an errno value.
int write_file(int file, const char* text, std::size_t bytes) noexcept;

struct code_place {
  const char*
      object;  ///< the path of the program or library from the root, until the next call; empty: not known
  std::uint64_t offset;  ///< as the object's own tables have it
  const char* symbol;    ///< empty: not known
};
[[nodiscard]] code_place place_of(const void* address) noexcept;

struct thread_time {
  std::uint64_t processor_ns;  ///< that the calling thread had a processor
  std::uint64_t own_waits;     ///< how often it has waited for something
};
[[nodiscard]] thread_time time_of_thread() noexcept;

inline constexpr std::uint64_t unknown_ns = ~std::uint64_t{0};
/// That the calling thread was ready and others had its processor; `unknown_ns` where the system does not say.
/// Takes some microseconds.
[[nodiscard]] std::uint64_t ready_ns_of_thread() noexcept;

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
