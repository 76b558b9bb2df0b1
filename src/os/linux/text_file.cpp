// Small text files of /proc and /sys: bounded reads, and numbers without locales.
#include "os/linux/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;

// Closes the file also when appending to the text runs out of memory.
class file_descriptor {
public:
  explicit file_descriptor(const char* path) noexcept : number_(open(path, O_RDONLY | O_CLOEXEC)) {}
  file_descriptor(const file_descriptor&) = delete;
  file_descriptor& operator=(const file_descriptor&) = delete;
  ~file_descriptor() {
    if (number_ >= 0) (void)close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }

private:
  int number_;
};

}  // namespace

bool read_text_file(const std::string& path, std::string& text) {
  text.clear();
  const file_descriptor file(path.c_str());
  if (file.number() < 0) return false;
  char chunk[4096];
  while (text.size() < most_bytes) {
    const ssize_t got = read(file.number(), chunk, sizeof chunk);
    if (got == 0) break;
    if (got > 0) {
      text.append(chunk, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      text.clear();
      return false;
    }
  }
  return true;
}

bool read_number_file(const std::string& path, long long& number) {
  std::string text;
  return read_text_file(path, text) && parse_number(trim_end(text), number);
}

bool parse_number(std::string_view text, long long& number) {
  const char* const end = text.data() + text.size();
  // Not terminated, and need not be: `end` bounds it.
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
  const auto [parsed_to, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && parsed_to == end;
}

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

std::string_view trim_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
