// The text files of the demo. An input's first byte limits how much is read, in steps of 16 bytes; the rest is a file.
#include <algorithm>
#include <string>

#include "demo/gather.hpp"
#include "fake_files.hpp"
#include "fuzz.hpp"

namespace {

void check_lines(const std::vector<std::string>& texts) {
  std::string joined;
  std::string whole;
  for (const std::string& text : texts) {
    whole += text;
    if (!text.empty() && text.back() != '\n') whole += '\n';
  }
  for (const std::string_view line : demo::split_lines(texts)) {
    FUZZ_CHECK(line.find('\n') == std::string_view::npos);
    joined += line;
    joined += '\n';
  }
  FUZZ_CHECK(joined == whole);
}

void check_gathered(const std::string& text, std::uint64_t limit) {
  static fake_root root(fuzz::fastest_directory());
  root.write("/text", text);
  const demo::gathered_texts found = demo::gather(root.path(), {limit, 3});
  FUZZ_CHECK(found.unreadable == 0);
  if (!demo::looks_like_text(text)) {
    FUZZ_CHECK(found.not_text == 1 && found.texts.empty() && found.bytes == 0);
    return;
  }
  FUZZ_CHECK(found.not_text == 0 && found.texts.size() == 1);
  FUZZ_CHECK(found.texts.front() == text.substr(0, limit));
  FUZZ_CHECK(found.bytes == std::min<std::uint64_t>(text.size(), limit));
  FUZZ_CHECK(found.limit_reached == (text.size() > limit));
  check_lines(found.texts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(fuzz::text_of(data + 1, size - 1));
  check_gathered(text, 1 + 16 * static_cast<std::uint64_t>(data[0]));
  const auto half = static_cast<std::ptrdiff_t>(text.size() / 2);
  check_lines({text, "", std::string(text.begin(), text.begin() + half), "\n"});
  const bool has_nul = text.find('\0') != std::string::npos;
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  FUZZ_CHECK(!has_nul || !demo::looks_like_text(text));
  FUZZ_CHECK(!is_ascii || demo::looks_like_text(text));
  return 0;
}
