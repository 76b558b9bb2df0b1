// Adaptive quadrature of (x^2 + 1) x from 0 to the given bound by the trapezium rule: an interval is
// halved, one half forked, until halving it changes the sum by less than an absolute 1e-9.
#include <cmath>

#include <nopal/scope.hpp>

#include "program.hpp"

namespace bench::PROGRAM_VARIANT {
namespace {

constexpr double tolerance = 1e-9;

struct point {
  double x;
  double y;
};

point sample(double x) { return {x, (x * x + 1.0) * x}; }

double trapezium(point left, point right) { return (left.y + right.y) / 2 * (right.x - left.x); }

double integrate(point left, point right, double coarse) {
  const point middle = sample(left.x + (right.x - left.x) / 2);
  const double left_half = trapezium(left, middle);
  const double right_half = trapezium(middle, right);
  if (std::abs(left_half + right_half - coarse) < tolerance) return left_half + right_half;
  double left_area;
  nopal::scope s;
  s.fork_into(left_area, integrate, left, middle, left_half);
  const double right_area = integrate(middle, right, right_half);
  s.join();
  return left_area + right_area;
}

class integrate_instance final : public instance {
public:
  explicit integrate_instance(const input& with) : bound_(static_cast<double>(with.size)) {}
  void run() override { result_ = integrate(sample(0), sample(bound_), 0); }
  [[nodiscard]] bool verify() const override {
    const double square = bound_ * bound_;
    const double exact = square * square / 4 + square / 2;
    return std::abs(result_ - exact) <= 1e-9 * exact;
  }

private:
  double bound_;
  double result_ = -1;
};

}  // namespace

const program integrate_program = {
    .name = "integrate",
    .summary = "adaptive quadrature of (x^2 + 1) x, one half of every interval forked",
    .size = {.meaning = "upper bound", .usual = 8000, .quick = 300, .paper = 10000, .largest = 100000},
    .grain = {},
    .prepare = prepare<integrate_instance>,
};

}  // namespace bench::PROGRAM_VARIANT
