// How sorts are divided among strands.
#ifndef NOPAL_DETAIL_SORT_DIVISION_HPP
#define NOPAL_DETAIL_SORT_DIVISION_HPP

#include <algorithm>
#include <cstddef>

#include <nopal/detail/mode.hpp>
#ifndef NOPAL_ELIDE
#include <nopal/runtime.hpp>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace sort_detail {

/// In elements.
struct division {
  std::ptrdiff_t serial;  ///< a range of no more is sorted by one strand
  std::ptrdiff_t piece;   ///< a range of twice as many is partitioned in pieces of so many at least
};

/// What one strand sorts, by quicksort, or by merges: many forks' time, and small beside any range
/// that is worth a fork.
inline constexpr std::ptrdiff_t usual_serial = 2048;
/// The most that one strand sorts in a stable sort. A merge costs more than a partition, so strands
/// sort more, as long as all have some.
inline constexpr std::ptrdiff_t most_serial = 1 << 18;
/// Below that a piece's fork and exchange cost too much.
inline constexpr std::ptrdiff_t least_piece = 1 << 15;
/// Few enough that to divide costs next to nothing, enough that workers that come late find some.
inline constexpr std::ptrdiff_t pieces_per_worker = 4;
/// The same of a stable sort, where they become up to four times as many.
inline constexpr std::ptrdiff_t stable_parts_per_worker = 2;

/// What one strand merges.
inline constexpr std::ptrdiff_t merge_serial = 1 << 13;

/// The workers there are for so many elements.
inline std::ptrdiff_t workers_for([[maybe_unused]] std::ptrdiff_t count) {
#ifdef NOPAL_CHECKED
  return count <= usual_serial ? 1 : 4;
#elif defined(NOPAL_ELIDE)
  return 1;
#else
  return count <= usual_serial ? 1 : nopal::workers();
#endif
}

/// One worker's partition is best in one piece.
inline division division_of(std::ptrdiff_t count, std::ptrdiff_t workers) noexcept {
  if (workers == 1) return {usual_serial, count};
  return {usual_serial, std::max(least_piece, count / (workers * pieces_per_worker))};
}

/// The same of a stable sort.
struct stable_division {
  std::ptrdiff_t serial;  ///< a range of no more is sorted by one strand, and then merged with others
  std::ptrdiff_t piece;   ///< in place of that, one quicksort that partitions in such pieces; 0: no
};

/// A quicksort's partitions cost more moves for each strand that takes part, and merges do not.
inline constexpr std::ptrdiff_t most_at_one_quicksort = 4;

inline stable_division stable_division_of(std::ptrdiff_t count, std::ptrdiff_t workers) noexcept {
  if (workers == 1) return {count, 0};
  return {std::clamp(count / (workers * stable_parts_per_worker), usual_serial, most_serial),
          workers <= most_at_one_quicksort ? std::max(least_piece, count / workers) : 0};
}

}  // namespace sort_detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
