// What fuzz targets share. A target is one source with LLVMFuzzerTestOneInput, which feeds bytes to one of our
// readers and checks what it promises. libFuzzer runs it (./dev fuzz), or driver.cpp where there is no libFuzzer.
#ifndef NOPAL_TESTS_FUZZ_FUZZ_HPP
#define NOPAL_TESTS_FUZZ_FUZZ_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The pieces of `text` between the separators: one more than there are separators.
inline std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + separator.size());
  }
}

/// Whether the text is one line: something, then a newline, and no other control character.
inline bool is_one_line(std::string_view text) {
  if (text.size() < 2 || text.back() != '\n') return false;
  text.remove_suffix(1);
  for (const char c : text) {
    if ((c >= 0 && c < ' ') || c == 0x7f) return false;
  }
  return true;
}

[[noreturn]] inline void property_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

}  // namespace fuzz

/// Ends the process, which is how a fuzzer learns of it, if `condition` does not hold.
#define FUZZ_CHECK(condition)                                                                                \
  ((condition) ? static_cast<void>(0) : fuzz::property_failed(#condition, __FILE__, __LINE__))

#endif
