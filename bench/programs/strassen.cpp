// Square matrix product by Strassen's method in Winograd's form: seven products of half the size, all
// forked at once, of sums that are made before, and whose sums are the quadrants of the result.
//
// Halving goes down to a leaf of at most `grain` rows, for which the matrices have rows and columns of
// zeros beyond their size. The sums are whole numbers far below 2^53, and so exact.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "dense.hpp"
#include "fork_join.hpp"
#include "in_halves.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr std::ptrdiff_t rows_summed_serially = 32;

/// Square matrices of which every entry is written before it is read.
template <std::size_t Count>
class temporaries {
public:
  explicit temporaries(std::ptrdiff_t size)
      : size_(size), entries_(std::make_unique_for_overwrite<double[]>(Count * square())) {}
  [[nodiscard]] block operator[](std::size_t which) const {
    return {entries_.get() + which * square(), size_, size_, size_};
  }

private:
  [[nodiscard]] std::size_t square() const { return static_cast<std::size_t>(size_ * size_); }

  std::ptrdiff_t size_;
  std::unique_ptr<double[]> entries_;
};

const double* row_of_quadrant(block of, int which, std::ptrdiff_t i) { return of.quadrant(which).row(i); }

/// What is multiplied of the left matrix: s0 = a2 + a3, s1 = s0 - a0, s2 = a0 - a2, s3 = a1 - s1.
void form_left_sums(const temporaries<4>& sums, block a, std::ptrdiff_t i) {
  const double* const a0 = row_of_quadrant(a, 0, i);
  const double* const a1 = row_of_quadrant(a, 1, i);
  const double* const a2 = row_of_quadrant(a, 2, i);
  const double* const a3 = row_of_quadrant(a, 3, i);
  for (std::ptrdiff_t j = 0; j < a.columns / 2; ++j) {
    const double s0 = a2[j] + a3[j];
    const double s1 = s0 - a0[j];
    sums[0].row(i)[j] = s0;
    sums[1].row(i)[j] = s1;
    sums[2].row(i)[j] = a0[j] - a2[j];
    sums[3].row(i)[j] = a1[j] - s1;
  }
}

/// What is multiplied of the right matrix: t0 = b1 - b0, t1 = b3 - t0, t2 = b3 - b1, t3 = t1 - b2.
void form_right_sums(const temporaries<4>& sums, block b, std::ptrdiff_t i) {
  const double* const b0 = row_of_quadrant(b, 0, i);
  const double* const b1 = row_of_quadrant(b, 1, i);
  const double* const b2 = row_of_quadrant(b, 2, i);
  const double* const b3 = row_of_quadrant(b, 3, i);
  for (std::ptrdiff_t j = 0; j < b.columns / 2; ++j) {
    const double t0 = b1[j] - b0[j];
    const double t1 = b3[j] - t0;
    sums[0].row(i)[j] = t0;
    sums[1].row(i)[j] = t1;
    sums[2].row(i)[j] = b3[j] - b1[j];
    sums[3].row(i)[j] = t1 - b2[j];
  }
}

/// The quadrants of the result, of the products in the order in which `multiply` makes them.
void form_result(block c, const temporaries<7>& p, std::ptrdiff_t i) {
  for (std::ptrdiff_t j = 0; j < c.columns / 2; ++j) {
    const double common = p[0].row(i)[j] + p[5].row(i)[j];
    const double lower = common + p[6].row(i)[j];
    c.quadrant(0).row(i)[j] = p[0].row(i)[j] + p[1].row(i)[j];
    c.quadrant(1).row(i)[j] = common + p[4].row(i)[j] + p[2].row(i)[j];
    c.quadrant(2).row(i)[j] = lower - p[3].row(i)[j];
    c.quadrant(3).row(i)[j] = lower + p[4].row(i)[j];
  }
}

/// Calls `form(i)` for every row of a quadrant.
template <class Form>
void for_rows_of_quadrant(block whole, Form form) {
  in_halves(0, whole.rows / 2, rows_summed_serially, [=](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (std::ptrdiff_t i = from; i < to; ++i) form(i);
  });
}

/// c = a b
void multiply(block c, block a, block b, std::ptrdiff_t grain) {
  if (c.rows <= grain) {
    for (std::ptrdiff_t i = 0; i < c.rows; ++i) std::fill_n(c.row(i), c.columns, 0.0);
    add_product_serially(c, a, b);
    return;
  }
  const temporaries<4> s(c.rows / 2);
  const temporaries<4> t(c.rows / 2);
  const temporaries<7> p(c.rows / 2);
  for_rows_of_quadrant(c, [&s, &t, a, b](std::ptrdiff_t i) {
    form_left_sums(s, a, i);
    form_right_sums(t, b, i);
  });
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([&] { multiply(p[0], a.quadrant(0), b.quadrant(0), grain); },
         [&] { multiply(p[1], a.quadrant(1), b.quadrant(2), grain); },
         [&] { multiply(p[2], s[3], b.quadrant(3), grain); },
         [&] { multiply(p[3], a.quadrant(3), t[3], grain); },  //
         [&] { multiply(p[4], s[0], t[0], grain); },           //
         [&] { multiply(p[5], s[1], t[1], grain); },           //
         [&] { multiply(p[6], s[2], t[2], grain); });
#else
  scope forks;
  forks.fork(multiply, p[0], a.quadrant(0), b.quadrant(0), grain);
  forks.fork(multiply, p[1], a.quadrant(1), b.quadrant(2), grain);
  forks.fork(multiply, p[2], s[3], b.quadrant(3), grain);
  forks.fork(multiply, p[3], a.quadrant(3), t[3], grain);
  forks.fork(multiply, p[4], s[0], t[0], grain);
  forks.fork(multiply, p[5], s[1], t[1], grain);
  multiply(p[6], s[2], t[2], grain);
  forks.join();
#endif
  for_rows_of_quadrant(c, [&p, c](std::ptrdiff_t i) { form_result(c, p, i); });
}

class strassen_instance final : public product_instance<matrix, multiply> {
public:
  explicit strassen_instance(const input& with)
      : strassen_instance(with, halving_size(with.size, rows_of_leaf(with))) {}

private:
  strassen_instance(const input& with, std::ptrdiff_t padded)
      : product_instance(with, {padded, padded}, {padded, padded}, {padded, padded}, with.size, with.size) {}
};

}  // namespace

const program strassen_program = {
    .name = "strassen",
    .summary = "square matrix product by Strassen's method, seven products forked at every level",
    .size = {.meaning = "rows", .usual = 1792, .quick = 512, .paper = 4096, .largest = 16384},
    .grain = {.meaning = "rows multiplied serially", .usual = 64},
    .prepare = prepare<strassen_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
