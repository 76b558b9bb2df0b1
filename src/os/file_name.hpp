// Names of files that variables of the environment give.
#ifndef NOPAL_OS_FILE_NAME_HPP
#define NOPAL_OS_FILE_NAME_HPP

#include <cstddef>
#include <cstdio>

#include <nopal/version.hpp>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// The most bytes that a number of a process has, with the end of the text.
inline constexpr std::size_t process_number_bytes = 16;

/// Writes the name to `to` from `length` on, "%p" behind its last slash replaced by the number of the process: folders
/// keep their names. False if `length` would be `most` or more; `to` has `process_number_bytes` beyond that.
inline bool append_file_name(char* to, std::size_t length, std::size_t most, const char* name,
                             std::size_t bytes) noexcept {
  std::size_t last_part = bytes;
  while (last_part > 0 && name[last_part - 1] != '/') --last_part;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (length >= most) {
      return false;
    }
    if (i >= last_part && name[i] == '%' && i + 1 < bytes && name[i + 1] == 'p') {
      length +=
          static_cast<std::size_t>(std::snprintf(to + length, process_number_bytes, "%d", process_number()));
      ++i;
    } else {
      to[length++] = name[i];
    }
  }
  to[length] = '\0';
  return true;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
