// Adaptive quadrature of (x^2 + 1) x from 0 to the given bound by the trapezium rule: an interval is
// halved, one half forked, until halving it changes the sum by less than an absolute 1e-9.
#include <cmath>

#include "fork_join.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr double tolerance = 1e-9;

double integrand(double x) { return (x * x + 1.0) * x; }

/// From x1 to x2, where the integrand is y1 and y2; `coarse` is the trapezium over the whole.
double integrate(double x1, double y1, double x2, double y2, double coarse) {
  const double half = (x2 - x1) / 2;
  const double middle = x1 + half;
  const double y = integrand(middle);
  const double left = (y1 + y) / 2 * half;
  const double right = (y + y2) / 2 * half;
  if (std::abs(left + right - coarse) < tolerance) return left + right;
  double left_area;
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  double right_area;
  invoke([&] { left_area = integrate(x1, y1, middle, y, left); },
         [&] { right_area = integrate(middle, y, x2, y2, right); });
#else
  scope s;
  s.fork_into(left_area, integrate, x1, y1, middle, y, left);
  const double right_area = integrate(middle, y, x2, y2, right);
  s.join();
#endif
  return left_area + right_area;
}

class integrate_instance final : public instance {
public:
  explicit integrate_instance(const input& with) : bound_(static_cast<double>(with.size)) {}
  void run() override { result_ = integrate(0, integrand(0), bound_, integrand(bound_), 0); }
  [[nodiscard]] bool verify() const override {
    const double square = bound_ * bound_;
    const double exact = square * square / 4 + square / 2;
    // Each interval may be off by the tolerance, and about 1000 b^(4/3) of them cover the way to b.
    const double intervals = 1000 * (1 + std::pow(bound_, 4.0 / 3));
    return std::abs(result_ - exact) <= tolerance * intervals + 1e-13 * exact;
  }

private:
  double bound_;
  double result_ = -1;
};

}  // namespace

const program integrate_program = {
    .name = "integrate",
    .summary = "adaptive quadrature of (x^2 + 1) x, one half of every interval forked",
    .size = {.meaning = "upper bound", .usual = 7000, .quick = 1000, .paper = 10000, .largest = 100000},
    .grain = {},
    .prepare = prepare<integrate_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
