// Counts the ways to place n queens on an n by n board so that none attacks another: column by
// column, a fork for every row that is not attacked, no cut-off.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "fork_join.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr int largest_board = 16;

struct board {
  std::array<std::int8_t, largest_board> row_of_column;
};

bool is_attacked(const board& placed, int column, int row) {
  for (int earlier = 0; earlier < column; ++earlier) {
    const int distance = row - placed.row_of_column[static_cast<std::size_t>(earlier)];
    if (distance == 0 || std::abs(distance) == column - earlier) return true;
  }
  return false;
}

// Each child gets its own copy of the board, so that the loop may go on writing to this one.
int count_placements(int queens, int column, board placed) {
  if (column == queens) return 1;
  std::array<int, largest_board> counts{};
  scope s;
  for (int row = 0; row < queens; ++row) {
    if (is_attacked(placed, column, row)) continue;
    placed.row_of_column[static_cast<std::size_t>(column)] = static_cast<std::int8_t>(row);
    s.fork_into(counts[static_cast<std::size_t>(row)], count_placements, queens, column + 1, placed);
  }
  s.join();
  return std::accumulate(counts.begin(), counts.end(), 0);
}

class nqueens_instance final : public instance {
public:
  explicit nqueens_instance(const input& with) : queens_(static_cast<int>(with.size)) {}
  void run() override { result_ = count_placements(queens_, 0, board{}); }
  [[nodiscard]] bool verify() const override {
    // https://oeis.org/A000170
    constexpr std::array<int, largest_board + 1> known = {
        1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
    return result_ == known[static_cast<std::size_t>(queens_)];
  }

private:
  int queens_;
  int result_ = -1;
};

}  // namespace

const program nqueens_program = {
    .name = "nqueens",
    .summary = "placements of n queens, a fork for every row not attacked",
    .size =
        {.meaning = "queens", .usual = 13, .quick = 11, .paper = 14, .largest = largest_board, .suite = 14},
    .grain = {},
    .prepare = prepare<nqueens_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
