// Fast Fourier transform by recursion on Cooley and Tukey's factorization: n points are a matrix of
// about sqrt(n) rows, whose columns are transformed, turned by roots of unity, and whose rows are then
// transformed. Columns become rows by transposing, so that every part is contiguous when it is small
// enough for a cache. Rows and transpositions are halved, one half forked.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "fork_join.hpp"
#include "in_halves.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

// std::complex multiplies with a detour for infinities.
struct complex {
  double re;
  double im;

  complex operator+(complex other) const { return {re + other.re, im + other.im}; }
  complex operator-(complex other) const { return {re - other.re, im - other.im}; }
  complex operator*(complex other) const {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }
};

/// e^(-2 pi i part / whole)
complex root_of_unity(std::ptrdiff_t part, std::ptrdiff_t whole) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(part) / static_cast<double>(whole);
  return {std::cos(angle), std::sin(angle)};
}

/// What transforms of a number of points, and of those it factors into, look up.
class tables {
public:
  /// For 2^log_points, serially up to 2^log_leaf.
  tables(int log_points, int log_leaf)
      : log_points_(log_points), log_leaf_(std::min(log_points, log_leaf)), log_fine_((log_points + 1) / 2) {
    const std::ptrdiff_t points = std::ptrdiff_t{1} << log_points_;
    const std::ptrdiff_t leaf = std::ptrdiff_t{1} << log_leaf_;
    for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{1} << log_fine_; ++i)
      fine_.push_back(root_of_unity(i, points));
    for (std::ptrdiff_t i = 0; i < points >> log_fine_; ++i)
      coarse_.push_back(root_of_unity(i, points >> log_fine_));
    stages_.push_back({});
    for (std::ptrdiff_t half = 1; half < leaf; half *= 2) {
      for (std::ptrdiff_t i = 0; i < half; ++i) stages_.push_back(root_of_unity(i, 2 * half));
    }
    reversed_.resize(static_cast<std::size_t>(leaf));
    for (std::size_t i = 1; i < reversed_.size(); ++i)
      reversed_[i] = reversed_[i / 2] / 2 + (i % 2 == 1 ? static_cast<std::uint32_t>(leaf / 2) : 0);
  }

  [[nodiscard]] int log_leaf() const { return log_leaf_; }

  /// e^(-2 pi i part / 2^log_whole), exact to a rounding or two: the product of two that are looked up.
  [[nodiscard]] complex root(std::ptrdiff_t part, int log_whole) const {
    const auto at = static_cast<std::size_t>(part << (log_points_ - log_whole));
    return coarse_[at >> log_fine_] * fine_[at & (fine_.size() - 1)];
  }
  /// Roots 0 to half - 1 of 2 half, where half is less than a leaf.
  [[nodiscard]] const complex* stage(std::ptrdiff_t half) const { return stages_.data() + half; }
  /// `i`, one of 2^log_points of at most a leaf, with its bits reversed.
  [[nodiscard]] std::ptrdiff_t reversed(std::ptrdiff_t i, int log_points) const {
    return reversed_[static_cast<std::size_t>(i)] >> (log_leaf_ - log_points);
  }

private:
  int log_points_;
  int log_leaf_;
  int log_fine_;
  std::vector<complex> fine_;    // the first roots of all points
  std::vector<complex> coarse_;  // every 2^log_fine-th of them
  std::vector<complex> stages_;
  std::vector<std::uint32_t> reversed_;
};

/// out = the transform of in, by halving from the other end: neighbours first.
[[gnu::noinline]] void transform_serially(const complex* in, complex* out, int log_points,
                                          const tables& look) {
  const std::ptrdiff_t points = std::ptrdiff_t{1} << log_points;
  for (std::ptrdiff_t i = 0; i < points; ++i) out[i] = in[look.reversed(i, log_points)];
  for (std::ptrdiff_t half = 1; half < points; half *= 2) {
    const complex* const roots = look.stage(half);
    for (complex* low = out; low < out + points; low += 2 * half) {
      complex* const high = low + half;
      for (std::ptrdiff_t i = 0; i < half; ++i) {
        const complex turned = high[i] * roots[i];
        high[i] = low[i] - turned;
        low[i] = low[i] + turned;
      }
    }
  }
}

/// Rows from..to of `out`, each `rows` long, become columns of `in`, each row of which is `columns` long.
[[gnu::noinline]] void transpose_serially(const complex* in, complex* out, std::ptrdiff_t rows,
                                          std::ptrdiff_t columns, std::ptrdiff_t from, std::ptrdiff_t to) {
  constexpr std::ptrdiff_t tile = 8;
  for (std::ptrdiff_t i0 = 0; i0 < rows; i0 += tile) {
    for (std::ptrdiff_t j0 = from; j0 < to; j0 += tile) {
      for (std::ptrdiff_t j = j0; j < std::min(j0 + tile, to); ++j) {
        for (std::ptrdiff_t i = i0; i < std::min(i0 + tile, rows); ++i)
          out[j * rows + i] = in[i * columns + j];
      }
    }
  }
}

/// out, of `columns` rows, = the transpose of in, of `rows` rows.
void transpose(const complex* in, complex* out, std::ptrdiff_t rows, std::ptrdiff_t columns,
               const tables& look) {
  const std::ptrdiff_t rows_serially =
      std::max<std::ptrdiff_t>(8, (std::ptrdiff_t{1} << look.log_leaf()) / rows);
  in_halves(0, columns, rows_serially, [=](std::ptrdiff_t from, std::ptrdiff_t to) {
    transpose_serially(in, out, rows, columns, from, to);
  });
}

void transform(complex* in, complex* out, int log_points, const tables& look);

/// Transforms `rows` rows of 2^log_columns points each.
void transform_rows(complex* in, complex* out, std::ptrdiff_t rows, int log_columns, const tables& look) {
  const std::ptrdiff_t rows_serially = (std::ptrdiff_t{1} << look.log_leaf()) >> log_columns;
  in_halves(0, rows, std::max<std::ptrdiff_t>(1, rows_serially),
            [=, &look](std::ptrdiff_t from, std::ptrdiff_t to) {
              for (std::ptrdiff_t i = from; i < to; ++i)
                transform(in + (i << log_columns), out + (i << log_columns), log_columns, look);
            });
}

/// Point k of row i of a matrix of 2^log_points is turned by root i k.
void turn(complex* points, std::ptrdiff_t rows, int log_columns, int log_points, const tables& look) {
  const std::ptrdiff_t rows_serially = (std::ptrdiff_t{1} << look.log_leaf()) >> log_columns;
  in_halves(0, rows, std::max<std::ptrdiff_t>(1, rows_serially),
            [=, &look](std::ptrdiff_t from, std::ptrdiff_t to) {
              for (std::ptrdiff_t i = from; i < to; ++i) {
                complex* const row = points + (i << log_columns);
                for (std::ptrdiff_t k = 0; k < std::ptrdiff_t{1} << log_columns; ++k)
                  row[k] = row[k] * look.root(i * k, log_points);
              }
            });
}

/// out = the transform of in, which is used up.
void transform(complex* in, complex* out, int log_points, const tables& look) {
  if (log_points <= look.log_leaf()) {
    transform_serially(in, out, log_points, look);
    return;
  }
  const int log_columns = log_points / 2;
  const int log_rows = log_points - log_columns;
  const std::ptrdiff_t columns = std::ptrdiff_t{1} << log_columns;
  const std::ptrdiff_t rows = std::ptrdiff_t{1} << log_rows;
  transpose(in, out, rows, columns, look);
  transform_rows(out, in, columns, log_rows, look);
  turn(in, columns, log_rows, log_points, look);
  transpose(in, out, columns, rows, look);
  transform_rows(out, in, rows, log_columns, look);
  transpose(in, out, rows, columns, look);
}

/// Sum of terms(i) e^(2 pi i sign i frequency / count): one value of a transform, term by term.
template <class Terms>
complex sum_directly(std::ptrdiff_t count, std::ptrdiff_t frequency, int sign, Terms terms) {
  constexpr std::ptrdiff_t chunk = 256;  // over which the roots are made one from the other
  const complex step = root_of_unity(-sign * frequency, count);
  complex sum{};
  for (std::ptrdiff_t first = 0; first < count; first += chunk) {
    complex root = root_of_unity(-sign * static_cast<std::ptrdiff_t>(first * frequency % count), count);
    complex part{};
    for (std::ptrdiff_t i = first; i < std::min(first + chunk, count); ++i) {
      part = part + terms(i) * root;
      root = root * step;
    }
    sum = sum + part;
  }
  return sum;
}

class fft_instance final : public instance {
public:
  explicit fft_instance(const input& with)
      : log_points_(static_cast<int>(with.size)), points_(std::ptrdiff_t{1} << log_points_), seed_(with.seed),
        look_(log_points_, static_cast<int>(std::clamp<std::int64_t>(with.grain, 1, 20))),
        in_(static_cast<std::size_t>(points_)), out_(in_.size()) {
    for (std::ptrdiff_t i = 0; i < points_; ++i) in_[static_cast<std::size_t>(i)] = original(i);
  }
  void run() override { transform(in_.data(), out_.data(), log_points_, look_); }

  // Directly, term by term: some of the frequencies, each from all points, and some of the points, each
  // from all frequencies.
  [[nodiscard]] bool verify() const override {
    random_sequence random(~seed_);
    for (int sample = 0; sample < 6; ++sample) {
      const auto at = static_cast<std::ptrdiff_t>(random.next() % static_cast<std::uint64_t>(points_));
      const auto count = static_cast<double>(points_);
      const complex frequency = sum_directly(points_, at, -1, [&](std::ptrdiff_t i) { return original(i); });
      const complex point = sum_directly(points_, at, 1, [&](std::ptrdiff_t i) { return result(i); });
      const complex scaled = original(at) * complex{count, 0};
      if (!is_near(frequency, result(at)) || !is_near(point, scaled)) return false;
    }
    return true;
  }

private:
  [[nodiscard]] complex original(std::ptrdiff_t i) const {
    const std::uint64_t bits = mix(seed_ + static_cast<std::uint64_t>(i));
    return {static_cast<double>(bits >> 32) * 0x1p-32 - 0.5,
            static_cast<double>(bits & 0xffffffff) * 0x1p-32 - 0.5};
  }
  [[nodiscard]] complex result(std::ptrdiff_t i) const { return out_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool is_near(complex a, complex b) const {
    return std::hypot(a.re - b.re, a.im - b.im) <= 1e-12 * static_cast<double>(points_);
  }

  int log_points_;
  std::ptrdiff_t points_;
  std::uint64_t seed_;
  tables look_;
  std::vector<complex> in_;
  std::vector<complex> out_;
};

}  // namespace

const program fft_program = {
    .name = "fft",
    .summary = "fast Fourier transform of 2^n points, by recursion on a matrix of sqrt(2^n) rows",
    .size = {.meaning = "n, of 2^n points", .usual = 24, .quick = 16, .paper = 26, .largest = 30},
    .grain = {.meaning = "n, of 2^n points transformed serially", .usual = 10},
    .prepare = prepare<fft_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
