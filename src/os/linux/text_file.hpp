// Reading the small text files of /proc and /sys.
#ifndef NOPAL_SRC_OS_LINUX_TEXT_FILE_HPP
#define NOPAL_SRC_OS_LINUX_TEXT_FILE_HPP

#include <string>
#include <string_view>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// The whole file, or its first 4 MiB. False, with no text, if it cannot be read.
bool read_text_file(const std::string& path, std::string& text);

/// Reads a file that holds one decimal number. False if it is missing or holds anything else.
bool read_number_file(const std::string& path, long long& number);

/// Reads a decimal number that is the whole of `text`.
bool parse_number(std::string_view text, long long& number);

/// Cuts the part of `rest` up to the first `separator` off and returns it; all of it if there is
/// none.
std::string_view take_until(std::string_view& rest, char separator);

/// Without the white space at its end.
std::string_view trim_end(std::string_view text);

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
