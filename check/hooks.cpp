// The calls that compilers emit under -fsanitize=thread for accesses and functions. Atomic operations
// are in atomics.cpp.
#include <cstddef>

#include "cells.hpp"
#include "copies.hpp"
#include "made.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "start.hpp"
#include "thread.hpp"

using namespace nopal_check;

namespace {

[[gnu::noinline]] void look_anew(address begin, std::size_t bytes, how kind, address at) noexcept {
  const at_work now;
  look(begin, bytes, kind, at);
}

/// The compiler computes it once.
template <class T>
[[gnu::always_inline]] inline void pin(T*& pointer) noexcept {
  asm("" : "+r"(pointer));
}

template <how kind, std::size_t bytes>
[[gnu::noinline]] void note_cells(address begin, address at) noexcept {
  if (!look_at_cells<kind>(begin, bytes, at)) look(begin, bytes, kind, at);
  keep_made<kind, bytes>(begin);
  end_quick_work();
}

template <std::size_t count>
[[gnu::always_inline]] inline void store_cells(cell* known, std::uint64_t word) noexcept {
  store_cell(*known, word);
  if (count == 2) store_cell(known[1], word);
}

/// Of one cell, or two that are equal. The last of a block may be equal to all others.
template <how kind, std::size_t bytes>
[[gnu::always_inline]] inline void end_note(address begin, address at, thread& t) noexcept {
  if ((begin + bytes) % block_bytes == 0) return note_cells<kind, bytes>(begin, at);
  keep_made<kind, bytes>(begin);
  end_quick_work(t);
}

/// One cell, or two that are equal, which the running segment has not accessed so. All that it calls ends it, as below.
template <how kind, std::size_t bytes, std::size_t count>
[[gnu::noinline]] void note_new_cell(address begin, address at, thread* t, cached_record* cached, cell* known,
                                     std::uint64_t key) noexcept {
  const std::uint64_t word = load_cell(*known);
  if (word != 0) {
    const outcome answer = ask_strands<kind>(*t, cell_of(word));
    if (answer == outcome::is_slow) return note_cells<kind, bytes>(begin, at);
    if (answer == outcome::done) return end_note<kind, bytes>(begin, at, *t);
  }
  if (cached->key != key) return note_cells<kind, bytes>(begin, at);
  std::uint32_t record = cached->record;
  if (record < t->first_record) {
    const std::uint32_t next = records.count;
    if (next >= record_limit) [[unlikely]]
      return note_cells<kind, bytes>(begin, at);
    records[next] = {t->strand, cached->site};
    records.count = next + 1;
    record = first_of_records + next;
    cached->record = record;
  }
  cached->before = as_cached<kind>(word);
  store_cells<count>(known, with_record<kind>(word, record));
  end_note<kind, bytes>(begin, at, *t);
}

/// One cell, or two that are equal.
template <how kind, std::size_t bytes, std::size_t count>
[[gnu::always_inline]] inline void note_cell(address begin, address at, thread* t, cell* known) noexcept {
  const std::uint64_t word = load_cell(*known);
  if (count == 2 && load_cell(known[1]) != word) return note_cells<kind, bytes>(begin, at);
  if (!is_known_cell<kind>(*t, word)) {
    if (begin < t->lowest && begin >= t->stack_begin) t->lowest = begin;
    const std::uint64_t key = t->calls->key ^ site_part(at);
    cached_record* cached = &t->cache[key >> (64 - cached_bits)];
    pin(cached);
    if (cached->before != as_cached<kind>(word) || cached->key != key || cached->record < t->first_record)
      return note_new_cell<kind, bytes, count>(begin, at, t, cached, known, key);
    store_cells<count>(known, with_record<kind>(word, cached->record));
  }
  end_note<kind, bytes>(begin, at, *t);
}

/// An access of 8 bytes where cells may be half as large, as in frames that have variables of both sizes.
template <how kind>
[[gnu::noinline]] void note_halves(address begin, address at, thread* t) noexcept {
  const std::uint64_t entry = entry_of(begin);
  if ((entry & layout_mask) != by_4 || begin % 8 != 0) return note_cells<kind, 8>(begin, at);
  note_cell<kind, 8, 2>(begin, at, t, cells_of(entry) + begin % block_bytes / 4);
}

/// An access that the table of its kind and size does not have. All that it calls ends it, so it keeps no registers.
template <how kind, std::size_t bytes>
[[gnu::noinline]] void note_unmade(address begin, address at) noexcept {
  thread* t = &self;
  pin(t);
  if (t->is_heeding == 0) return;
  if (made_mark == no_mark) [[unlikely]]
    return look_anew(begin, bytes, kind, at);
  begin_quick_work(*t);
  const std::uint64_t entry = entry_of(begin);
  if (!is_whole<bytes>(entry, begin)) {
    if constexpr (bytes == 8) return note_halves<kind>(begin, at, t);
    return note_cells<kind, bytes>(begin, at);
  }
  note_cell<kind, bytes, bytes == 16 ? 2 : 1>(begin, at, t, cell_in_block<bytes>(entry, begin));
}

template <how kind, std::size_t bytes>
[[gnu::always_inline]] inline void note(const void* memory, void* at) noexcept {
  const auto begin = reinterpret_cast<address>(memory);
  if (is_made<kind, bytes>(begin)) [[likely]]
    return;
  note_unmade<kind, bytes>(begin, reinterpret_cast<address>(at));
}

void note_range(const void* memory, std::size_t bytes, how kind, void* at) noexcept {
  if (self.is_heeding == 0 || bytes == 0) return;
  look_anew(reinterpret_cast<address>(memory), bytes, kind, reinterpret_cast<address>(at));
}

}  // namespace

#include "hook_functions.hpp"
