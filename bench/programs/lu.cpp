// LU decomposition in place of a diagonally dominant matrix, without pivoting: of the quadrants
//   A00 A01     L00        U00 U01
//   A10 A11  =  L10 L11  *     U11
// the first is decomposed, then U01 = L00^-1 A01 and L10 = A10 U00^-1 are solved for at once, then
// A11 - L10 U01 is decomposed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dense.hpp"
#include "fork_join.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// c -= a b
void subtract_product(block c, block a, block b, std::ptrdiff_t grain) {
  const std::ptrdiff_t largest = std::max({c.rows, c.columns, a.columns});
  if (largest <= grain) {
    add_product_serially(c, a, b, -1);
    return;
  }
  if (a.columns == largest) {
    subtract_product(c, a.left(), b.top(), grain);
    subtract_product(c, a.right(), b.bottom(), grain);
    return;
  }
  const bool by_rows = c.rows == largest;
  const block c0 = by_rows ? c.top() : c.left();
  const block c1 = by_rows ? c.bottom() : c.right();
  const block a0 = by_rows ? a.top() : a;
  const block a1 = by_rows ? a.bottom() : a;
  const block b0 = by_rows ? b : b.left();
  const block b1 = by_rows ? b : b.right();
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { subtract_product(c0, a0, b0, grain); }, [=] { subtract_product(c1, a1, b1, grain); });
#else
  scope s;
  s.fork(subtract_product, c0, a0, b0, grain);
  subtract_product(c1, a1, b1, grain);
  s.join();
#endif
}

[[gnu::noinline]] void solve_lower_serially(block x, block l) {
  for (std::ptrdiff_t k = 0; k < x.rows; ++k) {
    for (std::ptrdiff_t i = k + 1; i < x.rows; ++i) {
      const double factor = l.row(i)[k];
      for (std::ptrdiff_t j = 0; j < x.columns; ++j) x.row(i)[j] -= factor * x.row(k)[j];
    }
  }
}

/// x = l^-1 x, where l is what is below the diagonal, and the diagonal ones.
void solve_lower(block x, block l, std::ptrdiff_t grain) {
  if (std::max(x.rows, x.columns) <= grain) {
    solve_lower_serially(x, l);
    return;
  }
  if (x.columns < x.rows) {
    solve_lower(x.top(), l.quadrant(0), grain);
    subtract_product(x.bottom(), l.quadrant(2), x.top(), grain);
    solve_lower(x.bottom(), l.quadrant(3), grain);
    return;
  }
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { solve_lower(x.left(), l, grain); }, [=] { solve_lower(x.right(), l, grain); });
#else
  scope s;
  s.fork(solve_lower, x.left(), l, grain);
  solve_lower(x.right(), l, grain);
  s.join();
#endif
}

[[gnu::noinline]] void solve_upper_serially(block x, block u) {
  for (std::ptrdiff_t i = 0; i < x.rows; ++i) {
    double* const row = x.row(i);
    for (std::ptrdiff_t k = 0; k < x.columns; ++k) {
      const double solved = row[k] / u.row(k)[k];
      row[k] = solved;
      for (std::ptrdiff_t j = k + 1; j < x.columns; ++j) row[j] -= solved * u.row(k)[j];
    }
  }
}

/// x = x u^-1, where u is what is on and above the diagonal.
void solve_upper(block x, block u, std::ptrdiff_t grain) {
  if (std::max(x.rows, x.columns) <= grain) {
    solve_upper_serially(x, u);
    return;
  }
  if (x.rows < x.columns) {
    solve_upper(x.left(), u.quadrant(0), grain);
    subtract_product(x.right(), x.left(), u.quadrant(1), grain);
    solve_upper(x.right(), u.quadrant(3), grain);
    return;
  }
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { solve_upper(x.top(), u, grain); }, [=] { solve_upper(x.bottom(), u, grain); });
#else
  scope s;
  s.fork(solve_upper, x.top(), u, grain);
  solve_upper(x.bottom(), u, grain);
  s.join();
#endif
}

[[gnu::noinline]] void decompose_serially(block a) {
  for (std::ptrdiff_t k = 0; k < a.rows; ++k) {
    for (std::ptrdiff_t i = k + 1; i < a.rows; ++i) {
      const double factor = a.row(i)[k] / a.row(k)[k];
      a.row(i)[k] = factor;
      for (std::ptrdiff_t j = k + 1; j < a.columns; ++j) a.row(i)[j] -= factor * a.row(k)[j];
    }
  }
}

void decompose(block a, std::ptrdiff_t grain) {
  if (a.rows <= grain) {
    decompose_serially(a);
    return;
  }
  decompose(a.quadrant(0), grain);
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { solve_lower(a.quadrant(1), a.quadrant(0), grain); },
         [=] { solve_upper(a.quadrant(2), a.quadrant(0), grain); });
#else
  scope s;
  s.fork(solve_lower, a.quadrant(1), a.quadrant(0), grain);
  solve_upper(a.quadrant(2), a.quadrant(0), grain);
  s.join();
#endif
  subtract_product(a.quadrant(3), a.quadrant(2), a.quadrant(1), grain);
  decompose(a.quadrant(3), grain);
}

class lu_instance final : public instance {
public:
  explicit lu_instance(const input& with)
      : size_(with.size), grain_(std::max<std::ptrdiff_t>(with.grain, 1)), seed_(with.seed),
        a_(size_, size_) {
    fill(a_);
  }
  void run() override { decompose(a_.whole(), grain_); }

  // The residual for a random v: L (U v) against A v.
  [[nodiscard]] bool verify() const override {
    random_sequence random(~seed_);
    std::vector<double> v(static_cast<std::size_t>(size_));
    for (double& entry : v) entry = between_minus_one_and_one(random);
    const std::vector<double> made = times_lower(times_upper(v));
    matrix original(size_, size_);
    fill(original);
    const std::vector<double> expected = original.times(v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      // Entries of A v are of the size of the diagonal.
      if (!(std::abs(made[i] - expected[i]) <= 1e-13 * static_cast<double>(size_ * size_))) return false;
    }
    return true;
  }

private:
  // The diagonal outweighs the rest of its row and of its column, so every pivot is far from zero.
  void fill(matrix& a) const {
    random_sequence random(seed_);
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      for (std::ptrdiff_t j = 0; j < size_; ++j) a.row(i)[j] = between_minus_one_and_one(random);
      a.row(i)[i] += static_cast<double>(size_ + 1);
    }
  }
  [[nodiscard]] std::vector<double> times_upper(const std::vector<double>& v) const {
    std::vector<double> product(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double* const row = a_.row(static_cast<std::ptrdiff_t>(i));
      for (std::size_t j = i; j < v.size(); ++j) product[i] += row[j] * v[j];
    }
    return product;
  }
  [[nodiscard]] std::vector<double> times_lower(const std::vector<double>& v) const {
    std::vector<double> product = v;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double* const row = a_.row(static_cast<std::ptrdiff_t>(i));
      for (std::size_t j = 0; j < i; ++j) product[i] += row[j] * v[j];
    }
    return product;
  }

  std::ptrdiff_t size_;
  std::ptrdiff_t grain_;
  std::uint64_t seed_;
  matrix a_;
};

}  // namespace

const program lu_program = {
    .name = "lu",
    .summary = "LU decomposition of a diagonally dominant matrix by recursion on its quadrants",
    .size = {.meaning = "rows", .usual = 2304, .quick = 512, .paper = 4096, .largest = 16384},
    .grain = {.meaning = "rows decomposed serially", .usual = 32},
    .prepare = prepare<lu_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
