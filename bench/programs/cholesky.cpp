// Cholesky factorization A = L L^T of a sparse symmetric positive definite matrix, in place in a
// quadtree of which a null pointer is a block of zeros. Of the quadrants
//   A00 .         L00        L00^T L10^T
//   A10 A11   =   L10 L11  *       L11^T
// the first is factored, L10 = A10 L00^-T is solved for, then A11 - L10 L10^T is factored. Blocks that
// fill in are made on the way. Rows stay in the order in which they are given.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dense.hpp"
#include "fork_join.hpp"
#include "matrix_market.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// A block that is not all zeros: of at most `grain` rows its entries, column by column, else its quadrants.
struct node {
  std::array<std::unique_ptr<node>, 4> quadrants;  // 0 1 / 2 3; on the diagonal 1 stays null
  std::unique_ptr<double[]> entries;

  [[nodiscard]] node* quadrant(int row, int column) const { return quadrants[index(row, column)].get(); }
  [[nodiscard]] std::unique_ptr<node>* place(int row, int column) { return &quadrants[index(row, column)]; }

private:
  static std::size_t index(int row, int column) {
    return 2 * static_cast<std::size_t>(row) + static_cast<std::size_t>(column);
  }
};

node& make_block(std::unique_ptr<node>& block, std::ptrdiff_t rows, std::ptrdiff_t grain) {
  if (block == nullptr) {
    block = std::make_unique<node>();
    if (rows <= grain) block->entries = std::make_unique<double[]>(static_cast<std::size_t>(rows * rows));
  }
  return *block;
}

[[gnu::noinline]] void subtract_product_serially(double* c, const double* a, const double* b,
                                                 std::ptrdiff_t rows) {
  for (std::ptrdiff_t j = 0; j < rows; ++j) {
    for (std::ptrdiff_t k = 0; k < rows; ++k) {
      const double factor = b[k * rows + j];
      for (std::ptrdiff_t i = 0; i < rows; ++i) c[j * rows + i] -= factor * a[k * rows + i];
    }
  }
}

[[gnu::noinline]] void solve_serially(double* x, const double* l, std::ptrdiff_t rows) {
  for (std::ptrdiff_t k = 0; k < rows; ++k) {
    for (std::ptrdiff_t i = 0; i < rows; ++i) x[k * rows + i] /= l[k * rows + k];
    for (std::ptrdiff_t j = k + 1; j < rows; ++j) {
      const double factor = l[k * rows + j];
      for (std::ptrdiff_t i = 0; i < rows; ++i) x[j * rows + i] -= factor * x[k * rows + i];
    }
  }
}

// Of what is not positive definite some root is not a number, nor then are others.
[[gnu::noinline]] void factor_serially(double* a, std::ptrdiff_t rows) {
  for (std::ptrdiff_t k = 0; k < rows; ++k) {
    const double pivot = std::sqrt(a[k * rows + k]);
    a[k * rows + k] = pivot;
    for (std::ptrdiff_t i = k + 1; i < rows; ++i) a[k * rows + i] /= pivot;
    for (std::ptrdiff_t j = k + 1; j < rows; ++j) {
      const double factor = a[k * rows + j];
      for (std::ptrdiff_t i = j; i < rows; ++i) a[j * rows + i] -= factor * a[k * rows + i];
    }
  }
}

/// Where a block is: below the diagonal, or on it, where only what is on and below the diagonal counts.
enum class position { below, diagonal };

/// c -= a b^T, each of `rows` rows; `a` and `b` are not null.
void subtract_product(std::unique_ptr<node>* c, const node* a, const node* b, std::ptrdiff_t rows,
                      std::ptrdiff_t grain, position where) {
  node& made = make_block(*c, rows, grain);
  if (rows <= grain) {
    subtract_product_serially(made.entries.get(), a->entries.get(), b->entries.get(), rows);
    return;
  }
  for (int k = 0; k < 2; ++k) {
    scope s;
    for (int i = 0; i < 2; ++i) {
      const int columns = where == position::diagonal ? i + 1 : 2;
      for (int j = 0; j < columns; ++j) {
        if (a->quadrant(i, k) == nullptr || b->quadrant(j, k) == nullptr) continue;
        s.fork(subtract_product, made.place(i, j), a->quadrant(i, k), b->quadrant(j, k), rows / 2, grain,
               i == j ? where : position::below);
      }
    }
    s.join();
  }
}

void solve(node* x, const node* l, std::ptrdiff_t rows, std::ptrdiff_t grain);

/// The upper or the lower half of `solve`: its left quadrant, then with that its right one.
void solve_half(node* x, int half, const node* l, std::ptrdiff_t rows, std::ptrdiff_t grain) {
  if (x->quadrant(half, 0) != nullptr) {
    solve(x->quadrant(half, 0), l->quadrant(0, 0), rows / 2, grain);
    if (l->quadrant(1, 0) != nullptr)
      subtract_product(x->place(half, 1), x->quadrant(half, 0), l->quadrant(1, 0), rows / 2, grain,
                       position::below);
  }
  if (x->quadrant(half, 1) != nullptr) solve(x->quadrant(half, 1), l->quadrant(1, 1), rows / 2, grain);
}

/// x = x l^-T
void solve(node* x, const node* l, std::ptrdiff_t rows, std::ptrdiff_t grain) {
  if (rows <= grain) {
    solve_serially(x->entries.get(), l->entries.get(), rows);
    return;
  }
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { solve_half(x, 0, l, rows, grain); }, [=] { solve_half(x, 1, l, rows, grain); });
#else
  scope s;
  s.fork(solve_half, x, 0, l, rows, grain);
  solve_half(x, 1, l, rows, grain);
  s.join();
#endif
}

void factor(node* a, std::ptrdiff_t rows, std::ptrdiff_t grain) {
  if (rows <= grain) {
    factor_serially(a->entries.get(), rows);
    return;
  }
  factor(a->quadrant(0, 0), rows / 2, grain);
  if (a->quadrant(1, 0) != nullptr) {
    solve(a->quadrant(1, 0), a->quadrant(0, 0), rows / 2, grain);
    subtract_product(a->place(1, 1), a->quadrant(1, 0), a->quadrant(1, 0), rows / 2, grain,
                     position::diagonal);
  }
  factor(a->quadrant(1, 1), rows / 2, grain);
}

/// Of ten non-zeros in a row on average, the diagonal among them, which outweighs the rest of its row.
symmetric_matrix random_matrix(std::int32_t rows, std::uint64_t seed) {
  random_sequence random(seed);
  const auto count = static_cast<std::uint64_t>(rows);
  const std::uint64_t below =
      std::min(count * 9 / 2, count * (count - std::min<std::uint64_t>(count, 1)) / 2);
  std::set<std::pair<std::int32_t, std::int32_t>> places;
  while (places.size() < below) {
    const auto row = static_cast<std::int32_t>(random.next() % count);
    const auto column = static_cast<std::int32_t>(random.next() % count);
    if (row != column) places.insert({std::max(row, column), std::min(row, column)});
  }
  symmetric_matrix matrix{rows, {}};
  std::vector<double> weights(count, 1);
  for (const auto& [row, column] : places) {
    const double value = between_minus_one_and_one(random);
    matrix.entries.push_back({row, column, value});
    weights[static_cast<std::size_t>(row)] += std::abs(value);
    weights[static_cast<std::size_t>(column)] += std::abs(value);
  }
  for (std::int32_t i = 0; i < rows; ++i)
    matrix.entries.push_back({i, i, weights[static_cast<std::size_t>(i)]});
  return matrix;
}

class cholesky_instance final : public instance {
public:
  explicit cholesky_instance(const input& with)
      : grain_(std::max<std::ptrdiff_t>(with.grain, 1)), seed_(with.seed),
        original_(with.matrix_file.empty() ? random_matrix(static_cast<std::int32_t>(with.size), seed_)
                                           : read_matrix_market(with.matrix_file)),
        padded_(halving_size(original_.rows, grain_)) {
    for (const matrix_entry& entry : original_.entries) insert(entry);
    // Beyond its rows the tree holds a unit matrix.
    for (auto i = original_.rows; i < padded_; ++i) insert({i, i, 1});
  }

  void run() override {
    if (root_ != nullptr) factor(root_.get(), padded_, grain_);
  }

  // The residual for a random v: L (L^T v) against A v.
  [[nodiscard]] bool verify() const override {
    random_sequence random(~seed_);
    std::vector<double> v(static_cast<std::size_t>(padded_));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>(1 + random.next() % 16);
    const std::vector<double> made = times_factor(times_transposed_factor(v));
    std::vector<double> expected = v;
    std::fill_n(expected.begin(), original_.rows, 0.0);
    double largest = 1;
    for (const auto& [row, column, value] : original_.entries) {
      const auto i = static_cast<std::size_t>(row);
      const auto j = static_cast<std::size_t>(column);
      expected[i] += value * v[j];
      if (i != j) expected[j] += value * v[i];
      largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (std::isnan(made[i])) throw std::runtime_error("cholesky: the matrix is not positive definite");
      if (!(std::abs(made[i] - expected[i]) <= 1e-10 * largest * 16)) return false;
    }
    return true;
  }

private:
  void insert(const matrix_entry& entry) {
    std::unique_ptr<node>* at = &root_;
    std::ptrdiff_t i = entry.row;
    std::ptrdiff_t j = entry.column;
    std::ptrdiff_t rows = padded_;
    for (; rows > grain_; rows /= 2) {
      const std::ptrdiff_t half = rows / 2;
      at = make_block(*at, rows, grain_).place(i >= half ? 1 : 0, j >= half ? 1 : 0);
      i -= i >= half ? half : 0;
      j -= j >= half ? half : 0;
    }
    make_block(*at, rows, grain_).entries[static_cast<std::size_t>(j * rows + i)] = entry.value;
  }

  /// Calls `use(i, j, entry)` for what the tree holds on and below the diagonal.
  template <class Use>
  void for_entries(const node* block, std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t rows,
                   const Use& use) const {
    if (block == nullptr) return;
    if (rows > grain_) {
      const std::ptrdiff_t half = rows / 2;
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
          for_entries(block->quadrant(i, j), row + i * half, column + j * half, half, use);
      }
      return;
    }
    for (std::ptrdiff_t j = 0; j < rows; ++j) {
      for (std::ptrdiff_t i = row == column ? j : 0; i < rows; ++i)
        use(static_cast<std::size_t>(row + i), static_cast<std::size_t>(column + j),
            block->entries[static_cast<std::size_t>(j * rows + i)]);
    }
  }
  [[nodiscard]] std::vector<double> times_factor(const std::vector<double>& v) const {
    std::vector<double> product(v.size());
    for_entries(root_.get(), 0, 0, padded_,
                [&](std::size_t i, std::size_t j, double entry) { product[i] += entry * v[j]; });
    return product;
  }
  [[nodiscard]] std::vector<double> times_transposed_factor(const std::vector<double>& v) const {
    std::vector<double> product(v.size());
    for_entries(root_.get(), 0, 0, padded_,
                [&](std::size_t i, std::size_t j, double entry) { product[j] += entry * v[i]; });
    return product;
  }

  std::ptrdiff_t grain_;
  std::uint64_t seed_;
  symmetric_matrix original_;
  std::ptrdiff_t padded_;
  std::unique_ptr<node> root_;
};

}  // namespace

const program cholesky_program = {
    .name = "cholesky",
    .summary = "Cholesky factorization of a sparse matrix, random or read from a file, in a quadtree",
    .size = {.meaning = "rows, ten non-zeros each",
             .usual = 3000,
             .quick = 500,
             .paper = 4000,
             .largest = 100'000},
    .grain = {.meaning = "rows factored serially", .usual = 24},
    .prepare = prepare<cholesky_instance>,
    .reads_matrix = matrix_kind::symmetric,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
