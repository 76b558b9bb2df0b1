// Connect Four: the value of positions some plies ahead, by alpha-beta. The eldest child of a position comes first, its younger brothers
// at the same time with the window that it left; one that is too good stops those beside it. And the number of games of some plies, which
// is known: nothing is stopped there.
//
// A position is two boards of bits, seven for each column from the left and the highest of these empty. Values are those for the player
// to move: of a won game, the sooner the greater, or of the fours that are possible yet.
#include <array>
#include <cstddef>
#include <string_view>

#include "../programs/random.hpp"
#include "variant.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

constexpr int columns = 7;
constexpr int rows = 6;
constexpr int winning = 1000;
constexpr int beyond_all = 10'000;
constexpr std::array<int, columns> from_the_middle = {3, 2, 4, 1, 5, 0, 6};

constexpr std::uint64_t cell(int column, int row) { return std::uint64_t{1} << (column * (rows + 1) + row); }
constexpr std::uint64_t all_cells() {
  std::uint64_t all = 0;
  for (int column = 0; column < columns; ++column)
    for (int row = 0; row < rows; ++row) all |= cell(column, row);
  return all;
}
constexpr std::array<int, 4> directions = {1, rows, rows + 1, rows + 2};

constexpr bool has_four(std::uint64_t stones) {
  for (const int step : directions) {
    const std::uint64_t pairs = stones & (stones >> step);
    if ((pairs & (pairs >> (2 * step))) != 0) return true;
  }
  return false;
}

/// The empty cells, reachable or not, that make four with three of the stones.
std::uint64_t completing(std::uint64_t stones, std::uint64_t taken) {
  std::uint64_t cells = (stones << 1) & (stones << 2) & (stones << 3);
  for (const int step : {rows, rows + 1, rows + 2}) {
    const std::uint64_t below = (stones << step) & (stones << (2 * step));
    const std::uint64_t above = (stones >> step) & (stones >> (2 * step));
    cells |= below & (stones << (3 * step));
    cells |= below & (stones >> step);
    cells |= above & (stones << step);
    cells |= above & (stones >> (3 * step));
  }
  return cells & all_cells() & ~taken;
}

struct position {
  std::uint64_t mine = 0;  ///< of the player to move
  std::uint64_t taken = 0;

  [[nodiscard]] bool can_play(int column) const { return (taken & cell(column, rows - 1)) == 0; }
  [[nodiscard]] position after(int column) const { return {mine ^ taken, taken | (taken + cell(column, 0))}; }
  [[nodiscard]] bool is_lost() const { return has_four(mine ^ taken); }
  [[nodiscard]] bool is_full() const { return taken == all_cells(); }
  [[nodiscard]] int stones() const { return __builtin_popcountll(taken); }
};

/// Of a position that is the last to be looked at, or where the game is over.
bool is_leaf(const position& at, int plies, int& value) {
  if (at.is_lost()) {
    value = at.stones() - winning;
  } else if (at.is_full()) {
    value = 0;
  } else if (plies == 0) {
    value = __builtin_popcountll(completing(at.mine, at.taken)) -
            __builtin_popcountll(completing(at.mine ^ at.taken, at.taken));
  } else {
    return false;
  }
  return true;
}

struct window {
  int alpha = -beyond_all;
  int beta = beyond_all;
  /// For the opponent, once something as good as `best` is known.
  [[nodiscard]] window for_child(int best) const { return {-beta, -std::max(alpha, best)}; }
};

/// Plain alpha-beta. What it returns when it is stopped means nothing.
template <class Visits>
int serial_value(const position& at, int plies, window in, Visits& seen) {
  int value = 0;
  if (!seen.goes_on() || is_leaf(at, plies, value)) return value;
  int best = -beyond_all;
  for (const int column : from_the_middle) {
    if (!at.can_play(column)) continue;
    best = std::max(best, -serial_value(at.after(column), plies - 1, in.for_child(best), seen));
    if (best >= in.beta || seen.is_stopped()) break;
  }
  return best;
}

struct game_search {
  tally& counts;
  int searched_plies;  ///< so many last ones without forks
};

int value_of(const game_search& with, const position& at, int plies, window in, stop_view view);

int younger_brothers(const game_search& with, const position& at, int plies, window in, int eldest, int best,
                     stop_view view) {
  std::atomic<int> most = best;  // inlets write it, one at a time; relaxed, as an old one only costs time
  stop_clock since;
  stoppable brothers(view);
  for (int i = eldest + 1; i < columns; ++i) {
    const int column = from_the_middle[static_cast<std::size_t>(i)];
    if (!at.can_play(column)) continue;
    brothers.fork_inlet(
        [&](int value) {
          // It may have been cut short then.
          if (brothers.stop_requested() || value <= most.load(std::memory_order_relaxed)) return;
          most.store(value, std::memory_order_relaxed);
          if (value < in.beta) return;
          since.stopped();
          brothers.request_stop();
        },
        [&, column] {
          return -value_of(with, at.after(column), plies - 1,
                           in.for_child(most.load(std::memory_order_relaxed)), brothers.view());
        });
  }
  brothers.join();
  since.joined(with.counts);
  return most.load(std::memory_order_relaxed);
}

/// The value, unless it is stopped.
int value_of(const game_search& with, const position& at, int plies, window in, stop_view view) {
  if (plies <= with.searched_plies) {
    visits seen(with.counts, [view] { return view.stopped(); });
    return serial_value(at, plies, in, seen);
  }
  with.counts.add_nodes(1);
  int value = 0;
  if (is_leaf(at, plies, value)) return value;
  int eldest = 0;
  while (!at.can_play(from_the_middle[static_cast<std::size_t>(eldest)])) ++eldest;
  const int column = from_the_middle[static_cast<std::size_t>(eldest)];
  const int best = -value_of(with, at.after(column), plies - 1, in.for_child(-beyond_all), view);
  if (best >= in.beta || view.stopped()) return best;
  return younger_brothers(with, at, plies, in, eldest, best, view);
}

position position_after(std::string_view moves) {
  position at;
  for (const char move : moves) at = at.after(move - '1');
  return at;
}

struct task {
  std::vector<position> from;
  int plies;
  int searched_plies;
};

/// The values in one number.
outcome run_values(const task& of) {
  std::vector<int> values;
  outcome all = timed([&](tally& counts) {
    std::uint64_t mixed = 0;
    for (const position& at : of.from) {
      values.push_back(value_of({counts, of.searched_plies}, at, of.plies, window{}, stop_view()));
      mixed = bench::mix(mixed ^ static_cast<std::uint64_t>(values.back()));
    }
    return static_cast<std::int64_t>(mixed);
  });
  all.is_right = true;
#ifdef NOPAL_ELIDE
  // The others' are compared to this one's.
  tally ignored;
  visits seen(ignored, [] { return false; });
  for (std::size_t i = 0; i < values.size(); ++i)
    all.is_right = all.is_right && serial_value(of.from[i], of.plies, window{}, seen) == values[i];
#endif
  return all;
}

std::int64_t count_serially(const position& at, int plies) {
  if (plies == 0) return 1;
  if (at.is_lost()) return 0;
  std::int64_t games = 0;
  for (int column = 0; column < columns; ++column)
    if (at.can_play(column)) games += count_serially(at.after(column), plies - 1);
  return games;
}

std::int64_t count_games(tally& counts, const position& at, int plies, int searched_plies, stop_view view) {
  counts.add_nodes(1);
  if (plies <= searched_plies) return count_serially(at, plies);
  if (at.is_lost()) return 0;
  std::array<std::int64_t, columns> games{};
  group all(view);
  for (int column = 0; column < columns; ++column) {
    if (!at.can_play(column)) continue;
    all.fork([&counts, &games, at, column, plies, searched_plies, view] {
      games[static_cast<std::size_t>(column)] =
          count_games(counts, at.after(column), plies - 1, searched_plies, view);
    });
  }
  all.join();
  std::int64_t sum = 0;
  for (const std::int64_t one : games) sum += one;
  return sum;
}

outcome run_count(int plies) {
  // Of as many plies; none goes on that is won.
  constexpr std::array<std::int64_t, 10> known = {1,      7,       49,      343,       2'401,
                                                  16'807, 117'649, 823'536, 5'673'234, 39'394'572};
  outcome all =
      timed([&](tally& counts) { return count_games(counts, position{}, plies, plies - 4, stop_view()); });
  all.is_right = all.answer == known[static_cast<std::size_t>(plies)];
  for (int fewer = 0; fewer < std::min(plies, 8); ++fewer)
    all.is_right =
        all.is_right && count_serially(position{}, fewer) == known[static_cast<std::size_t>(fewer)];
  return all;
}

}  // namespace

std::vector<search> connect4_searches(bool quick) {
  const int counted = quick ? 6 : 9;
  const task opening = quick ? task{{position{}}, 7, 4} : task{{position{}}, 13, 7};
  const task early{
      {position_after("4444"), position_after("43"), position_after("4536")}, quick ? 7 : 12, quick ? 4 : 6};
  const task late{{position_after("44455554221"), position_after("4443325567"), position_after("1212334556")},
                  quick ? 8 : 12,
                  quick ? 4 : 7};
  const auto named = [](const char* what, const task& of) {
    return search{std::string("connect4, ") + what + ", " + std::to_string(of.plies) + " plies",
                  [of] { return run_values(of); }};
  };
  return {
      {"connect4, games of " + std::to_string(counted) + " plies", [counted] { return run_count(counted); }},
      named("empty", opening),
      named("3 openings", early),
      named("3 later", late)};
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
