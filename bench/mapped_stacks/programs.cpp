// Programs whose parents and children read one another's locals.
#include "mapped_stacks/programs.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

#include "mapped_stacks/runtime.hpp"

namespace mapped {
namespace {

constexpr int largest_board = 16;

/// A queen, and those in the columns before, each in the frame of an ancestor.
struct placed {
  const placed* before;
  int row;
};

bool is_attacked(const placed* before, int row) {
  int columns = 1;
  for (const placed* at = before; at != nullptr; at = at->before, ++columns) {
    const int distance = row - at->row;
    if (distance == 0 || std::abs(distance) == columns) return true;
  }
  return false;
}

[[gnu::noinline]] int count_placements(int queens, int column, const placed* before) {
  if (column == queens) return 1;
  std::array<int, largest_board> counts{};
  std::array<placed, largest_board> here;
  scope s;
  for (int row = 0; row < queens; ++row) {
    if (is_attacked(before, row)) continue;
    placed& queen = here[static_cast<std::size_t>(row)];
    queen = {before, row};
    s.fork_into<count_placements>(counts[static_cast<std::size_t>(row)], queens, column + 1,
                                  static_cast<const placed*>(&queen));
  }
  s.join();
  int sum = 0;
  for (int count : counts) sum += count;
  return sum;
}

int count_serially(int queens, int column, const placed* before) {
  if (column == queens) return 1;
  int sum = 0;
  for (int row = 0; row < queens; ++row) {
    if (is_attacked(before, row)) continue;
    const placed queen = {before, row};
    sum += count_serially(queens, column + 1, &queen);
  }
  return sum;
}

/// Work without memory that lasts long enough to be stolen beside.
int spend(int much) {
  int value = much;
  for (int i = 0; i < much; ++i) {
    // Told: the value may change. It does not, but the loop stays.
    asm volatile("" : "+r"(value));
  }
  return value;
}

[[gnu::noinline]] long link(int depth, const long* above) {
  if (depth == 0) return *above;
  // A page of locals, so that each link lies on others.
  std::array<long, 512> locals;
  for (std::size_t i = 0; i < locals.size(); ++i) locals[i] = *above + 1;
  int spent;
  scope s;
  s.fork_into<spend>(spent, 20'000);
  const long below = link(depth - 1, &locals[static_cast<std::size_t>(depth) % locals.size()]);
  s.join();
  for (const long local : locals)
    if (local != *above + 1) return -1;
  return spent == 20'000 ? below : -1;
}

}  // namespace

[[gnu::noinline]] long fib(int n) {
  if (n < 2) return n;
  long x;
  scope s;
  s.fork_into<fib>(x, n - 1);
  const long y = fib(n - 2);
  s.join();
  return x + y;
}

[[gnu::noinline]] long fib_serially(int n) {
  if (n < 2) return n;
  long x = fib_serially(n - 1);
  // Told: the values may change, so that the second call does not become a loop.
  asm volatile("" : "+r"(x));
  long y = fib_serially(n - 2);
  asm volatile("" : "+r"(y));
  return x + y;
}

long nqueens(int queens) { return count_placements(queens, 0, nullptr); }

long nqueens_serially(int queens) { return count_serially(queens, 0, nullptr); }

long chain(int depth) {
  const long outermost = 0;
  return link(depth, &outermost);
}

}  // namespace mapped
