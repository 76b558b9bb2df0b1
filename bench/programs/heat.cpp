// Heat spreading over a square plate whose rim is kept cold: 500 steps of Jacobi's method, the rows of
// each step by recursive halving.
//
// The plate starts as a sum of products of sines, each of which only fades, by a known factor per step.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "dense.hpp"
#include "fork_join.hpp"
#include "in_halves.hpp"
#include "program.hpp"
#include "random.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr int steps = 500;
constexpr double spread = 0.2;  // how much of the difference to each neighbour goes over in a step

/// New rows from..to of the plate; `before` and `after` have a row and a column of rim on each side.
[[gnu::noinline]] void heat_rows(block after, block before, std::ptrdiff_t from, std::ptrdiff_t to) {
  for (std::ptrdiff_t i = from; i < to; ++i) {
    const double* const above = before.row(i - 1);
    const double* const here = before.row(i);
    const double* const below = before.row(i + 1);
    double* const made = after.row(i);
    for (std::ptrdiff_t j = 1; j < before.columns - 1; ++j) {
      made[j] = (1 - 4 * spread) * here[j] + spread * (above[j] + below[j] + here[j - 1] + here[j + 1]);
    }
  }
}

/// What the plate is made of: sines, so many half waves down and so many across, which fade.
class waves {
public:
  waves(std::ptrdiff_t size, std::uint64_t seed) : size_(size) {
    random_sequence random(seed);
    const auto most = static_cast<std::uint64_t>(std::clamp<std::ptrdiff_t>(size, 1, 32));
    for (wave& each : waves_)
      each = {1 + random.next() % most, 1 + random.next() % most, 1 + small_number(random)};
  }

  /// Calls `cell(i, j, heat)` for every cell, as it is known to be after so many steps.
  template <class Cell>
  void for_cells(int after_steps, Cell cell) const {
    std::array<std::vector<double>, count> down;
    std::array<std::vector<double>, count> across;
    for (std::size_t w = 0; w < count; ++w) {
      const double left = std::pow(factor_per_step(waves_[w]), after_steps);
      down[w] = sines(waves_[w].down, waves_[w].height * left);
      across[w] = sines(waves_[w].across, 1);
    }
    for (std::size_t i = 1; i < down[0].size(); ++i) {
      for (std::size_t j = 1; j < down[0].size(); ++j) {
        double heat = 0;
        for (std::size_t w = 0; w < count; ++w) heat += down[w][i] * across[w][j];
        cell(static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(j), heat);
      }
    }
  }

private:
  struct wave {
    std::uint64_t down;
    std::uint64_t across;
    double height;
  };
  static constexpr std::size_t count = 4;

  /// Half a turn over the plate, rim to rim, so many times.
  [[nodiscard]] double angle(std::uint64_t half_waves) const {
    return std::numbers::pi * static_cast<double>(half_waves) / static_cast<double>(size_ + 1);
  }
  [[nodiscard]] std::vector<double> sines(std::uint64_t half_waves, double height) const {
    std::vector<double> values(static_cast<std::size_t>(size_) + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = height * std::sin(angle(half_waves) * static_cast<double>(i));
    return values;
  }
  [[nodiscard]] double factor_per_step(const wave& of) const {
    return 1 - 2 * spread * (2 - std::cos(angle(of.down)) - std::cos(angle(of.across)));
  }

  std::ptrdiff_t size_;
  std::array<wave, count> waves_;
};

class heat_instance final : public instance {
public:
  explicit heat_instance(const input& with)
      : size_(with.size), grain_(std::max<std::ptrdiff_t>(with.grain, 1)), waves_(size_, with.seed),
        plate_(size_ + 2, size_ + 2), other_(size_ + 2, size_ + 2) {
    waves_.for_cells(0, [&](std::ptrdiff_t i, std::ptrdiff_t j, double heat) { plate_.row(i)[j] = heat; });
  }

  void run() override {
    block before = plate_.whole();
    block after = other_.whole();
    for (int step = 0; step < steps; ++step) {
      in_halves(1, size_ + 1, grain_,
                [=](std::ptrdiff_t from, std::ptrdiff_t to) { heat_rows(after, before, from, to); });
      std::swap(before, after);
    }
  }

  [[nodiscard]] bool verify() const override {
    static_assert(steps % 2 == 0, "the last step writes to plate_");
    bool right = true;
    waves_.for_cells(steps, [&](std::ptrdiff_t i, std::ptrdiff_t j, double heat) {
      right = right && std::abs(plate_.row(i)[j] - heat) <= 1e-10;
    });
    return right;
  }

private:
  std::ptrdiff_t size_;
  std::ptrdiff_t grain_;
  waves waves_;
  matrix plate_;
  matrix other_;
};

}  // namespace

const program heat_program = {
    .name = "heat",
    .summary = "500 steps of heat spreading over a square plate, by Jacobi's method",
    .size = {.meaning = "rows", .usual = 1200, .quick = 128, .paper = 2048, .largest = 32768},
    .grain = {.meaning = "rows serially", .usual = 16},
    .prepare = prepare<heat_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
