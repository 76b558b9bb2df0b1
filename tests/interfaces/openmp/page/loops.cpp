// Loops of OpenMP and of Nopal, side by side.
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void expect(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    std::exit(1);
  }
}

using vector = std::vector<double>;

namespace with_openmp {
// snippet: for
void scale(vector& v, double by) {
#pragma omp parallel for
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= by;
}
// end snippet

// snippet: reduction
double dot(const vector& a, const vector& b) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
// end snippet

// snippet: schedule
void roots(vector& v) {
#pragma omp parallel for schedule(dynamic, 64)
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::sqrt(v[i]);
}
// end snippet

// snippet: collapse
void fill(vector& m, int rows, int columns) {
#pragma omp parallel for collapse(2)
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) m[static_cast<std::size_t>(r * columns + c)] = r - c;
}
// end snippet

// snippet: simd
void add(vector& a, const vector& b) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
}
// end snippet
}  // namespace with_openmp

namespace with_nopal {
// snippet: for nopal
void scale(vector& v, double by) {
  nopal::parallel_for(std::size_t{0}, v.size(), [&](std::size_t i) { v[i] *= by; });
}
// end snippet

// snippet: reduction nopal
double dot(const vector& a, const vector& b) {
  return nopal::parallel_reduce(
      std::size_t{0}, a.size(), 0.0, [&](std::size_t i) { return a[i] * b[i]; },
      [](double x, double y) { return x + y; });
}
// end snippet

// snippet: schedule nopal
void roots(vector& v) {
  nopal::parallel_for(v.begin(), v.end(), 64, [](double& x) { x = std::sqrt(x); });
}
// end snippet

// snippet: collapse nopal
void fill(vector& m, int rows, int columns) {
  nopal::parallel_for(0, rows, [&](int r) {
    nopal::parallel_for(0, columns, [&](int c) { m[static_cast<std::size_t>(r * columns + c)] = r - c; });
  });
}
// end snippet

// snippet: simd nopal
void add(vector& a, const vector& b) {
  nopal::parallel_for(std::size_t{0}, a.size(), [&](std::size_t from, std::size_t to) {
#pragma omp simd
    for (std::size_t i = from; i < to; ++i) a[i] += b[i];
  });
}
// end snippet
}  // namespace with_nopal

}  // namespace

int main() {
  vector a(1000), b(1000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] = static_cast<double>(i % 10);
  with_openmp::scale(a, 3);
  with_nopal::scale(b, 3);
  expect(a == b, "scale");
  expect(with_openmp::dot(a, b) == with_nopal::dot(a, b), "dot");
  with_openmp::roots(a);
  with_nopal::roots(b);
  expect(a == b, "roots");
  with_openmp::fill(a, 25, 40);
  with_nopal::fill(b, 25, 40);
  expect(a == b, "fill");
  with_openmp::add(a, b);
  with_nopal::add(b, vector(b));
  expect(a == b, "add");
}
