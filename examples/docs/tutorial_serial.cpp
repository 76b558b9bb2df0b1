// Tutorial, the serial program: how many lines below a directory contain a text.
#include <cstdio>

#include "text_files.hpp"

long search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) return matching_lines(contents(path), wanted);
  long found = 0;
  for (const fs::path& entry : entries_of(path)) found += search(entry, wanted);
  return found;
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  std::printf("%ld lines\n", search(where, wanted));
}
