// Predictions of what a search does on more workers than there are: from its serial run and its runs in virtual time.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_PREDICT_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_PREDICT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../searches.hpp"
#include "machine.hpp"

namespace virtual_time {

/// A search in both variants, of which the serial one runs on the clock.
struct problem {
  searches::search serial;
  searches::search simulated;
};

/// All but those of ranges, which count no nodes.
[[nodiscard]] std::vector<problem> all_problems(bool quick);

/// The serial run: of several the one that took the least of a processor, which others may use meanwhile.
[[nodiscard]] searches::outcome run_serially(const problem& of, int runs);

/// One run for each seed from the first on, with the settings' other fields.
[[nodiscard]] std::vector<searches::outcome> run_simulated(const problem& of, const settings& with,
                                                           int seeds);

/// What is shown of runs that differ by the seed.
struct prediction {
  int workers = 1;
  double speedup = 0;  ///< the median, as all that follows but for the extremes
  double least_speedup = 0;
  double most_speedup = 0;
  double nodes = 0;  ///< over those of the serial search
  double stops = 0;
  double stop_us = 0;  ///< from a stop to the end of the last strand
  double worst_stop_us = 0;
};
[[nodiscard]] prediction summarize(int workers, const searches::outcome& serial, double serial_seconds,
                                   const std::vector<searches::outcome>& runs);

/// As text, a line without its end.
[[nodiscard]] std::string head_of_table();
[[nodiscard]] std::string row_of(const std::string& search, const prediction& of);

}  // namespace virtual_time

#endif
