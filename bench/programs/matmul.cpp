// Square matrix product by divide and conquer: the quadrants of the result are updated in two rounds
// of four products each, with a join between the rounds.
#include <algorithm>
#include <cstddef>

#include "dense.hpp"
#include "fork_join.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

/// c += a b
void add_product(block c, block a, block b, std::ptrdiff_t grain) {
  if (std::max({c.rows, c.columns, a.columns}) <= grain) {
    add_product_serially(c, a, b);
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

class matmul_instance final : public product_instance<matrix, add_product> {
public:
  explicit matmul_instance(const input& with) : product_instance(with, {with.size, with.size}) {}
};

}  // namespace

const program matmul_program = {
    .name = "matmul",
    .summary = "square matrix product by divide and conquer",
    .size = {.meaning = "rows", .usual = 1536, .quick = 384, .paper = 2048, .largest = 16384},
    .grain = {.meaning = "rows multiplied serially", .usual = 32},
    .prepare = prepare<matmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
