// Messages that must come out whole, whatever state the program's own streams are in.
#include "os/os.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace os {

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

}  // namespace os
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
