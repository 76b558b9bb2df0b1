// The law of work stealing fitted to runs: T_P = c1 T1 / P + cinf Tinf.
#ifndef NOPAL_BENCH_SIMULATE_FIT_HPP
#define NOPAL_BENCH_SIMULATE_FIT_HPP

#include <cstddef>
#include <span>

namespace simulate {

/// One run. Any unit of time, the same for all of a point.
struct time_point {
  double work_share;  ///< T1 / P
  double span;        ///< Tinf
  double time;        ///< T_P
};

struct time_fit {
  double work_constant = 0;        ///< c1
  double span_constant = 0;        ///< cinf
  double r_squared = 0;            ///< share of the times' relative variation that the law explains
  double mean_relative_error = 0;  ///< of the law's times
  std::size_t points = 0;
};

/// The constants for which the sum of the squares of the relative errors is least. Zeroes for fewer than two points,
/// and for points that do not tell the two apart.
[[nodiscard]] time_fit fit_times(std::span<const time_point> points);

/// The least c for which T_P <= T1 / P + c Tinf holds for all points; not below zero.
[[nodiscard]] double greatest_span_constant(std::span<const time_point> points);

}  // namespace simulate

#endif
