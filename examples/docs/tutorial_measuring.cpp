// Tutorial, measuring: the time on this many workers, and what the scheduler did meanwhile.
#include <nopal/nopal.hpp>

#include <chrono>
#include <cstdio>
#include <numeric>

#include "text_files.hpp"

long search(const fs::path& path, std::string_view wanted) {
  if (!fs::is_directory(path)) return matching_lines(contents(path), wanted);
  const std::vector<fs::path> entries = entries_of(path);
  std::vector<long> found(entries.size());
  nopal::scope s;
  for (std::size_t i = 0; i < entries.size(); ++i) s.fork_into(found[i], search, entries[i], wanted);
  s.join();
  return std::accumulate(found.begin(), found.end(), 0L);
}

int main(int argc, char** argv) {
  const fs::path where = argc > 1 ? argv[1] : ".";
  const std::string wanted = argc > 2 ? argv[2] : "return";
  search(where, wanted);  // the runtime starts, files come into the cache
  const auto begin = std::chrono::steady_clock::now();
  const long found = search(where, wanted);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  const nopal::statistics counts = nopal::stats();
  std::printf("%ld lines\n", found);
  std::fprintf(stderr, "%.1f ms on %d workers; %llu steals, %llu suspensions in both runs\n", time.count(),
               counts.workers, static_cast<unsigned long long>(counts.total.steals),
               static_cast<unsigned long long>(counts.total.suspensions));
}
