// Tutorial, exceptions: of the files that cannot be read, the first in serial order is named.
#include <nopal/nopal.hpp>

#include <cstdio>
#include <exception>
#include <numeric>

#include "text_files.hpp"

long search_all(const std::vector<fs::path>& files, std::string_view wanted) {
  std::vector<long> found(files.size());
  nopal::scope s;
  for (std::size_t i = 0; i < files.size(); ++i) {
    s.fork_into(
        found[i], [wanted](const fs::path& file) { return matching_lines(contents(file), wanted); },
        files[i]);
  }
  s.join();  // throws what the serial loop would have thrown
  return std::accumulate(found.begin(), found.end(), 0L);
}

int main() {
  std::vector<fs::path> files(64, fs::path("/dev/null"));
  files[20] = "/no/such/file";
  files[40] = "/nor/this/one";
  for (int run = 0; run < 100; ++run) {
    try {
      search_all(files, "return");
      return 1;
    } catch (const std::system_error& e) {
      if (std::string_view(e.what()).find("/no/such/file") == std::string_view::npos) return 1;
      if (run == 0) std::printf("%s\n", e.what());
    }
  }
}
