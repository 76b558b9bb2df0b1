#include "shadow.hpp"

#include "blocks.hpp"
#include "cells.hpp"
#include "lists.hpp"
#include "lock_numbers.hpp"
#include "locks.hpp"
#include "races.hpp"
#include "tables.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

std::uint64_t* blocks;

void unite(std::uint64_t& entry) noexcept {
  const cell* const all = cells_of(entry);
  const std::size_t count = cells_in(entry & layout_mask);
  const cell first = all[0];
  if (is_list(first)) return;
  for (std::size_t i = 1; i < count; ++i) {
    if (!(all[i] == first)) return;
  }
  free_block(entry);
  entry = first == cell{} ? std::uint64_t{nothing} : entry_with(first);
}

namespace {

/// What one access is: what is told of it where it is in a race, but for the earlier one.
struct access {
  race told;
  std::uint32_t locks;
  std::uint32_t record;  ///< zero: not made yet

  std::uint32_t its_record() noexcept {
    if (record == 0) record = record_at(told.at);
    return record;
  }
};

bool is_parallel_record(std::uint32_t record) noexcept {
  const std::uint32_t strand = record_of(record).strand;
  return strand != self.strand && is_parallel(strand);
}

[[gnu::cold]] void report(const access& which, std::uint32_t earlier, how earlier_kind) noexcept {
  race both = which.told;
  both.earlier = earlier;
  both.earlier_kind = earlier_kind;
  found_race(both);
}

/// Whether a read of the running strand is in no race with what is known, and is not kept beside it.
bool read_leaves(cell known) noexcept {
  if (known.reader == 0) return known.writer != 0 && is_own(known.writer);
  if (is_own(known.reader)) return true;
  return is_parallel_record(known.reader) && (known.writer == 0 || !is_parallel_record(known.writer));
}

[[gnu::noinline]] void look_slowly(cell& known, access& which, how kind) noexcept {
  if (which.locks != 0 || is_list(known)) {
    look_in_list(known, which.told, which.locks);
    return;
  }
  // The record may collect numbers, those in `known` included: it comes first.
  if (kind == how::write) {
    if (known.writer != 0 && is_own(known.writer) && (known.reader == 0 || is_own(known.reader))) return;
    const std::uint32_t record = which.its_record();
    if (known.writer != 0 && is_parallel_record(known.writer)) report(which, known.writer, how::write);
    if (known.reader != 0 && is_parallel_record(known.reader)) report(which, known.reader, how::read);
    known = {record, 0};
    return;
  }
  if (is_unchanged(known)) return;
  if (read_leaves(known)) {
    if (!has_threads) unchanged_like(self, known) = known;
    return;
  }
  const std::uint32_t record = which.its_record();
  if (known.writer != 0 && is_parallel_record(known.writer)) report(which, known.writer, how::write);
  if (known.reader == 0 || !is_parallel_record(known.reader)) known.reader = record;
}

template <how kind>
inline void look_at_cell(cell& known, access& which) noexcept {
  const std::uint32_t first = self.first_record;
  if (kind == how::write) {
    if (known.writer >= first && (known.reader == 0 || known.reader >= first) && which.locks == 0) return;
  } else {
    if ((known.writer >= first || known.reader >= first) && which.locks == 0) return;
  }
  look_slowly(known, which, kind);
}

/// An access that lies in one block.
template <how kind>
inline void look_in_block(access& which, address begin, std::size_t bytes) noexcept {
  if (which.locks == 0 && !has_threads && look_at_cells<kind>(begin, bytes, which.told.at)) return;
  std::uint64_t& entry = entry_of(begin);
  const std::size_t within = begin % block_bytes;
  const bool is_whole = bytes == block_bytes;
  if (is_whole && which.locks == 0 && (entry & layout_mask) <= one_cell) {
    cell all = entry == nothing ? cell{} : cell_in(entry);
    if (entry == nothing) note_group(entry);
    which.told.looked_at = {begin, bytes};
    // While it is looked at, the entry is what is collected.
    which.its_record();
    all = entry == nothing ? cell{} : cell_in(entry);
    look_at_cell<kind>(all, which);
    entry = entry_with(all);
    note_stack(begin);
    return;
  }
  const layout wanted = layout_for(begin, bytes);
  if ((entry & layout_mask) < wanted) {
    divide(entry, wanted);
    note_stack(begin);
  } else if (begin < self.lowest) {
    note_stack(begin);
  }
  cell* const cells = cells_of(entry);
  const unsigned shift = granule_shift(entry);
  const std::size_t last = (within + bytes - 1) >> shift;
  std::size_t i = within >> shift;
  if (lists.count > 1) part_lists(cells, block_bytes >> shift, i, last);
  // What is equal stays so, also where the numbers in shadow memory are given out anew: it is looked at together.
  while (i <= last) {
    std::size_t differs = i + 1;
    while (differs <= last && cells[differs] == cells[i]) ++differs;
    which.told.looked_at = {begin - within + (i << shift), (differs - i) << shift};
    look_at_cell<kind>(cells[i], which);
    for (const cell after = cells[i]; ++i < differs;) cells[i] = after;
  }
  if (within + bytes == block_bytes && cells[0] == cells[last]) unite(entry);
}

template <how kind>
inline void look_at_all(address begin, std::size_t bytes, address at, std::uint32_t locks) noexcept {
  access which{{0, how::read, begin, bytes, kind, at, {}}, locks, 0};
  while (bytes != 0) {
    const std::size_t room = block_bytes - begin % block_bytes;
    const std::size_t part = bytes < room ? bytes : room;
    which.told.begin = begin;
    which.told.bytes = part;
    look_in_block<kind>(which, begin, part);
    begin += part;
    bytes -= part;
  }
}

void free_lists(const cell* begin, const cell* end) noexcept {
  for (const cell* each = begin; each != end; ++each) {
    if (is_list(*each) && (each + 1 == end || !share_list(*each, each[1]))) free_list(each->writer);
  }
}

inline void empty_cells(cell* begin, cell* end) noexcept {
  for (; end - begin >= 2; begin += 2) __builtin_memset(begin, 0, 2 * sizeof(cell));  // one store
  if (begin != end) *begin = {};
}

/// Of the stack.
inline bool has_no_list(std::uint64_t entry, address begin, std::size_t bytes) noexcept {
  if (lists.count <= 1 || (!has_threads && begin + bytes <= self.stack_end - self.list_bytes)) return true;
  const std::size_t within = begin % block_bytes;
  const unsigned shift = granule_shift(entry);
  const cell* each = cells_of(entry) + (within >> shift);
  const cell* const end = cells_of(entry) + ((within + bytes) >> shift);
  while (each != end && !is_list(*each)) ++each;
  return each == end;
}

/// Empties some cells of a block.
void clear_cells(std::uint64_t& entry, std::size_t within, std::size_t bytes) noexcept {
  if (entry == nothing) return;
  if ((entry & layout_mask) == one_cell || layout_for(within, bytes) > (entry & layout_mask)) {
    divide(entry, layout_for(within, bytes));
  }
  cell* const cells = cells_of(entry);
  const unsigned shift = granule_shift(entry);
  const std::size_t end = (within + bytes) >> shift;
  if (lists.count > 1) {
    part_lists(cells, block_bytes >> shift, within >> shift, end - 1);
    free_lists(cells + (within >> shift), cells + end);
  }
  empty_cells(cells + (within >> shift), cells + end);
}

void free_lists_in(std::uint64_t entry) noexcept {
  if ((entry & layout_mask) <= one_cell || lists.count <= 1) return;
  free_lists(cells_of(entry), cells_of(entry) + cells_in(entry & layout_mask));
}

}  // namespace

void make_shadow() noexcept {
  blocks = static_cast<std::uint64_t*>(reserve(entries * sizeof(std::uint64_t)));
  groups_used = static_cast<std::uint64_t*>(reserve((entries >> group_shift) / 8));
  groups.make(entries >> group_shift);
}

void look(address begin, std::size_t bytes, how kind, address at) noexcept {
  if (self.lock_set != 0) {
    look_locked(begin, bytes, kind, at, self.lock_set);
  } else if (kind == how::write) {
    look_at_all<how::write>(begin, bytes, at, 0);
  } else {
    look_at_all<how::read>(begin, bytes, at, 0);
  }
}

void look_locked(address begin, std::size_t bytes, how kind, address at, std::uint32_t locks) noexcept {
  if (kind == how::write) {
    look_at_all<how::write>(begin, bytes, at, locks);
  } else {
    look_at_all<how::read>(begin, bytes, at, locks);
  }
}

void look_atomically(address begin, std::size_t bytes, how kind, address at) noexcept {
  const std::uint64_t entry = entry_of(begin);
  const std::size_t within = begin % block_bytes;
  const unsigned shift = granule_shift(entry);
  // Whole cells that have a list of their own.
  if (!has_threads && (entry & layout_mask) >= by_8 &&
      ((begin | bytes) & ((std::size_t{1} << shift) - 1)) == 0 && within + bytes <= block_bytes) {
    cell* const known = cells_of(entry) + (within >> shift);
    cell* const end = known + (bytes >> shift);
    if (is_list(*known) && (within == 0 || known[-1].writer != known->writer) &&
        (within + bytes == block_bytes || end->writer != known->writer) && end_of_equal(known, end) == end) {
      note_stack(begin);
      look_in_list(*known, {0, how::read, begin, bytes, kind, at, {begin, bytes}}, atomics_alone);
      for (cell* each = known + 1; each != end; ++each) *each = *known;
      return;
    }
  }
  look_locked(begin, bytes, kind, at, atomics_alone);
}

void look_at_value(address begin, address at) noexcept {
  const cell known = (entry_of(begin) & layout_mask) < by_8
                         ? cell{}
                         : cells_of(entry_of(begin))[begin % block_bytes >> granule_shift(entry_of(begin))];
  if (is_list(known)) return;
  if (known.reader != 0 && is_parallel_record(known.reader)) {
    found_race({known.reader, how::read, begin, 0, how::write, at, {begin, 8}});
  }
}

void note_use(address at) noexcept {
  note_group(entry_of(at));
  note_stack(at);
}

void clear(address begin, std::size_t bytes) noexcept {
  forget_made();
  forget_locks(begin, bytes);
  while (bytes != 0) {
    const std::size_t within = begin % block_bytes;
    const std::size_t part = bytes < block_bytes - within ? bytes : block_bytes - within;
    std::uint64_t& entry = entry_of(begin);
    if (part != block_bytes) {
      clear_cells(entry, within, part);
    } else if (entry != nothing) {
      free_lists_in(entry);
      free_block(entry);
      entry = nothing;
    }
    begin += part;
    bytes -= part;
  }
}

void clear_mapping(address begin, std::size_t bytes) noexcept {
  constexpr std::size_t group_bytes = block_bytes << group_shift;
  while (bytes != 0) {
    const address group = begin / group_bytes;
    const std::size_t room = group_bytes - begin % group_bytes;
    const std::size_t part = bytes < room ? bytes : room;
    if ((groups_used[group / 64] >> group % 64 & 1) != 0) clear(begin, part);
    begin += part;
    bytes -= part;
  }
}

void clear_stack(address begin, address end) noexcept {
  begin &= ~address{7};  // below, nothing is known
  forget_locks(begin, end - begin);
  while (begin < end) {
    const std::size_t within = begin % block_bytes;
    const std::size_t part = end - begin < block_bytes - within ? end - begin : block_bytes - within;
    std::uint64_t& entry = entry_of(begin);
    if ((entry & layout_mask) >= by_8 && part % 8 == 0 && has_no_list(entry, begin, part)) {
      const unsigned shift = granule_shift(entry);
      empty_cells(cells_of(entry) + (within >> shift), cells_of(entry) + ((within + part) >> shift));
    } else if ((entry & layout_mask) == one_cell && part == block_bytes) {
      entry = nothing;
    } else {
      clear_cells(entry, within, part);
    }
    begin += part;
  }
}

void visit_cells(cell (*visit)(cell)) noexcept {
  for (std::uint32_t i = 0; i < groups.count; ++i) {
    std::uint64_t* const group = blocks + (std::size_t{groups[i]} << group_shift);
    for (std::size_t j = 0; j < std::size_t{1} << group_shift; ++j) {
      std::uint64_t& entry = group[j];
      if (entry == nothing) continue;
      if ((entry & layout_mask) == one_cell) {
        entry = entry_with(visit(cell_in(entry)));
        continue;
      }
      cell* const cells = cells_of(entry);
      for (std::size_t k = 0; k < cells_in(entry & layout_mask); ++k) {
        if (!(cells[k] == cell{})) cells[k] = visit(cells[k]);
      }
    }
  }
}

std::size_t shadow_bytes() noexcept { return bytes_used; }

}  // namespace nopal_check
