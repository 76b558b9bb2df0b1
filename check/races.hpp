// Races that were found, and their reports.
#ifndef NOPAL_CHECK_RACES_HPP
#define NOPAL_CHECK_RACES_HPP

#include <cstddef>
#include <cstdint>

#include "shadow.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// Some bytes.
struct part_of_memory {
  address begin;
  std::size_t bytes;
};

/// Two accesses of parallel strands: what shadow memory has, and the running strand's.
struct race {
  std::uint32_t earlier;  ///< a record
  how earlier_kind;
  address begin;
  std::size_t bytes;  ///< zero: an update of a reducer, and a look at its value
  how kind;
  address at;
  part_of_memory looked_at;  ///< which of the bytes the race is of
};

void found_race(const race& found) noexcept;

/// The running strand has let go of a last reference, it seems: that memory may be freed next.
void note_last_user() noexcept;
/// It may not any more: races that were held back until then are reported.
void report_held_races() noexcept;
/// The strand frees this: what it did there since then is no race with what others did before they let go.
void forget_held_races(address begin, std::size_t bytes) noexcept;
extern std::size_t held_races;
inline void end_last_use() noexcept {
  self.last_user_end = 0;
  if (held_races != 0) report_held_races();
}

/// Other code gets addresses of some that was seen.
void forget_pairs_of_code() noexcept;

/// Whether enough pairs of these program counters were found whose order depends on the schedule.
bool is_known_order(std::uint32_t earlier, how earlier_kind, const race& now) noexcept;
/// Two accesses that exclude each other, so their order depends on the schedule.
void found_order(const race& found, bool by_a_lock) noexcept;

/// How many races were reported; prints the summary.
std::size_t end_of_races() noexcept;
std::size_t races_reported() noexcept;

}  // namespace nopal_check

#endif
