// Tutorial, dividing by hand: one large text is searched in halves, down to a grain.
#include <nopal/nopal.hpp>

#include <cstdio>

#include "text_files.hpp"

constexpr std::size_t grain_bytes = 16'384;

long matching_lines_in_halves(std::string_view text, std::string_view wanted) {
  if (text.size() <= grain_bytes) return matching_lines(text, wanted);
  const std::size_t line_end = text.find('\n', text.size() / 2);
  if (line_end == std::string_view::npos) return matching_lines(text, wanted);
  long left;
  nopal::scope s;
  s.fork_into(left, matching_lines_in_halves, text.substr(0, line_end + 1), wanted);
  const long right = matching_lines_in_halves(text.substr(line_end + 1), wanted);
  s.join();
  return left + right;
}

long search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) return matching_lines_in_halves(contents(path), wanted);
  const std::vector<fs::path> entries = entries_of(path);
  long found = 0;
  for (const fs::path& entry : entries) found += search(entry, wanted);
  return found;
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  std::printf("%ld lines\n", search(where, wanted));
}
