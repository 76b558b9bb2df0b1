// What the programs that multiply matrices share: random factors, and the check of their product.
#ifndef NOPAL_BENCH_PROGRAMS_PRODUCT_HPP
#define NOPAL_BENCH_PROGRAMS_PRODUCT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dense.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench {

/// The rows that are multiplied serially: at least one.
inline std::ptrdiff_t rows_of_leaf(const input& with) { return std::max<std::ptrdiff_t>(with.grain, 1); }

/// Runs `Multiply(c, a, b, grain)`, after which c = a b.
template <class Matrix, auto Multiply>
class product_instance : public instance {
public:
  void run() final { Multiply(c_.whole(), a_.whole(), b_.whole(), grain_); }
  [[nodiscard]] bool verify() const final { return is_product(c_, a_, b_, seed_); }

protected:
  /// What a matrix is made of: its rows and columns, or, if it is blocked, its size and its grain.
  using shape = std::array<std::ptrdiff_t, 2>;

  product_instance(const input& with, shape all) : product_instance(with, all, all, all) {}

  /// `part`, if given, is how many rows and columns of a and b are filled; the rest are zeros.
  template <class... Part>
  product_instance(const input& with, shape a, shape b, shape c, Part... part)
      : grain_(rows_of_leaf(with)), seed_(with.seed), a_(a[0], a[1]), b_(b[0], b[1]), c_(c[0], c[1]) {
    random_sequence random(seed_);
    a_.fill(random, part...);
    b_.fill(random, part...);
  }

private:
  std::ptrdiff_t grain_;
  std::uint64_t seed_;
  Matrix a_;
  Matrix b_;
  Matrix c_;
};

}  // namespace bench

#endif
