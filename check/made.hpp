// Accesses that the running segment has made: what shadow memory says of them is known, so that most hooks end after
// one comparison.
//
// A table for each kind and size has the last access of each slot, as its address beside the mark of its segment in the
// bits that addresses do not have. The tables are the process's, not each thread's: a program with several threads has
// no known accesses, since another thread may have changed what shadow memory says. Invariants:
//
//   1. An access is kept only when the running strand has made it in this segment without locks: taking one and letting
//      it go begins a segment, and so does a program's second thread.
//   2. The mark changes with each segment, and where shadow memory is cleared; so none is found after that.
//   3. No mark comes again before the tables are empty.
#ifndef NOPAL_CHECK_MADE_HPP
#define NOPAL_CHECK_MADE_HPP

#include <cstddef>
#include <cstdint>

#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

enum class how : std::uint8_t { read, write };

/// Most accesses are of 8 bytes: their tables are longer, so that fewer accesses of a loop meet in one slot.
inline constexpr std::size_t made_slots = 4096;
inline constexpr std::size_t made_slots_of_8 = 32768;
inline constexpr std::uint64_t mark_step = std::uint64_t{1} << 47;  // as many bits have addresses
/// While locks are held, and where there are threads: nothing is kept. The first mark is one step.
inline constexpr std::uint64_t no_mark = ~(mark_step - 1);

inline constexpr std::size_t made_sizes = 4;  ///< 1, 2, 4 and 16 bytes
struct made_tables {
  std::uint64_t slots[made_sizes][made_slots];
  std::uint64_t slots_of_8[made_slots_of_8];
};
extern made_tables made_reads;
extern made_tables made_writes;
extern std::uint64_t made_mark;
extern std::uint64_t latest_mark;  ///< but for `no_mark`

void empty_made() noexcept;

/// Nothing is known any more.
inline void forget_made() noexcept {
  if ((latest_mark += mark_step) == no_mark) empty_made();
  made_mark = has_threads || self.lock_set != 0 ? no_mark : latest_mark;
}

template <how kind, std::size_t bytes>
inline std::uint64_t& made_slot(address begin) noexcept {
  static_assert(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
  made_tables& tables = kind == how::read ? made_reads : made_writes;
  if (bytes == 8) return tables.slots_of_8[begin / bytes % made_slots_of_8];
  return tables.slots[bytes == 16 ? 3 : bytes / 2][begin / bytes % made_slots];
}

template <how kind, std::size_t bytes>
inline bool is_made(address begin) noexcept {
  return made_slot<kind, bytes>(begin) == (begin ^ made_mark);
}

template <how kind, std::size_t bytes>
inline void keep_made(address begin) noexcept {  // not with `no_mark`
  made_slot<kind, bytes>(begin) = begin ^ made_mark;
}

}  // namespace nopal_check

#endif
