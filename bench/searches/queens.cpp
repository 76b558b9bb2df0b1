// Queens on a board so that none attacks another, row by row, columns from the left: the first placement that the serial search finds,
// and any. Squares may be barred, which puts the first placement far from the first branches.
#include <array>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>

#include "../programs/random.hpp"
#include "variant.hpp"

namespace searches::NOPAL_SEARCHES_VARIANT {
namespace {

constexpr int largest_board = 30;
constexpr int forked_rows = 12;  // the most, as what a branch is called by has 5 bits for each

/// The column of the queen in each row.
using placement = std::array<std::int8_t, largest_board>;

struct board {
  int size;
  int rows_forked;
  std::array<std::uint32_t, largest_board> barred;
};

/// The first rows with queens. What attacks the next row, and what this is called: those called less come before it.
struct branch {
  int row = 0;
  std::uint32_t columns = 0;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint64_t name = 0;
  placement queens{};

  [[nodiscard]] std::uint32_t free_columns(const board& on) const {
    const std::uint32_t all = (std::uint32_t{1} << on.size) - 1;
    return all & ~(columns | left | right | on.barred[static_cast<std::size_t>(row)]);
  }
  [[nodiscard]] branch with(std::uint32_t queen) const {
    branch next = *this;
    const int column = __builtin_ctz(queen);
    next.queens[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(column);
    next.columns |= queen;
    next.left = (left | queen) << 1;
    next.right = (right | queen) >> 1;
    if (row < forked_rows) next.name |= static_cast<std::uint64_t>(column) << (5 * (forked_rows - 1 - row));
    ++next.row;
    return next;
  }
};

/// From here on serially: the rows that are left.
template <class Visits>
bool complete(const board& on, int row, std::uint32_t columns, std::uint32_t left, std::uint32_t right,
              placement& queens, Visits& seen) {
  if (!seen.goes_on()) return false;
  if (row == on.size) return true;
  const std::uint32_t all = (std::uint32_t{1} << on.size) - 1;
  std::uint32_t free = all & ~(columns | left | right | on.barred[static_cast<std::size_t>(row)]);
  while (free != 0) {
    const std::uint32_t queen = free & -free;
    free ^= queen;
    if (complete(on, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1, queens, seen)) {
      queens[static_cast<std::size_t>(row)] = static_cast<std::int8_t>(__builtin_ctz(queen));
      return true;
    }
  }
  return false;
}
template <class Visits>
bool complete(const board& on, const branch& from, placement& queens, Visits& seen) {
  queens = from.queens;
  return complete(on, from.row, from.columns, from.left, from.right, queens, seen);
}

struct found_placement {
  placement queens{};
  stop_clock::clock::time_point at;
};

#ifdef NOPAL_SEARCHES_HAS_FIND

/// What accepting a branch has found below it goes with it.
struct node {
  branch from;
  mutable found_placement found{};
};

class children {
public:
  class iterator {
  public:
    using value_type = node;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(const branch* from, std::uint32_t free) : from_(from), free_(free) {}
    node operator*() const { return {from_->with(free_ & -free_)}; }
    iterator& operator++() {
      free_ &= free_ - 1;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator& other) const { return free_ == other.free_; }

  private:
    const branch* from_ = nullptr;
    std::uint32_t free_ = 0;
  };
  children(const board& on, const branch& from) : from_(from), free_(from.free_columns(on)) {}
  [[nodiscard]] iterator begin() const { return {&from_, free_}; }
  [[nodiscard]] iterator end() const { return {&from_, 0}; }

private:
  branch from_;
  std::uint32_t free_;
};

std::optional<found_placement> find(const board& on, bool first, tally& counts) {
  const auto accept = [&](const node& at) {
    if (at.from.row < on.rows_forked) {
      counts.add_nodes(1);
      return false;
    }
    visits seen(counts, [] { return nopal::stop_requested(); });
    if (!complete(on, at.from, at.found.queens, seen)) return false;
    at.found.at = stop_clock::clock::now();
    return true;
  };
  const auto expand = [&](const node& at) {
    return at.from.row < on.rows_forked ? children(on, at.from) : children(on, branch{.columns = ~0U});
  };
  const std::optional<node> found = first ? nopal::parallel_find_first(node{}, expand, accept)
                                          : nopal::parallel_find_any(node{}, expand, accept);
  if (!found) return std::nullopt;
  return found->found;
}

#else

struct hunt {
  const board& on;
  bool first;
  tally& counts;
  stoppable* scope = nullptr;
  std::atomic<std::uint64_t> least = std::numeric_limits<std::uint64_t>::max();  ///< the branch of `found`
  std::optional<found_placement> found{};
  std::mutex lock{};  ///< of `found`
};

void offer(hunt& in, const branch& of, const placement& queens) {
  const std::lock_guard guard(in.lock);
  if (in.found && (!in.first || in.least.load(std::memory_order_relaxed) < of.name)) return;
  in.found = {queens, stop_clock::clock::now()};
  in.least.store(of.name, std::memory_order_relaxed);
  if (!in.first) in.scope->request_stop();
}

// By value: the child has its own.
void search_branch(hunt& in, branch from, stop_view view) {
  const auto is_over = [&] {
    return in.first ? in.least.load(std::memory_order_relaxed) < from.name : view.stopped();
  };
  if (is_over()) return;
  if (from.row == in.on.rows_forked) {
    visits seen(in.counts, is_over);
    placement queens;
    if (complete(in.on, from, queens, seen)) offer(in, from, queens);
    return;
  }
  in.counts.add_nodes(1);
  group branches(view);
  for (std::uint32_t free = from.free_columns(in.on); free != 0; free &= free - 1) {
    const branch next = from.with(free & -free);
    branches.fork([&in, next, view] { search_branch(in, next, view); });
    if (is_over()) break;
  }
  branches.join();
}

std::optional<found_placement> find(const board& on, bool first, tally& counts) {
  hunt in{.on = on, .first = first, .counts = counts};
  stoppable all{stop_view()};
  in.scope = &all;
  all.fork([&] { search_branch(in, branch{}, all.view()); });
  all.join();
  return in.found;
}

#endif

bool is_solution(const board& on, const placement& queens) {
  std::uint32_t columns = 0;
  std::uint64_t rising = 0;
  std::uint64_t falling = 0;
  for (int row = 0; row < on.size; ++row) {
    const int column =
        queens[static_cast<std::size_t>(row)];  // NOLINT(bugprone-signed-char-misuse): a number
    if ((on.barred[static_cast<std::size_t>(row)] >> column & 1U) != 0) return false;
    const std::uint64_t up = std::uint64_t{1} << (row + column);
    const std::uint64_t down = std::uint64_t{1} << (row - column + on.size);
    if ((columns >> column & 1U) != 0 || (rising & up) != 0 || (falling & down) != 0) return false;
    columns |= std::uint32_t{1} << column;
    rising |= up;
    falling |= down;
  }
  return true;
}

/// The first placement in one number; of any, whether there is one.
outcome run(const board& on, bool first) {
  std::optional<found_placement> found;
  outcome all = timed([&](tally& counts) {
    found = find(on, first, counts);
    if (!found) return std::int64_t{0};
    if (!first) {
      stop_clock since;
      since.stopped(found->at);
      since.joined(counts);
      return std::int64_t{1};
    }
    // What comes before it goes on: no stop.
    std::uint64_t mixed = 0;
    for (const std::int8_t column : found->queens)
      mixed = bench::mix(mixed ^ static_cast<std::uint64_t>(column));
    return static_cast<std::int64_t>(mixed);
  });
  all.is_right = !found || is_solution(on, found->queens);
  return all;
}

/// So many squares of a hundred are barred.
board make_board(int size, int rows_searched, unsigned barred, std::uint64_t seed) {
  board made{.size = size, .rows_forked = std::min(forked_rows, size - rows_searched), .barred = {}};
  bench::random_sequence random(seed);
  for (std::uint32_t& row : made.barred)
    for (int column = 0; column < size; ++column)
      if (random.next() % 100 < barred) row |= std::uint32_t{1} << column;
  return made;
}

}  // namespace

std::vector<search> queens_searches(bool quick) {
  const board open = quick ? make_board(20, 10, 0, 0) : make_board(28, 16, 0, 0);
  const board barred = quick ? make_board(16, 8, 50, 1) : make_board(26, 16, 65, 1);
  const std::string queens = "queens " + std::to_string(open.size);
  const std::string with_bars = "queens " + std::to_string(barred.size) + " barred";
  return {{queens + ", first", [open] { return run(open, true); }},
          {queens + ", any", [open] { return run(open, false); }},
          {with_bars + ", first", [barred] { return run(barred, true); }},
          {with_bars + ", any", [barred] { return run(barred, false); }}};
}

}  // namespace searches::NOPAL_SEARCHES_VARIANT
