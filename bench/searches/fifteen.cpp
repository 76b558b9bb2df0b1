// The fifteen puzzle by iterative deepening A* with Manhattan distances: R. E. Korf, "Depth-first iterative-deepening: an optimal
// admissible tree search", Artificial Intelligence 27, 1985, whose instances these are, and whose lengths they have. The first solution
// of an iteration is as short as any, and stops the others.
#include <algorithm>
#include <array>
#include <cstddef>

#include "variant.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

constexpr int longest = 80;
constexpr int forked_moves = 10;

/// Where the blank has been, from the start on.
using path = std::array<std::int8_t, longest + 1>;

struct instance {
  int number;
  std::array<std::int8_t, 16> tiles;  ///< 0: the blank, which comes first in the end
  int length;
};

constexpr instance korf_12 = {12, {14, 1, 9, 6, 4, 8, 12, 5, 7, 2, 3, 0, 10, 11, 13, 15}, 45};
constexpr instance korf_42 = {42, {4, 5, 7, 2, 9, 14, 12, 13, 0, 3, 6, 11, 8, 1, 15, 10}, 42};
constexpr instance korf_83 = {83, {12, 3, 9, 1, 4, 5, 10, 2, 6, 11, 15, 0, 14, 7, 13, 8}, 49};
constexpr instance korf_85 = {85, {4, 7, 13, 10, 1, 2, 9, 6, 12, 8, 14, 5, 3, 0, 11, 15}, 44};

constexpr int distance(int a, int b) {
  const int rows = a / 4 - b / 4;
  const int columns = a % 4 - b % 4;
  return (rows < 0 ? -rows : rows) + (columns < 0 ? -columns : columns);
}

struct neighbours {
  int count = 0;
  std::array<std::int8_t, 4> places{};
};
constexpr std::array<neighbours, 16> find_neighbours() {
  std::array<neighbours, 16> all{};
  for (int place = 0; place < 16; ++place) {
    neighbours& of = all[static_cast<std::size_t>(place)];
    for (int other = 0; other < 16; ++other)
      if (distance(place, other) == 1)
        of.places[static_cast<std::size_t>(of.count++)] = static_cast<std::int8_t>(other);
  }
  return all;
}
constexpr std::array<neighbours, 16> next_to = find_neighbours();

constexpr std::array<std::array<std::int8_t, 16>, 16> find_distances() {
  std::array<std::array<std::int8_t, 16>, 16> all{};
  for (std::size_t tile = 1; tile < 16; ++tile)
    for (std::size_t place = 0; place < 16; ++place)
      all[tile][place] = static_cast<std::int8_t>(distance(static_cast<int>(tile), static_cast<int>(place)));
  return all;
}
constexpr std::array<std::array<std::int8_t, 16>, 16> distances = find_distances();

struct board {
  std::uint64_t tiles = 0;  ///< four bits for each place
  int blank = 0;
  int before = -1;  ///< where the blank was a move ago
  int moves = 0;
  int distance = 0;  ///< that all tiles have to go at least

  [[nodiscard]] board with_blank_at(int place) const {
    const std::uint64_t tile = tiles >> (4 * place) & 15;
    const auto& far = distances[tile];
    return {tiles ^ (tile << (4 * place)) ^ (tile << (4 * blank)), place, blank, moves + 1,
            distance - far[static_cast<std::size_t>(place)] + far[static_cast<std::size_t>(blank)]};
  }
};

/// The boards that one move makes and that a solution in so many moves may come by.
struct moves_from {
  int count = 0;
  std::array<board, 4> boards;

  moves_from(const board& from, int bound) {
    const neighbours& to = next_to[static_cast<std::size_t>(from.blank)];
    for (int i = 0; i < to.count; ++i) {
      const int place =
          to.places[static_cast<std::size_t>(i)];  // NOLINT(bugprone-signed-char-misuse): a number
      if (place == from.before) continue;
      const board next = from.with_blank_at(place);
      if (next.moves + next.distance <= bound) boards[static_cast<std::size_t>(count++)] = next;
    }
  }
  [[nodiscard]] const board* begin() const { return boards.data(); }
  [[nodiscard]] const board* end() const { return boards.data() + count; }
};

struct hunt {
  int bound;
  tally& counts;
  stoppable* scope = nullptr;
  std::atomic<bool> is_found = false;
  path found{};  ///< by the strand that has set `is_found`
  stop_clock since{};
};

template <class Visits>
bool solve_serially(const board& from, int bound, path& way, Visits& seen) {
  if (!seen.goes_on()) return false;
  bool is_solved = from.distance == 0;
  if (!is_solved) {
    const moves_from all(from, bound);
    is_solved = std::any_of(all.begin(), all.end(),
                            [&](const board& next) { return solve_serially(next, bound, way, seen); });
  }
  if (is_solved) way[static_cast<std::size_t>(from.moves)] = static_cast<std::int8_t>(from.blank);
  return is_solved;
}

void solve(hunt& in, const board& from, path way, stop_view view) {
  if (view.stopped()) return;
  way[static_cast<std::size_t>(from.moves)] = static_cast<std::int8_t>(from.blank);
  if (from.moves == forked_moves || from.distance == 0) {
    visits seen(in.counts, [view] { return view.stopped(); });
    if (!solve_serially(from, in.bound, way, seen) || in.is_found.exchange(true)) return;
    in.found = way;
    in.since.stopped();
    in.scope->request_stop();
    return;
  }
  in.counts.add_nodes(1);
  group moves(view);
  for (const board& next : moves_from(from, in.bound))
    moves.fork([&in, next, way, view] { solve(in, next, way, view); });
  moves.join();
}

board board_of(const instance& of) {
  board made;
  for (std::size_t place = 0; place < 16; ++place) {
    const auto tile =
        static_cast<std::size_t>(of.tiles[place]);  // NOLINT(bugprone-signed-char-misuse): a number
    made.tiles |= std::uint64_t{tile} << (4 * place);
    made.distance += distances[tile][place];
    if (tile == 0) made.blank = static_cast<int>(place);
  }
  return made;
}

bool is_solution(board from, const path& way, int length) {
  for (int i = 1; i <= length; ++i) {
    const int place = way[static_cast<std::size_t>(i)];  // NOLINT(bugprone-signed-char-misuse): a number
    if (distance(place, from.blank) != 1) return false;
    from = from.with_blank_at(place);
  }
  return from.tiles == 0xfedcba9876543210;
}

outcome run(const instance& of) {
  const board start = board_of(of);
  path way{};
  outcome all = timed([&](tally& counts) {
    for (int bound = start.distance; bound <= longest; bound += 2) {
      hunt in{.bound = bound, .counts = counts};
      stoppable whole{stop_view()};
      in.scope = &whole;
      whole.fork([&] { solve(in, start, path{}, whole.view()); });
      whole.join();
      in.since.joined(counts);
      if (!in.is_found) continue;
      way = in.found;
      return bound;
    }
    return 0;
  });
  all.is_right = all.answer == of.length && is_solution(start, way, of.length);
  return all;
}

}  // namespace

std::vector<search> fifteen_searches(bool quick) {
  std::vector<search> all;
  for (const instance& one : quick ? std::vector{korf_42} : std::vector{korf_42, korf_12, korf_85, korf_83})
    all.push_back({"fifteen, Korf's " + std::to_string(one.number), [one] { return run(one); }});
  return all;
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
