// Square matrices stored block by block: the quadrants one after the other, each likewise, down to
// leaves stored row by row. Each block at every level is contiguous.
#ifndef NOPAL_BENCH_PROGRAMS_BLOCKED_MATRIX_HPP
#define NOPAL_BENCH_PROGRAMS_BLOCKED_MATRIX_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "dense.hpp"
#include "random.hpp"

namespace bench {

/// A block at some level, of so many rows and columns.
struct blocked {
  double* first;
  std::ptrdiff_t rows;

  [[nodiscard]] std::ptrdiff_t entries() const { return rows * rows; }
  /// Quadrants 0 1 / 2 3, of a block that is no leaf.
  [[nodiscard]] blocked quadrant(int which) const { return {first + which * entries() / 4, rows / 2}; }
  /// A leaf as what it is.
  [[nodiscard]] block leaf() const { return {first, rows, rows, rows}; }
};

/// A matrix of zeros, padded with more of them so that its halves end at leaves of at most `grain` rows.
class blocked_matrix {
public:
  blocked_matrix(std::ptrdiff_t size, std::ptrdiff_t grain)
      : size_(size), padded_(halving_size(size, grain)), leaf_(padded_),
        entries_(static_cast<std::size_t>(padded_ * padded_)) {
    while (leaf_ > grain) leaf_ /= 2;
  }

  [[nodiscard]] std::ptrdiff_t columns() const { return size_; }
  [[nodiscard]] blocked whole() { return {entries_.data(), padded_}; }

  void fill(random_sequence& random) {
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      for (std::ptrdiff_t j = 0; j < size_; ++j) entries_[place(i, j)] = small_number(random);
    }
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& vector) const {
    std::vector<double> product(vector.size());
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      double sum = 0;
      for (std::ptrdiff_t j = 0; j < size_; ++j)
        sum += entries_[place(i, j)] * vector[static_cast<std::size_t>(j)];
      product[static_cast<std::size_t>(i)] = sum;
    }
    return product;
  }

private:
  [[nodiscard]] std::size_t place(std::ptrdiff_t i, std::ptrdiff_t j) const {
    std::ptrdiff_t at = 0;
    for (std::ptrdiff_t rows = padded_; rows > leaf_;) {
      rows /= 2;
      at += rows * rows * ((i >= rows ? 2 : 0) + (j >= rows ? 1 : 0));
      i -= i >= rows ? rows : 0;
      j -= j >= rows ? rows : 0;
    }
    return static_cast<std::size_t>(at + i * leaf_ + j);
  }

  std::ptrdiff_t size_;
  std::ptrdiff_t padded_;
  std::ptrdiff_t leaf_;
  std::vector<double> entries_;
};

}  // namespace bench

#endif
