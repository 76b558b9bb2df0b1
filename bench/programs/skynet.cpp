// A tree whose nodes have ten children each, and whose leaves have a number each: their sum. Public suites of
// task libraries have it, with 10^8 leaves and no cut-off, to tell what a task costs.
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "fork_join.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr std::size_t children = 10;

std::uint64_t leaves_below(std::int64_t levels) {
  std::uint64_t leaves = 1;
  for (std::int64_t level = 0; level < levels; ++level) leaves *= children;
  return leaves;
}

/// The sum of as many numbers from `first` on.
std::uint64_t sum_of(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t below = leaves / children;
  std::array<std::uint64_t, children> sums;
  scope s;
  for (std::size_t i = 0; i < children; ++i) s.fork_into(sums[i], sum_of, first + i * below, below);
  s.join();
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

class skynet_instance final : public instance {
public:
  explicit skynet_instance(const input& with) : leaves_(leaves_below(with.size)) {}
  void run() override { result_ = sum_of(0, leaves_); }
  [[nodiscard]] bool verify() const override {
    return result_ == (leaves_ % 2 == 0 ? leaves_ / 2 * (leaves_ - 1) : (leaves_ - 1) / 2 * leaves_);
  }

private:
  std::uint64_t leaves_;
  std::uint64_t result_ = 0;
};

}  // namespace

const program skynet_program = {
    .name = "skynet",
    .summary = "sum over the leaves of a tree, ten forks at every node",
    .size = {.meaning = "levels", .usual = 8, .quick = 5, .paper = 8, .largest = 9, .suite = 8},
    .grain = {},
    .prepare = prepare<skynet_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
