// The blocks of the shadow memory: the cells that each has, and which there are. Of shadow.cpp alone.
#ifndef NOPAL_CHECK_BLOCKS_HPP
#define NOPAL_CHECK_BLOCKS_HPP

#include <cstddef>
#include <cstdint>

#include "lists.hpp"
#include "shadow.hpp"
#include "tables.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

inline constexpr std::size_t entries = std::size_t{1} << (address_bits - block_shift);
/// Entries that are looked through together where all have to be.
inline constexpr unsigned group_shift = 9;

inline std::uint64_t* groups_used;   // a bit for each group of entries
inline table<std::uint32_t> groups;  // those that were used
inline cell* free_cells[5];          // by layout
inline std::size_t bytes_used;

inline std::size_t cells_in(std::uint64_t kind) noexcept { return block_bytes >> granule_shift(kind); }

inline cell* take_cells(std::uint64_t kind) noexcept {
  const std::size_t bytes = cells_in(kind) * sizeof(cell);
  bytes_used += bytes;
  cell*& free = free_cells[kind];
  if (free != nullptr) {
    cell* const taken = free;
    free = *reinterpret_cast<cell**>(taken);
    return taken;
  }
  return static_cast<cell*>(keep(bytes));
}

inline void free_block(std::uint64_t entry) noexcept {
  const std::uint64_t kind = entry & layout_mask;
  if (kind < by_8) return;
  bytes_used -= cells_in(kind) * sizeof(cell);
  cell* const freed = cells_of(entry);
  *reinterpret_cast<cell**>(freed) = free_cells[kind];
  free_cells[kind] = freed;
}

inline void note_group(const std::uint64_t& entry) noexcept {
  const auto group = static_cast<std::uint32_t>((&entry - blocks) >> group_shift);
  std::uint64_t& word = groups_used[group / 64];
  const std::uint64_t bit = std::uint64_t{1} << group % 64;
  if ((word & bit) != 0) return;
  word |= bit;
  groups.add(group);
}

/// The coarsest layout in which an access has cells of its own.
inline layout layout_for(address begin, std::size_t bytes) noexcept {
  const address both = begin | bytes;
  return both % 8 == 0 ? by_8 : both % 4 == 0 ? by_4 : by_1;
}

/// Neighbours in a block that have the same list: it is of all of them.
inline bool share_list(cell one, cell next) noexcept { return one.writer == next.writer && is_list(one); }

/// Those from `from` on that have one list get one of their own.
[[gnu::noinline]] inline void part_list(cell* from, const cell* end) noexcept {
  const std::uint32_t shared = from->writer;
  const std::uint32_t made = copy_list(shared);
  for (; from != end && from->writer == shared; ++from) from->writer = made;
}

/// Gives lists of their own to the cells from `first` to `last`, and to those after them.
inline void part_lists(cell* cells, std::size_t count, std::size_t first, std::size_t last) noexcept {
  if (first != 0 && share_list(cells[first - 1], cells[first])) part_list(cells + first, cells + count);
  if (last + 1 != count && share_list(cells[last], cells[last + 1]))
    part_list(cells + last + 1, cells + count);
}

/// Gives a block cells that are no larger than the layout's.
[[gnu::noinline]] inline void divide(std::uint64_t& entry, layout wanted) noexcept {
  const std::uint64_t before = entry;
  cell* const made = take_cells(wanted);
  const std::size_t count = cells_in(wanted);
  if ((before & layout_mask) <= one_cell) {
    if (before == nothing) note_group(entry);
    const cell all = before == nothing ? cell{} : cell_in(before);
    for (std::size_t i = 0; i < count; ++i) made[i] = all;
  } else {
    const cell* const from = cells_of(before);
    const unsigned shift = granule_shift(before) - granule_shift(wanted);
    for (std::size_t i = 0; i < count; ++i) made[i] = from[i >> shift];
    free_block(before);
  }
  entry = reinterpret_cast<std::uint64_t>(made) | wanted;
}

}  // namespace nopal_check

#endif
