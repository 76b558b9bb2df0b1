// An access that covers whole cells of one block, with no locks and one thread: what most accesses are, kept short. All
// others, and all that is in a race, go by `look`.
#ifndef NOPAL_CHECK_CELLS_HPP
#define NOPAL_CHECK_CELLS_HPP

#include "records.hpp"
#include "shadow.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

/// How the strand of a record stands to the running one.
enum class relation : std::uint8_t { same, earlier, parallel };

[[gnu::always_inline]] inline relation relation_of(const thread& t, std::uint32_t record) noexcept {
  const std::uint32_t strand = record_of(record).strand;
  if (strand == t.strand) return record >= t.first_own ? relation::same : relation::earlier;
  return sets[root_of(strand)] == (is_root | is_p_bag | t.number) ? relation::parallel : relation::earlier;
}

/// By one load and one store: a load of 8 bytes after two stores of 4 waits for both.
inline std::uint64_t load_cell(const cell& from) noexcept {
  std::uint64_t word;
  __builtin_memcpy(&word, &from, sizeof word);
  return word;
}
inline void store_cell(cell& to, std::uint64_t word) noexcept { __builtin_memcpy(&to, &word, sizeof word); }
inline cell cell_of(std::uint64_t word) noexcept {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

/// What becomes of a cell by this access.
template <how kind>
inline std::uint64_t with_record(std::uint64_t before, std::uint32_t record) noexcept {
  return kind == how::write ? record : std::uint64_t{record} << 32 | static_cast<std::uint32_t>(before);
}

/// Whether the running segment has made the access already, or one that says more.
template <how kind>
[[gnu::always_inline]] inline bool is_known_cell(thread& t, std::uint64_t word) noexcept {
  const cell before = cell_of(word);
  const std::uint32_t first = t.first_record;
  if (kind == how::write) return before.writer >= first && (before.reader == 0 || before.reader >= first);
  return before.writer >= first || before.reader >= first || unchanged_like(t, before) == before;
}

/// What `cached_record` has of a cell.
template <how kind>
inline std::uint64_t as_cached(std::uint64_t word) noexcept {
  return word | std::uint64_t{kind == how::write} << 63;  // numbers of records have 30 bits
}

/// Where the record of this key was put in an equal cell in this segment, the answer is the same.
template <how kind>
[[gnu::always_inline]] inline bool repeat_in_cell(cell& known, std::uint64_t word,
                                                  std::uint64_t key) noexcept {
  const cached_record& cached = cached_for(key);
  if (cached.before != as_cached<kind>(word) || cached.key != key || cached.record < self.first_record)
    return false;
  store_cell(known, with_record<kind>(word, cached.record));
  return true;
}

enum class outcome : std::uint8_t { done, is_recorded, is_slow };

/// What the strands of a cell say.
template <how kind>
[[gnu::always_inline]] inline outcome ask_strands(thread& t, cell before) noexcept {
  if (is_list(before)) return outcome::is_slow;
  if (kind == how::write) {
    relation reader = relation::same;
    if (before.reader != 0 && (reader = relation_of(t, before.reader)) == relation::parallel)
      return outcome::is_slow;
    if (before.writer == 0) return outcome::is_recorded;
    const relation writer = relation_of(t, before.writer);
    if (writer == relation::parallel) return outcome::is_slow;
    return writer == relation::same && reader == relation::same ? outcome::done : outcome::is_recorded;
  }
  const relation reader = before.reader == 0 ? relation::earlier : relation_of(t, before.reader);
  bool stays = reader == relation::same;
  if (!stays && before.writer != 0) {
    const relation writer = relation_of(t, before.writer);
    if (writer == relation::parallel) return outcome::is_slow;
    stays = before.reader == 0 && writer == relation::same;
  }
  if (!stays && reader != relation::parallel) return outcome::is_recorded;
  unchanged_like(t, before) = before;
  return outcome::done;
}

/// A cell that the running segment has not accessed so. False: to be looked at in full.
template <how kind>
[[gnu::always_inline]] inline bool look_at_new_cell(cell& known, std::uint64_t word, std::uint64_t key,
                                                    address at) noexcept {
  const outcome answer = ask_strands<kind>(self, cell_of(word));
  if (answer != outcome::is_recorded) return answer == outcome::done;
  cached_record& cached = cached_for(key);
  std::uint32_t record = cached_record_of(key, cached);
  if (record == 0) [[unlikely]] {
    record = record_anew(at, cached);
    word = load_cell(known);  // it may have collected numbers, those of the cell included
  }
  cached.before = as_cached<kind>(word);
  store_cell(known, with_record<kind>(word, record));
  return true;
}

/// The same of any cell.
template <how kind>
[[gnu::always_inline]] inline bool look_at_cell(cell& known, address at) noexcept {
  const std::uint64_t word = load_cell(known);
  if (is_known_cell<kind>(self, word)) return true;
  const std::uint64_t key = site_key(at);
  return repeat_in_cell<kind>(known, word, key) || look_at_new_cell<kind>(known, word, key, at);
}

/// Two cells at once.
using two_words [[gnu::vector_size(16)]] = std::uint64_t;
inline two_words load_two(const cell* from) noexcept {
  two_words both;
  __builtin_memcpy(&both, from, sizeof both);
  return both;
}
inline void store_two(cell* to, two_words both) noexcept { __builtin_memcpy(to, &both, sizeof both); }

/// The first cell from `known` on that is not equal to it; `end`: none is.
inline cell* end_of_equal(cell* known, cell* end) noexcept {
  const std::uint64_t word = load_cell(*known);
  const two_words twice = {word, word};
  cell* differs = known + 1;
  for (; end - differs >= 8; differs += 8) {
    const two_words other = (load_two(differs) ^ twice) | (load_two(differs + 2) ^ twice) |
                            (load_two(differs + 4) ^ twice) | (load_two(differs + 6) ^ twice);
    if ((other[0] | other[1]) != 0) break;
  }
  while (differs != end && load_cell(*differs) == word) ++differs;
  return differs;
}

inline void fill_cells(cell* begin, cell* end, std::uint64_t word) noexcept {
  const two_words twice = {word, word};
  for (; end - begin >= 4; begin += 4) {
    store_two(begin, twice);
    store_two(begin + 2, twice);
  }
  for (; begin != end; ++begin) store_cell(*begin, word);
}

/// Of one block. False: to be looked at in full, also where some of its cells know it already.
template <how kind>
[[gnu::always_inline]] inline bool look_at_cells(address begin, std::size_t bytes, address at) noexcept {
  std::uint64_t& entry = entry_of(begin);
  if ((entry & layout_mask) < by_8) return is_known<kind>(begin, bytes);
  const unsigned shift = granule_shift(entry);
  const std::size_t within = begin % block_bytes;
  if (((begin | bytes) & ((std::size_t{1} << shift) - 1)) != 0 || within + bytes > block_bytes) return false;
  note_stack(begin);
  cell* known = cells_of(entry) + (within >> shift);
  cell* const end = known + (bytes >> shift);
  do {
    // Cells that are equal stay so, also where the record collects numbers.
    cell* const differs = end_of_equal(known, end);
    if (!look_at_cell<kind>(*known, at)) return false;
    const std::uint64_t after = load_cell(*known++);
    if (known != differs && load_cell(*known) != after) fill_cells(known, differs, after);
    known = differs;
  } while (known != end);
  if (within + bytes == block_bytes && cells_of(entry)[0] == end[-1]) unite(entry);
  return true;
}

/// In cells of which size an access is taken as a whole.
template <std::size_t bytes>
inline constexpr std::size_t cell_bytes = bytes == 16 ? 8 : bytes;
template <std::size_t bytes>
inline constexpr layout layout_of = bytes >= 8   ? by_8
                                    : bytes == 4 ? by_4
                                                 : by_1;

/// Whether an access is one whole cell of the block that has this entry, or two of 8 bytes.
template <std::size_t bytes>
[[gnu::always_inline]] inline bool is_whole(std::uint64_t entry, address begin) noexcept {
  if (bytes == 2 || (bytes == 16 && begin % block_bytes > block_bytes - 16)) return false;
  return (entry & layout_mask) == layout_of<bytes> && begin % cell_bytes<bytes> == 0;
}

/// The first of them.
template <std::size_t bytes>
[[gnu::always_inline]] inline cell* cell_in_block(std::uint64_t entry, address begin) noexcept {
  return reinterpret_cast<cell*>(entry - layout_of<bytes> +
                                 begin % block_bytes / cell_bytes<bytes> * sizeof(cell));
}

}  // namespace nopal_check

#endif
