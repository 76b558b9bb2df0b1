// Tutorial, loops by patterns: the entries of a directory, and the lines of one large text.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <cstdio>

#include "text_files.hpp"

nopal::reducer<nopal::op_add<long>> found;

void search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) {
    *found += matching_lines(contents(path), wanted);
    return;
  }
  nopal::parallel_for_each(entries_of(path), [wanted](const fs::path& entry) { search(entry, wanted); });
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  search(where, wanted);
  std::printf("%ld lines\n", found.value());
}
