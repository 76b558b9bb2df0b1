// Views of reducers, as if every continuation were stolen.
//
// What runs before the first fork of a scope and the first child have one view, the continuation
// up to the next child's end another, and so on: each is a segment with a number. A join goes back
// to the segment before the first fork. So the view of a segment with a greater number than that
// of the running one comes later in serial order and is over; it is reduced when a view is next
// asked for.
#ifndef NOPAL_CHECK_VIEWS_HPP
#define NOPAL_CHECK_VIEWS_HPP

#include <cstdint>

namespace [[gnu::visibility("hidden")]] nopal_check {

inline std::uint64_t last_view_segment;
inline std::uint64_t new_view_segment() noexcept { return ++last_view_segment; }

}  // namespace nopal_check

#endif
