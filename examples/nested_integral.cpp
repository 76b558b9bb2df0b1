// Parallel code below serial code that was never meant for it: a C library (legacy_integrate.c) integrates along one axis and calls
// back for each value; the callback forks two integrals along the next axis, each by the same C library, which calls back
// in turn, and so on. Frames of the C library lie between those that fork; where a continuation is stolen, they stay.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <nopal/scope.hpp>

extern "C" {
#include "legacy_integrate.h"
}

constexpr int most_axes = 4;
constexpr double tolerance = 1e-9;

/// A point whose first coordinates are set.
struct place {
  double coordinates[most_axes] = {};
  int set = 0;
  int axes = 0;
};

double integrand(const place& at) {
  double sum = 0;
  for (int i = 0; i < at.axes; ++i) sum += at.coordinates[i] * at.coordinates[i];
  return std::exp(-sum);
}

double integral_from(const place& at);

/// What the C library calls. An exception must not leave it, since the C library's frames cannot be unwound.
extern "C" double value_at(double coordinate, void* context) noexcept {
  place at = *static_cast<const place*>(context);
  at.coordinates[at.set++] = coordinate;
  return at.set == at.axes ? integrand(at) : integral_from(at);
}

/// The integral over the axes that are not set yet, each from 0 to 1.
double integral_from(const place& at) {
  place here = at;
  double left;  // what a child writes is declared before the scope
  nopal::scope s;
  s.fork_into(left, legacy_integrate, value_at, &here, 0.0, 0.5, tolerance);
  const double right = legacy_integrate(value_at, &here, 0.5, 1.0, tolerance);
  s.join();
  return left + right;
}

int main(int argc, char** argv) {
  const int axes = argc > 1 ? std::atoi(argv[1]) : 3;
  if (argc > 2 || axes < 1 || axes > most_axes) {
    std::fprintf(stderr, "usage: nested_integral [AXES]\nAXES is from 1 to %d.\n", most_axes);
    return 2;
  }
  const double found = integral_from(place{{}, 0, axes});
  // exp(-x²-y²-...) is a product, whose integral is known.
  const double known = std::pow(std::sqrt(std::atan(1.0)) * std::erf(1.0), axes);
  std::printf("%d axes: %.17g, which should be %.17g\n", axes, found, known);
  if (std::abs(found - known) < 1e-8) return 0;
  std::fprintf(stderr, "nested_integral: that is not close enough\n");
  return 1;
}
