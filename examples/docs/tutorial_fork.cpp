// Tutorial, fork and join: each entry of a directory is searched by a child.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <numeric>

#include "text_files.hpp"

long search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) return matching_lines(contents(path), wanted);
  const std::vector<fs::path> entries = entries_of(path);
  std::vector<long> found(entries.size());  // what children write is declared before the scope
  nopal::scope s;
  for (std::size_t i = 0; i < entries.size(); ++i) s.fork_into(found[i], search, entries[i], wanted);
  s.join();
  return std::accumulate(found.begin(), found.end(), 0L);
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  std::printf("%ld lines\n", search(where, wanted));
}
