// What the patterns are timed on: the same input and the same bodies for each library.
#ifndef NOPAL_BENCH_PATTERNS_INPUTS_HPP
#define NOPAL_BENCH_PATTERNS_INPUTS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace patterns {

struct inputs {
  explicit inputs(std::size_t count);

  std::size_t count;
  std::vector<float> x;
  std::vector<float> y;
  std::vector<std::int32_t> small;
  std::vector<std::int64_t> sums;
  std::int64_t checksum = 0;  ///< that of the last run; the same for all libraries
};

/// Tiny and without memory: no compiler keeps it out of the loop, and none vectorizes it well.
[[gnu::always_inline]] inline std::uint64_t mixed(std::uint64_t i) {
  i = (i ^ (i >> 31)) * 0x9e3779b97f4a7c15U;
  return i ^ (i >> 29);
}
/// What no number mixes to, as far as the loops go.
inline constexpr std::uint64_t never = 1;

/// Takes longer the greater i is, as one iteration of a triangular loop does.
[[gnu::always_inline]] inline std::uint64_t triangular(std::size_t i) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < i; ++k) sum += mixed(k) >> 60;
  return sum;
}
inline constexpr std::size_t triangle_rows = 12000;
inline constexpr std::size_t short_loop = 1000;

/// One pattern as one library has it.
struct implementation {
  std::string pattern;
  std::function<void(inputs&)> run;
};

std::vector<implementation> serial_patterns();
std::vector<implementation> nopal_patterns();
#ifdef NOPAL_BENCH_HAS_TBB
std::vector<implementation> tbb_patterns();
/// As long as what it returns lives, that many workers.
std::shared_ptr<void> tbb_workers(int workers);
#endif

}  // namespace patterns

#endif
