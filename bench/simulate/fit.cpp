#include "simulate/fit.hpp"

#include <algorithm>
#include <cmath>

namespace simulate {

time_fit fit_times(std::span<const time_point> points) {
  time_fit fit;
  fit.points = points.size();
  // Divided by the measured time, every point's equation reads c1 x + cinf y = 1.
  double xx = 0;
  double xy = 0;
  double yy = 0;
  double x_sum = 0;
  double y_sum = 0;
  for (const time_point& each : points) {
    const double x = each.work_share / each.time;
    const double y = each.span / each.time;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    x_sum += x;
    y_sum += y;
  }
  const double determinant = xx * yy - xy * xy;
  if (points.size() < 2 || !(determinant > 1e-12 * xx * yy)) return fit;
  fit.work_constant = (x_sum * yy - y_sum * xy) / determinant;
  fit.span_constant = (y_sum * xx - x_sum * xy) / determinant;

  // Weighted by 1 / T^2, as the fit is.
  double weights = 0;
  double weighted_times = 0;
  for (const time_point& each : points) {
    weights += 1 / (each.time * each.time);
    weighted_times += 1 / each.time;
  }
  const double mean = weighted_times / weights;
  double unexplained = 0;
  double variation = 0;
  for (const time_point& each : points) {
    const double predicted = fit.work_constant * each.work_share + fit.span_constant * each.span;
    const double error = (predicted - each.time) / each.time;
    unexplained += error * error;
    variation += (each.time - mean) * (each.time - mean) / (each.time * each.time);
    fit.mean_relative_error += std::abs(error) / static_cast<double>(points.size());
  }
  fit.r_squared = variation > 0 ? 1 - unexplained / variation : 0;
  return fit;
}

double greatest_span_constant(std::span<const time_point> points) {
  double greatest = 0;
  for (const time_point& each : points) {
    if (each.span > 0) greatest = std::max(greatest, (each.time - each.work_share) / each.span);
  }
  return greatest;
}

}  // namespace simulate
