// The small readers that those of /proc and /sys are made of.
#include "os/linux/text_file.hpp"

#include <string>

#include "fake_files.hpp"
#include "fuzz.hpp"

namespace {

namespace os = nopal::internal::os;

void check_number(std::string_view text) {
  long long number = 7;
  if (!os::parse_number(text, number)) return;
  long long again = 0;
  FUZZ_CHECK(os::parse_number(std::to_string(number), again));
  FUZZ_CHECK(again == number);
  FUZZ_CHECK(text.find_first_not_of("-0123456789") == std::string_view::npos);
}

void check_parts(std::string_view text, char separator) {
  std::string joined;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = os::take_until(rest, separator);
    FUZZ_CHECK(part.find(separator) == std::string_view::npos);
    joined += part;
    if (joined.size() < text.size()) joined += separator;
    check_number(part);
  }
  FUZZ_CHECK(joined == text);
}

void check_trimmed(std::string_view text) {
  const std::string_view trimmed = os::trim_end(text);
  FUZZ_CHECK(text.starts_with(trimmed));
  FUZZ_CHECK(text.find_first_not_of(" \t\r\n", trimmed.size()) == std::string_view::npos);
  FUZZ_CHECK(trimmed.empty() || trimmed.back() > ' ' ||
             std::string_view(" \t\r\n").find(trimmed.back()) == std::string_view::npos);
}

void check_file(std::string_view text) {
  static fuzz::fake_files files({"/file"});
  if (text.find("---\n") != std::string_view::npos) return;
  files.set(text);
  const std::string path = files.path() + std::string("/file");
  std::string read{"before"};
  FUZZ_CHECK(os::read_text_file(path, read) == !text.empty());
  FUZZ_CHECK(read == text);
  long long whole = 0;
  long long parsed = 0;
  const bool is_number = os::parse_number(os::trim_end(text), parsed);
  FUZZ_CHECK(os::read_number_file(path, whole) == is_number);
  FUZZ_CHECK(whole == parsed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check_number(text);
  for (const char separator : {' ', ',', ':', '\n'}) check_parts(text, separator);
  check_trimmed(text);
  check_file(text);
  return 0;
}
