// A sparse linear system, solved by conjugate gradients: Poisson's equation on a square grid, whose matrix is stored by rows (CSR).
// Products and updates are parallel loops, scalar products are reductions with a grain, so that each iteration, and their number,
// is that of the serial program. Where the rows begin is a scan over their lengths.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <nopal/parallel.hpp>

using vector = std::vector<double>;

struct sparse_matrix {
  std::vector<std::size_t> begins;  // of each row in the other two; one more, where the last one ends
  std::vector<std::size_t> columns;
  vector values;
};

/// Of the second derivatives on a grid of side x side points, 0 beyond its edge: 4 for a point, -1 for each neighbor.
sparse_matrix laplacian(std::size_t side) {
  const std::size_t count = side * side;
  const auto visit_row = [side](std::size_t row, const auto& visit) {
    const std::size_t x = row % side;
    const std::size_t y = row / side;
    if (y > 0) visit(row - side, -1.0);
    if (x > 0) visit(row - 1, -1.0);
    visit(row, 4.0);
    if (x + 1 < side) visit(row + 1, -1.0);
    if (y + 1 < side) visit(row + side, -1.0);
  };
  sparse_matrix a;
  std::vector<std::size_t> lengths(count + 1, 0);  // one more, so that the scan's last result is the sum
  nopal::parallel_for(0, count,
                      [&](std::size_t row) { visit_row(row, [&](std::size_t, double) { ++lengths[row]; }); });
  a.begins.resize(count + 1);
  nopal::parallel_exclusive_scan(lengths.begin(), lengths.end(), a.begins.begin(), std::size_t{0});
  a.columns.resize(a.begins.back());
  a.values.resize(a.begins.back());
  nopal::parallel_for(0, count, [&](std::size_t row) {
    std::size_t next = a.begins[row];
    visit_row(row, [&](std::size_t column, double value) {
      a.columns[next] = column;
      a.values[next++] = value;
    });
  });
  return a;
}

/// result = a x
void multiply(const sparse_matrix& a, const vector& x, vector& result) {
  nopal::parallel_for(0, result.size(), [&](std::size_t row) {
    double sum = 0;
    for (std::size_t i = a.begins[row]; i < a.begins[row + 1]; ++i) sum += a.values[i] * x[a.columns[i]];
    result[row] = sum;
  });
}

double dot(const vector& x, const vector& y) {
  constexpr std::size_t grain = 4096;
  return nopal::parallel_reduce(
      std::size_t{0}, x.size(), grain, 0.0, [&](std::size_t i) { return x[i] * y[i]; }, std::plus<>());
}

/// result = x + factor y; `result` may be one of the two.
void add(const vector& x, double factor, const vector& y, vector& result) {
  nopal::parallel_transform(x.begin(), x.end(), y.begin(), result.begin(),
                            [factor](double of_x, double of_y) { return of_x + factor * of_y; });
}

/// Solves a x = b for a symmetric, positive definite `a`, from x = 0, until |b - a x| is `tolerance` |b|; returns the iterations.
int solve(const sparse_matrix& a, const vector& b, vector& x, double tolerance) {
  const double enough = tolerance * tolerance * dot(b, b);
  vector residual = b;
  vector direction = b;
  vector image(b.size());
  x.assign(b.size(), 0);
  int iterations = 0;
  for (double square = dot(residual, residual); square > enough; ++iterations) {
    multiply(a, direction, image);
    const double step = square / dot(direction, image);
    add(x, step, direction, x);
    add(residual, -step, image, residual);
    const double next = dot(residual, residual);
    add(residual, next / square, direction, direction);
    square = next;
  }
  return iterations;
}

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 256;
  if (argc > 2 || side < 1 || side > 4096) {
    std::fprintf(stderr, "usage: conjugate_gradient [SIDE]\nSIDE is that of the grid, from 1 to 4096.\n");
    return 2;
  }
  const sparse_matrix a = laplacian(static_cast<std::size_t>(side));
  vector known(a.begins.size() - 1);  // the solution that is to be found
  nopal::parallel_for(0, known.size(),
                      [&](std::size_t i) { known[i] = std::sin(static_cast<double>(i + 1)); });
  vector b(known.size());
  multiply(a, known, b);

  vector x;
  const int iterations = solve(a, b, x, 1e-10);

  vector difference(b.size());
  multiply(a, x, difference);
  add(b, -1, difference, difference);
  const double residual = std::sqrt(dot(difference, difference) / dot(b, b));
  add(x, -1, known, difference);
  const double error = std::sqrt(dot(difference, difference) / dot(known, known));
  std::printf("%zu unknowns, %zu entries, %d iterations\nresidual %.17g\nerror    %.17g\n", x.size(),
              a.values.size(), iterations, residual, error);
  const bool solved = residual < 1e-9 && error < 1e-5;
  if (!solved) std::fprintf(stderr, "conjugate_gradient: this is no solution\n");
  return solved ? 0 : 1;
}
