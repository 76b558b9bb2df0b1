// Square matrix product in a blocked layout, without temporaries: the quadrants of the result are
// updated in two rounds of four products each, with a join between the rounds.
#include <cstddef>

#include "blocked_matrix.hpp"
#include "fork_join.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// c += a b
void add_product(blocked c, blocked a, blocked b, std::ptrdiff_t grain) {
  if (c.rows <= grain) {
    add_product_serially(c.leaf(), a.leaf(), b.leaf());
    return;
  }
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  for (int k = 0; k < 2; ++k) {
    invoke([=] { add_product(c.quadrant(0), a.quadrant(k), b.quadrant(2 * k), grain); },
           [=] { add_product(c.quadrant(1), a.quadrant(k), b.quadrant(2 * k + 1), grain); },
           [=] { add_product(c.quadrant(2), a.quadrant(2 + k), b.quadrant(2 * k), grain); },
           [=] { add_product(c.quadrant(3), a.quadrant(2 + k), b.quadrant(2 * k + 1), grain); });
  }
#else
  scope s;
  for (int k = 0; k < 2; ++k) {
    s.fork(add_product, c.quadrant(0), a.quadrant(k), b.quadrant(2 * k), grain);
    s.fork(add_product, c.quadrant(1), a.quadrant(k), b.quadrant(2 * k + 1), grain);
    s.fork(add_product, c.quadrant(2), a.quadrant(2 + k), b.quadrant(2 * k), grain);
    add_product(c.quadrant(3), a.quadrant(2 + k), b.quadrant(2 * k + 1), grain);
    s.join();
  }
#endif
}

class notempmul_instance final : public product_instance<blocked_matrix, add_product> {
public:
  explicit notempmul_instance(const input& with) : product_instance(with, {with.size, rows_of_leaf(with)}) {}
};

}  // namespace

const program notempmul_program = {
    .name = "notempmul",
    .summary = "square matrix product in a blocked layout, four products at once",
    .size = {.meaning = "rows", .usual = 1536, .quick = 384, .paper = 1024, .largest = 16384},
    .grain = {.meaning = "rows multiplied serially", .usual = 32},
    .prepare = prepare<notempmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
