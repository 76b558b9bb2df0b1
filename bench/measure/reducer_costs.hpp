// What updates of reducers cost, beside updates of plain memory and of memory that threads share otherwise: the programs
// add-n, min-n, max-n and add-base-n of I-T. A. Lee, A. Shafi and C. E. Leiserson, "Memory-mapping support for reducer
// hyperobjects", SPAA 2012, and the same loop with a lock and with atomic additions.
#ifndef NOPAL_BENCH_MEASURE_REDUCER_COSTS_HPP
#define NOPAL_BENCH_MEASURE_REDUCER_COSTS_HPP

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace measure {

/// What is updated: `array`, plain words that every update reads and writes (add-base-n); `atomic`, words that are added to
/// atomically; `lock`, words with a spin lock each; `add`, `min` and `max`, reducers.
inline constexpr std::array<std::string_view, 6> update_kinds = {"array", "atomic", "lock",
                                                                 "add",   "min",    "max"};

/// How many places a run may update in turn.
inline constexpr std::array place_counts = {4, 16, 64, 256, 1024};

struct update_order {
  std::string kind = "add";
  int places = 4;
  std::int64_t updates = 1'000'000;  ///< of all places, in each pass
  int passes = 1;                    ///< loops one after the other, each with a join at its end
};

struct update_result {
  double seconds = 0;
  bool verified = false;  ///< every place holds what the serial program leaves there
};

/// Runs the loop on the calling thread's runtime as it is; forks only halves of it. Kinds `array` and `lock` belong on one
/// worker, as does nothing else. Throws std::invalid_argument for what is not listed above.
[[nodiscard]] update_result time_updates(const update_order& order);

}  // namespace measure

#endif
