// The numbers of strands and records that shadow memory still names are given out anew, so that
// there are enough for programs of any length.
//
// Strands of one bag that were separated by the same fork are one strand from then on: all that is
// asked of them has the same answer.
#ifndef NOPAL_CHECK_COLLECT_HPP
#define NOPAL_CHECK_COLLECT_HPP

#include <cstdint>

namespace [[gnu::visibility("hidden")]] nopal_check {

/// How many strands there are when those that nobody names are to go.
extern std::uint32_t strand_limit;

void collect() noexcept;

}  // namespace nopal_check

#endif
