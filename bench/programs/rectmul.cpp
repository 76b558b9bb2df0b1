// Product of rectangular matrices: the largest of the three dimensions is halved. Halves of the result
// are made at once, halves of a sum one after the other.
#include <algorithm>
#include <cstddef>

#include "dense.hpp"
#include "fork_join.hpp"
#include "product.hpp"
#include "program.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {
namespace {

void add_product(block c, block a, block b, std::ptrdiff_t grain);

/// c0 += a0 b0 and c1 += a1 b1, at once.
void add_products(block c0, block a0, block b0, block c1, block a1, block b1, std::ptrdiff_t grain) {
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { add_product(c0, a0, b0, grain); }, [=] { add_product(c1, a1, b1, grain); });
#else
  scope s;
  s.fork(add_product, c0, a0, b0, grain);
  add_product(c1, a1, b1, grain);
  s.join();
#endif
}

/// c += a b
void add_product(block c, block a, block b, std::ptrdiff_t grain) {
  const std::ptrdiff_t largest = std::max({c.rows, c.columns, a.columns});
  if (largest <= grain) {
    add_product_serially(c, a, b);
  } else if (c.rows == largest) {
    add_products(c.top(), a.top(), b, c.bottom(), a.bottom(), b, grain);
  } else if (c.columns == largest) {
    add_products(c.left(), a, b.left(), c.right(), a, b.right(), grain);
  } else {
    add_product(c, a.left(), b.top(), grain);
    add_product(c, a.right(), b.bottom(), grain);
  }
}

// Of n rows by 2 n and 2 n by n / 2: as many multiplications as squares of n rows take.
class rectmul_instance final : public product_instance<matrix, add_product> {
public:
  explicit rectmul_instance(const input& with)
      : product_instance(with, {with.size, 2 * with.size}, {2 * with.size, (with.size + 1) / 2},
                         {with.size, (with.size + 1) / 2}) {}
};

}  // namespace

const program rectmul_program = {
    .name = "rectmul",
    .summary = "product of an n by 2 n and a 2 n by n / 2 matrix, halving the largest dimension",
    .size = {.meaning = "n", .usual = 1536, .quick = 384, .paper = 4096, .largest = 16384},
    .grain = {.meaning = "rows and columns multiplied serially", .usual = 32},
    .prepare = prepare<rectmul_instance>,
};

}  // namespace bench::NOPAL_PROGRAM_VARIANT
