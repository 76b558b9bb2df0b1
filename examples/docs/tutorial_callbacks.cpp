// Tutorial, callbacks: the C library walks the directory, and what it calls for each file forks.
#include <ftw.h>

#include <nopal/nopal.hpp>

#include <cstdio>

#include "text_files.hpp"

constexpr std::size_t grain_bytes = 4'096;

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

std::string wanted;
long found = 0;

int search_file(const char* path, const struct stat*, int type, FTW*) {
  if (type == FTW_F) found += matching_lines_in_halves(contents(path), wanted);
  return 0;
}

int main(int argc, char** argv) {
  const char* const where = argc > 1 ? argv[1] : ".";
  wanted = argc > 2 ? argv[2] : "return";
  if (nftw(where, search_file, 16, FTW_PHYS) != 0) return 1;
  std::printf("%ld lines\n", found);
}
