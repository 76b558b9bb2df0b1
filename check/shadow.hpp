// Shadow memory: for each byte of the program's the last writer and a reader, as records.
//
// A block of 256 bytes has one cell, or cells for 8, 4 or single bytes each, as its accesses need;
// where all are equal it is one cell again. A cell with locked or atomic accesses has a list of
// records in place of two, see lists.hpp; cells beside each other that are looked at together share one.
#ifndef NOPAL_CHECK_SHADOW_HPP
#define NOPAL_CHECK_SHADOW_HPP

#include <cstddef>
#include <cstdint>

#include "made.hpp"
#include "records.hpp"
#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

inline bool is_list(cell c) noexcept { return c.writer - 1 < first_of_records - 1; }
/// Where a read leaves it as it is, if any is.
inline cell& unchanged_like(thread& t, cell c) noexcept {
  return t.unchanged[(c.writer ^ c.reader) % unchanged_cells];
}

inline bool is_unchanged(cell c) noexcept { return unchanged_like(self, c) == c; }

inline constexpr unsigned block_shift = 8;
inline constexpr std::size_t block_bytes = std::size_t{1} << block_shift;
inline constexpr unsigned address_bits = 47;

/// What a block has, in the low bits of its entry; the rest is the cell, or the address of cells.
enum layout : std::uint64_t { nothing = 0, one_cell = 1, by_8 = 2, by_4 = 3, by_1 = 4 };
inline constexpr std::uint64_t layout_mask = 7;

extern std::uint64_t* blocks;  ///< entries, by address >> block_shift

inline std::uint64_t& entry_of(address at) noexcept {
  return blocks[(at & ((address{1} << address_bits) - 1)) >> block_shift];
}
inline cell* cells_of(std::uint64_t entry) noexcept { return reinterpret_cast<cell*>(entry & ~layout_mask); }
inline unsigned granule_shift(std::uint64_t entry) noexcept {
  constexpr unsigned shifts = 3U << 3 * by_8 | 2U << 3 * by_4 | 0U << 3 * by_1;
  return shifts >> 3 * (entry & layout_mask) & 7;
}
inline cell cell_in(std::uint64_t entry) noexcept {
  return {static_cast<std::uint32_t>(entry >> 3) & (end_of_records - 1),
          static_cast<std::uint32_t>(entry >> 33) & (end_of_records - 1)};
}
inline std::uint64_t entry_with(cell all) noexcept {
  return one_cell | std::uint64_t{all.writer} << 3 | std::uint64_t{all.reader} << 33;
}

void make_shadow() noexcept;

/// One cell in place of many, if they are equal.
void unite(std::uint64_t& entry) noexcept;

/// An access of the running thread, which may be of its stack.
inline void note_stack(address begin) noexcept {
  if (begin - self.stack_begin < self.lowest - self.stack_begin) self.lowest = begin;
}

/// An access of the running strand, and the races that it is in.
void look(address begin, std::size_t bytes, how kind, address at) noexcept;
/// Whether the running segment has made this access, or one that says more, so that nothing is new.
template <how kind>
inline bool is_known(address begin, std::size_t bytes) noexcept {
  const std::uint64_t entry = entry_of(begin);
  const std::uint32_t first = self.first_record;
  const auto is_fresh = [first](cell known) {
    return kind == how::write ? known.writer >= first && (known.reader == 0 || known.reader >= first)
                              : known.writer >= first || known.reader >= first || is_unchanged(known);
  };
  const std::size_t within = begin % block_bytes;
  if (within + bytes > block_bytes || entry == nothing) return false;
  if ((entry & layout_mask) == one_cell) return is_fresh(cell_in(entry));
  const unsigned shift = granule_shift(entry);
  const cell* known = cells_of(entry) + (within >> shift);
  const cell* const last = cells_of(entry) + ((within + bytes - 1) >> shift);
  if (known == last && ((begin | bytes) & ((std::size_t{1} << shift) - 1)) != 0) return false;
  for (; known <= last; ++known) {
    if (!is_fresh(*known)) return false;
  }
  return true;
}
/// The same of one that holds these locks.
void look_locked(address begin, std::size_t bytes, how kind, address at, std::uint32_t locks) noexcept;

/// The same of an atomic operation that holds no other lock; of some of one thread at once.
void look_atomically(address begin, std::size_t bytes, how kind, address at) noexcept;

/// The value of a reducer is read, whose updates are kept as reads of a word there.
void look_at_value(address begin, address at) noexcept;

/// The memory is as if nobody had used it.
void clear(address begin, std::size_t bytes) noexcept;
/// The same of any number of bytes, most of which may never have been used.
void clear_mapping(address begin, std::size_t bytes) noexcept;
/// The same of a part of the stack that will be used again at once. What the segment has made is over, too: the caller
/// begins another.
void clear_stack(address begin, address end) noexcept;

/// The memory is known, so that `clear_mapping` and `clear_stack` clear it.
void note_use(address at) noexcept;

/// Calls `visit(cell)` for all that may name records, and gives back what it returns.
void visit_cells(cell (*visit)(cell)) noexcept;

/// How many bytes it has, without the table of blocks.
std::size_t shadow_bytes() noexcept;

}  // namespace nopal_check

#endif
