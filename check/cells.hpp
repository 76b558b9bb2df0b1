// An access that covers whole cells of one block, with no locks and one thread: what most accesses are, kept short. All
// others, and all that is in a race, go by `look`.
#ifndef NOPAL_CHECK_CELLS_HPP
#define NOPAL_CHECK_CELLS_HPP

#include "records.hpp"
#include "shadow.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// How the strand of a record stands to the running one.
enum class relation : std::uint8_t { same, earlier, parallel };

[[gnu::always_inline]] inline relation relation_of(std::uint32_t record) noexcept {
  const std::uint32_t strand = record_of(record).strand;
  if (strand == self.strand) return record >= self.first_own ? relation::same : relation::earlier;
  return is_parallel(strand) ? relation::parallel : relation::earlier;
}

/// By one load and one store: a load of 8 bytes after two stores of 4 waits for both.
inline cell load_cell(const cell& from) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, &from, sizeof word);
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}
inline void store_cell(cell& to, cell value) noexcept {
  const std::uint64_t word = std::uint64_t{value.reader} << 32 | value.writer;
  __builtin_memcpy(&to, &word, sizeof word);
}

/// A cell that the running strand writes; `record` is zero until it is made. False: to be looked at in full.
[[gnu::always_inline]] inline bool write_cell(cell& known, address at, std::uint32_t& record) noexcept {
  const cell before = load_cell(known);
  if (is_list(before)) return false;
  const std::uint32_t first = self.first_record;
  if (before.writer >= first && (before.reader == 0 || before.reader >= first)) return true;
  relation reader = relation::same;
  if (before.reader != 0 && (reader = relation_of(before.reader)) == relation::parallel) return false;
  if (before.writer != 0) {
    const relation writer = relation_of(before.writer);
    if (writer == relation::parallel) return false;
    if (writer == relation::same && reader == relation::same) return true;
  }
  if (record == 0) record = record_at(at);
  store_cell(known, {record, 0});
  return true;
}

/// The same of one that it reads.
[[gnu::always_inline]] inline bool read_cell(cell& known, address at, std::uint32_t& record) noexcept {
  const cell before = load_cell(known);
  if (is_list(before)) return false;
  const std::uint32_t first = self.first_record;
  if (before.writer >= first || before.reader >= first || is_unchanged(before)) return true;
  const relation reader = before.reader == 0 ? relation::earlier : relation_of(before.reader);
  bool stays = reader == relation::same;
  if (!stays && before.writer != 0) {
    const relation writer = relation_of(before.writer);
    if (writer == relation::parallel) return false;
    stays = before.reader == 0 && writer == relation::same;
  }
  if (stays || reader == relation::parallel) {
    unchanged_like(self, before) = before;
    return true;
  }
  // The record may collect numbers, the writer's in the cell included.
  if (record == 0) record = record_at(at);
  store_cell(known, {load_cell(known).writer, record});
  return true;
}

/// False: to be looked at in full, also where some of its cells know it already.
template <how kind, std::size_t bytes>
[[gnu::always_inline]] inline bool look_at_cells(address begin, address at) noexcept {
  std::uint64_t& entry = entry_of(begin);
  if ((entry & layout_mask) < by_8) return is_known<kind, bytes>(begin);
  const unsigned shift = granule_shift(entry);
  const std::size_t within = begin % block_bytes;
  if (((begin | bytes) & ((std::size_t{1} << shift) - 1)) != 0 || within + bytes > block_bytes) return false;
  note_stack(begin);
  cell* known = cells_of(entry) + (within >> shift);
  cell* const end = known + (bytes >> shift);
  std::uint32_t record = 0;
  do {
    // Cells that are equal stay so, also where the record collects numbers.
    cell* differs = known + 1;
    while (differs != end && load_cell(*differs) == load_cell(*known)) ++differs;
    if (!(kind == how::write ? write_cell(*known, at, record) : read_cell(*known, at, record))) return false;
    if (++known == differs) continue;
    for (const cell after = load_cell(known[-1]); known != differs; ++known) store_cell(*known, after);
  } while (known != end);
  if (within + bytes == block_bytes && cells_of(entry)[0] == end[-1]) unite(entry);
  return true;
}

}  // namespace nopal_check

#endif
