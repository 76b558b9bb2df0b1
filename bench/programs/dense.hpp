// Dense matrices of the programs: rectangles within row-major storage, the serial product that their
// leaves take, and a check of products that does not multiply matrices.
#ifndef NOPAL_BENCH_PROGRAMS_DENSE_HPP
#define NOPAL_BENCH_PROGRAMS_DENSE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"

namespace bench {

/// A rectangle within a matrix stored row by row. Of an odd number of rows or columns the larger part
/// is below or to the right.
struct block {
  double* first;
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t stride;

  [[nodiscard]] double* row(std::ptrdiff_t i) const { return first + i * stride; }

  [[nodiscard]] block top() const { return {first, rows / 2, columns, stride}; }
  [[nodiscard]] block bottom() const { return {row(rows / 2), rows - rows / 2, columns, stride}; }
  [[nodiscard]] block left() const { return {first, rows, columns / 2, stride}; }
  [[nodiscard]] block right() const { return {first + columns / 2, rows, columns - columns / 2, stride}; }

  // Quadrants 0 1 / 2 3.
  [[nodiscard]] block quadrant(int which) const {
    const block half = which >= 2 ? bottom() : top();
    return which % 2 == 1 ? half.right() : half.left();
  }
};

/// c += by a b. Not inlined, so that the variants of a program run the same instructions.
[[gnu::noinline]] inline void add_product_serially(block c, block a, block b, double by = 1) {
  for (std::ptrdiff_t i = 0; i < c.rows; ++i) {
    double* const sums = c.row(i);
    for (std::ptrdiff_t k = 0; k < a.columns; ++k) {
      const double factor = by * a.row(i)[k];
      const double* const terms = b.row(k);
      for (std::ptrdiff_t j = 0; j < c.columns; ++j) sums[j] += factor * terms[j];
    }
  }
}

/// A small whole number. Products and sums of such are exact in any order.
inline double small_number(random_sequence& random) { return static_cast<double>(random.next() % 16); }

/// A matrix of zeros.
class matrix {
public:
  matrix(std::ptrdiff_t rows, std::ptrdiff_t columns)
      : rows_(rows), columns_(columns), stride_(padded(columns)),
        entries_(static_cast<std::size_t>(rows * stride_)) {}

  [[nodiscard]] std::ptrdiff_t rows() const { return rows_; }
  [[nodiscard]] std::ptrdiff_t columns() const { return columns_; }
  [[nodiscard]] double* row(std::ptrdiff_t i) { return entries_.data() + i * stride_; }
  [[nodiscard]] const double* row(std::ptrdiff_t i) const { return entries_.data() + i * stride_; }
  [[nodiscard]] block whole() { return {entries_.data(), rows_, columns_, stride_}; }

  void fill(random_sequence& random) { fill(random, rows_, columns_); }
  /// The first so many rows and columns only.
  void fill(random_sequence& random, std::ptrdiff_t rows, std::ptrdiff_t columns) {
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (std::ptrdiff_t j = 0; j < columns; ++j) row(i)[j] = small_number(random);
    }
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& vector) const {
    std::vector<double> product(static_cast<std::size_t>(rows_));
    for (std::ptrdiff_t i = 0; i < rows_; ++i) {
      double sum = 0;
      for (std::ptrdiff_t j = 0; j < columns_; ++j) sum += row(i)[j] * vector[static_cast<std::size_t>(j)];
      product[static_cast<std::size_t>(i)] = sum;
    }
    return product;
  }

private:
  // An odd number of cache lines, so that the rows of a small block do not all fall on the same sets of a cache.
  static std::ptrdiff_t padded(std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t line = 64 / sizeof(double);
    return ((columns + line - 1) / line | 1) * line;
  }

  std::ptrdiff_t rows_;
  std::ptrdiff_t columns_;
  std::ptrdiff_t stride_;
  std::vector<double> entries_;
};

/// The least size from `size` on that halves down to `grain` or less without a remainder.
inline std::ptrdiff_t halving_size(std::ptrdiff_t size, std::ptrdiff_t grain) {
  std::ptrdiff_t leaves = 1;
  while (leaves * grain < size) leaves *= 2;
  return (size + leaves - 1) / leaves * leaves;
}

/// Freivalds' check that c = a b: c v = a (b v) for random v. A wrong entry escapes each trial with at
/// most 1 in 16. A Matrix has `columns` and `times`.
template <class Matrix>
[[nodiscard]] bool is_product(const Matrix& c, const Matrix& a, const Matrix& b, std::uint64_t seed) {
  random_sequence random(~seed);
  for (int trial = 0; trial < 8; ++trial) {
    std::vector<double> vector(static_cast<std::size_t>(c.columns()));
    for (double& entry : vector) entry = small_number(random);
    if (c.times(vector) != a.times(b.times(vector))) return false;
  }
  return true;
}

}  // namespace bench

#endif
