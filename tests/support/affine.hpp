// A monoid whose operation does not commute, for tests of reducers.
#ifndef NOPAL_TESTS_SUPPORT_AFFINE_HPP
#define NOPAL_TESTS_SUPPORT_AFFINE_HPP

#include <cstdint>

namespace support {

/// x -> factor * x + summand: composition is associative and not commutative.
struct affine {
  std::uint64_t factor = 1;
  std::uint64_t summand = 0;

  void then(std::uint64_t by, std::uint64_t plus) {
    factor *= by;
    summand = summand * by + plus;
  }
  friend bool operator==(const affine&, const affine&) = default;
};

struct op_affine {
  using value_type = affine;
  static affine identity() { return {}; }
  static void reduce(affine& left, affine&& right) { left.then(right.factor, right.summand); }
};

}  // namespace support

#endif
