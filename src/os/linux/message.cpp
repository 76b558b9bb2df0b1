// Messages that must come out whole, whatever state the program's own streams are in.
#include "os/os.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

/// Of the line that the process ends with.
enum class last_line : int { none, begun, written };
std::atomic<last_line> said{last_line::none};

}  // namespace

void write_stderr(const char* format, ...) noexcept {
  const int saved_errno = errno;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (wanted > 0) {
    const std::size_t length = std::min(static_cast<std::size_t>(wanted), sizeof text - 1);
    if (length < static_cast<std::size_t>(wanted))
      text[length - 1] = '\n';  // a cut message still ends its line
    // Not the C library's function, where a thread may be cancelled.
    while (syscall(SYS_write, STDERR_FILENO, text, length) < 0 && errno == EINTR) {
    }
  }
  errno = saved_errno;
}

void end_process(const char* line) noexcept {
  last_line before = last_line::none;
  // Relaxed, here and below: nothing is handed over, and stderr is the system's.
  if (said.compare_exchange_strong(before, last_line::begun, std::memory_order_relaxed)) {
    write_stderr("%s\n", line);
    said.store(last_line::written, std::memory_order_relaxed);
  }
  // An abort by whoever comes later would cut the first one's line off.
  while (said.load(std::memory_order_relaxed) != last_line::written) {
    yield();
  }
  std::abort();
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
