// Square matrix product in a blocked layout: all eight products of quadrants are forked at once, four
// of them into a temporary that is added to the result after the join.
#include <algorithm>
#include <cstddef>
#include <memory>

#include "blocked_matrix.hpp"
#include "fork_join.hpp"
#include "in_halves.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

constexpr std::ptrdiff_t entries_added_serially = 4096;

/// c += t; a block's entries are contiguous.
void add(blocked c, blocked t) {
  in_halves(0, c.entries(), entries_added_serially, [=](std::ptrdiff_t from, std::ptrdiff_t to) {
    for (std::ptrdiff_t i = from; i < to; ++i) c.first[i] += t.first[i];
  });
}

/// c = a b
void multiply(blocked c, blocked a, blocked b, std::ptrdiff_t grain) {
  if (c.rows <= grain) {
    std::fill_n(c.first, c.entries(), 0.0);
    add_product_serially(c.leaf(), a.leaf(), b.leaf());
    return;
  }
  const auto temporary = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(c.entries()));
  const blocked t = {temporary.get(), c.rows};
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { multiply(c.quadrant(0), a.quadrant(0), b.quadrant(0), grain); },
         [=] { multiply(c.quadrant(1), a.quadrant(0), b.quadrant(1), grain); },
         [=] { multiply(c.quadrant(2), a.quadrant(2), b.quadrant(0), grain); },
         [=] { multiply(c.quadrant(3), a.quadrant(2), b.quadrant(1), grain); },
         [=] { multiply(t.quadrant(0), a.quadrant(1), b.quadrant(2), grain); },
         [=] { multiply(t.quadrant(1), a.quadrant(1), b.quadrant(3), grain); },
         [=] { multiply(t.quadrant(2), a.quadrant(3), b.quadrant(2), grain); },
         [=] { multiply(t.quadrant(3), a.quadrant(3), b.quadrant(3), grain); });
#else
  scope s;
  s.fork(multiply, c.quadrant(0), a.quadrant(0), b.quadrant(0), grain);
  s.fork(multiply, c.quadrant(1), a.quadrant(0), b.quadrant(1), grain);
  s.fork(multiply, c.quadrant(2), a.quadrant(2), b.quadrant(0), grain);
  s.fork(multiply, c.quadrant(3), a.quadrant(2), b.quadrant(1), grain);
  s.fork(multiply, t.quadrant(0), a.quadrant(1), b.quadrant(2), grain);
  s.fork(multiply, t.quadrant(1), a.quadrant(1), b.quadrant(3), grain);
  s.fork(multiply, t.quadrant(2), a.quadrant(3), b.quadrant(2), grain);
  multiply(t.quadrant(3), a.quadrant(3), b.quadrant(3), grain);
  s.join();
#endif
  add(c, t);
}

class blockedmul_instance final : public product_instance<blocked_matrix, multiply> {
public:
  explicit blockedmul_instance(const input& with) : product_instance(with, {with.size, rows_of_leaf(with)}) {}
};

}  // namespace

const program blockedmul_program = {
    .name = "blockedmul",
    .summary = "square matrix product in a blocked layout, eight products at once, with temporaries",
    .size = {.meaning = "rows", .usual = 1536, .quick = 384, .paper = 1024, .largest = 16384},
    .grain = {.meaning = "rows multiplied serially", .usual = 32},
    .prepare = prepare<blockedmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
