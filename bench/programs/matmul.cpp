// Square matrix product by divide and conquer: the quadrants of the result are updated in two rounds
// of four products each, with a join between the rounds.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fork_join.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// A rectangle within a matrix stored row by row.
struct block {
  double* first;
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t stride;

  [[nodiscard]] double* row(std::ptrdiff_t i) const { return first + i * stride; }

  // Quadrants 0 1 / 2 3; odd sizes leave the larger part below and to the right.
  [[nodiscard]] block quadrant(int which) const {
    const std::ptrdiff_t top = rows / 2;
    const std::ptrdiff_t left = columns / 2;
    const bool lower = which >= 2;
    const bool right = which % 2 == 1;
    return {row(lower ? top : 0) + (right ? left : 0), lower ? rows - top : top,
            right ? columns - left : left, stride};
  }
};

void add_product_serially(block c, block a, block b) {
  for (std::ptrdiff_t i = 0; i < c.rows; ++i) {
    double* const sums = c.row(i);
    for (std::ptrdiff_t k = 0; k < a.columns; ++k) {
      const double factor = a.row(i)[k];
      const double* const terms = b.row(k);
      for (std::ptrdiff_t j = 0; j < c.columns; ++j) sums[j] += factor * terms[j];
    }
  }
}

/// c += a b
void add_product(block c, block a, block b, std::ptrdiff_t grain) {
  if (std::max({c.rows, c.columns, a.columns}) <= grain) {
    add_product_serially(c, a, b);
    return;
  }
  scope s;
  s.fork(add_product, c.quadrant(0), a.quadrant(0), b.quadrant(0), grain);
  s.fork(add_product, c.quadrant(1), a.quadrant(0), b.quadrant(1), grain);
  s.fork(add_product, c.quadrant(2), a.quadrant(2), b.quadrant(0), grain);
  add_product(c.quadrant(3), a.quadrant(2), b.quadrant(1), grain);
  s.join();
  s.fork(add_product, c.quadrant(0), a.quadrant(1), b.quadrant(2), grain);
  s.fork(add_product, c.quadrant(1), a.quadrant(1), b.quadrant(3), grain);
  s.fork(add_product, c.quadrant(2), a.quadrant(3), b.quadrant(2), grain);
  add_product(c.quadrant(3), a.quadrant(3), b.quadrant(3), grain);
  s.join();
}

/// A square matrix. Entries are small whole numbers, so that every product and sum is exact.
class matrix {
public:
  explicit matrix(std::ptrdiff_t size) : size_(size), entries_(static_cast<std::size_t>(size * size)) {}

  void fill(random_sequence& random) {
    for (double& entry : entries_) entry = static_cast<double>(random.next() % 16);
  }
  [[nodiscard]] block whole() { return {entries_.data(), size_, size_, size_}; }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& vector) const {
    std::vector<double> product(vector.size());
    for (std::size_t i = 0; i < vector.size(); ++i) {
      for (std::size_t j = 0; j < vector.size(); ++j)
        product[i] += entries_[i * vector.size() + j] * vector[j];
    }
    return product;
  }

private:
  std::ptrdiff_t size_;
  std::vector<double> entries_;
};

class matmul_instance final : public instance {
public:
  explicit matmul_instance(const input& with)
      : size_(with.size), grain_(std::max<std::ptrdiff_t>(with.grain, 1)), seed_(with.seed), a_(size_),
        b_(size_), c_(size_) {
    random_sequence random(seed_);
    a_.fill(random);
    b_.fill(random);
  }
  void run() override { add_product(c_.whole(), a_.whole(), b_.whole(), grain_); }

  // Freivalds' check: c v = a (b v) for random v. A wrong entry escapes each trial with at most 1 in 16.
  [[nodiscard]] bool verify() const override {
    random_sequence random(~seed_);
    for (int trial = 0; trial < 8; ++trial) {
      std::vector<double> vector(static_cast<std::size_t>(size_));
      for (double& entry : vector) entry = static_cast<double>(random.next() % 16);
      if (c_.times(vector) != a_.times(b_.times(vector))) return false;
    }
    return true;
  }

private:
  std::ptrdiff_t size_;
  std::ptrdiff_t grain_;
  std::uint64_t seed_;
  matrix a_;
  matrix b_;
  matrix c_;
};

}  // namespace

const program matmul_program = {
    .name = "matmul",
    .summary = "square matrix product by divide and conquer",
    .size = {.meaning = "rows", .usual = 1536, .quick = 192, .paper = 2048, .largest = 16384},
    .grain = {.meaning = "rows multiplied serially", .usual = 32},
    .prepare = prepare<matmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
