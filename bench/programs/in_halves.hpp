// A loop by recursive halving, one half forked, for the programs whose leaves are chunks of a range.
#ifndef NOPAL_BENCH_PROGRAMS_IN_HALVES_HPP
#define NOPAL_BENCH_PROGRAMS_IN_HALVES_HPP

#include <cstddef>

#include "fork_join.hpp"

namespace bench::NOPAL_PROGRAM_VARIANT {

/// Calls `body(from, to)` for chunks of at most `most` numbers that make up first to last.
template <class Body>
void in_halves(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t most, Body body) {
  if (last - first <= most) {
    if (first < last) body(first, last);
    return;
  }
  const std::ptrdiff_t middle = first + (last - first) / 2;
#ifdef NOPAL_PROGRAM_HAS_INVOKE
  invoke([=] { in_halves(first, middle, most, body); }, [=] { in_halves(middle, last, most, body); });
#else
  scope s;
  s.fork(in_halves<Body>, first, middle, most, body);
  in_halves(middle, last, most, body);
  s.join();
#endif
}

}  // namespace bench::NOPAL_PROGRAM_VARIANT

#endif
