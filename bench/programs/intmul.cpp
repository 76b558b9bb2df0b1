// Square matrix product of whole numbers by divide and conquer, as public suites of task libraries have it: no cut-off but
// the block that is multiplied serially, and all that a task needs in six registers.
//
// Matrices are stored row by row without gaps, so that those whose rows are a power of two long fall on few sets of a cache.
// Those suites do the same.
#include <cstddef>
#include <vector>

#include "dense.hpp"
#include "fork_join.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// What multiplies: the first entry and the length of a row. A task gets them as words.
struct square {
  int* first;
  int order;
};

/// A square of whole numbers, as large as its halves need down to the grain; what is beyond its rows is zero.
class int_matrix {
public:
  int_matrix(std::ptrdiff_t rows, std::ptrdiff_t grain)
      : rows_(rows), stride_(halving_size(rows, grain)),
        entries_(static_cast<std::size_t>(stride_ * stride_)) {}

  [[nodiscard]] std::ptrdiff_t columns() const { return rows_; }
  [[nodiscard]] square whole() { return {entries_.data(), static_cast<int>(stride_)}; }

  void fill(random_sequence& random) {
    for (std::ptrdiff_t i = 0; i < rows_; ++i) {
      for (std::ptrdiff_t j = 0; j < rows_; ++j) entries_[at(i, j)] = static_cast<int>(small_number(random));
    }
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& vector) const {
    std::vector<double> product(static_cast<std::size_t>(rows_));
    for (std::ptrdiff_t i = 0; i < rows_; ++i) {
      double sum = 0;
      for (std::ptrdiff_t j = 0; j < rows_; ++j)
        sum += entries_[at(i, j)] * vector[static_cast<std::size_t>(j)];
      product[static_cast<std::size_t>(i)] = sum;
    }
    return product;
  }

private:
  [[nodiscard]] std::size_t at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return static_cast<std::size_t>(i * stride_ + j);
  }

  std::ptrdiff_t rows_;
  std::ptrdiff_t stride_;
  std::vector<int> entries_;
};

/// c += a b of n rows and columns each, whose rows are `stride` apart.
// Not inlined, so that the variants of the program run the same instructions.
[[gnu::noinline]] void add_serially(int* c, const int* a, const int* b, int n, int stride) {
  for (int i = 0; i < n; ++i) {
    int* const sums = c + std::ptrdiff_t{i} * stride;
    for (int k = 0; k < n; ++k) {
      const int factor = a[std::ptrdiff_t{i} * stride + k];
      const int* const terms = b + std::ptrdiff_t{k} * stride;
      for (int j = 0; j < n; ++j) sums[j] += factor * terms[j];
    }
  }
}

void add_product(int* c, const int* a, const int* b, int n, int stride, int grain) {
  if (n <= grain) {
    add_serially(c, a, b, n, stride);
    return;
  }
  const int half = n / 2;
  // From a square to the one below it.
  const std::ptrdiff_t down = std::ptrdiff_t{half} * stride;
  for (int round = 0; round < 2; ++round) {
    const int* const of_a = round == 0 ? a : a + half;
    const int* const of_b = round == 0 ? b : b + down;
#ifdef NOPAL_PROGRAM_HAS_INVOKE
    invoke([=] { add_product(c, of_a, of_b, half, stride, grain); },
           [=] { add_product(c + half, of_a, of_b + half, half, stride, grain); },
           [=] { add_product(c + down, of_a + down, of_b, half, stride, grain); },
           [=] { add_product(c + down + half, of_a + down, of_b + half, half, stride, grain); });
#else
    scope s;
    s.fork(add_product, c, of_a, of_b, half, stride, grain);
    s.fork(add_product, c + half, of_a, of_b + half, half, stride, grain);
    s.fork(add_product, c + down, of_a + down, of_b, half, stride, grain);
    add_product(c + down + half, of_a + down, of_b + half, half, stride, grain);
    s.join();
#endif
  }
}

void multiply(square c, square a, square b, std::ptrdiff_t grain) {
  add_product(c.first, a.first, b.first, c.order, c.order, static_cast<int>(grain));
}

class intmul_instance final : public product_instance<int_matrix, multiply> {
public:
  explicit intmul_instance(const input& with) : product_instance(with, {with.size, rows_of_leaf(with)}) {}
};

}  // namespace

const program intmul_program = {
    .name = "intmul",
    .summary = "square matrix product of whole numbers by divide and conquer",
    .size = {.meaning = "rows", .usual = 1536, .quick = 384, .paper = 2048, .largest = 16384, .suite = 2048},
    .grain = {.meaning = "rows multiplied serially", .usual = 32},
    .prepare = prepare<intmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
