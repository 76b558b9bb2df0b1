// What shadow memory keeps of some bytes, and one access to them. Of shadow.cpp alone, under the block's bit.
#ifndef NOPAL_CHECK_PARALLEL_CELLS_HPP
#define NOPAL_CHECK_PARALLEL_CELLS_HPP

#include <cstddef>
#include <cstdint>

#include "../locks.hpp"
#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

using nopal_check_parallel::is_parallel;
using nopal_check_parallel::note_read;
using nopal_check_parallel::note_write;

/// Accesses with one set of locks.
struct locked {
  std::uint32_t locks;
  std::uint32_t first_write, last_write;  ///< the leftmost and rightmost; zero: none
  std::uint32_t first_read, last_read;
  locked* next;
};

inline constexpr std::uint32_t has_list = ~std::uint32_t{0};
inline constexpr std::uint32_t most_sets = 64;  ///< of one cell: what has older ones is forgotten

inline bool is_listed(const accesses& known) noexcept { return known.leftmost == has_list; }
inline locked* list_of(const accesses& known) noexcept {
  return reinterpret_cast<locked*>(std::uint64_t{known.rightmost} << 32 | known.writer);
}
inline void set_list(accesses& known, locked* list) noexcept {
  const auto bits = reinterpret_cast<std::uint64_t>(list);
  // Who reads without the bit and sees a part of the address sees `has_list` after that: release pairs with its acquires.
  std::atomic_ref(known.leftmost).store(has_list, std::memory_order_relaxed);
  std::atomic_ref(known.writer).store(static_cast<std::uint32_t>(bits), std::memory_order_release);
  std::atomic_ref(known.rightmost).store(static_cast<std::uint32_t>(bits >> 32), std::memory_order_release);
}
inline locked* make_locked(const locked& value) noexcept {
  auto* const made = static_cast<locked*>(take_piece(piece_of_list, sizeof(locked)));
  *made = value;
  return made;
}
inline void free_list_of(const accesses& known) noexcept {
  if (!is_listed(known)) return;
  for (locked* each = list_of(known); each != nullptr;) {
    locked* const next = each->next;
    give_piece(piece_of_list, each);
    each = next;
  }
}
inline accesses copy_of(const accesses& known) noexcept {
  if (!is_listed(known)) return known;
  locked* copied = nullptr;
  for (const locked* each = list_of(known); each != nullptr; each = each->next) {
    locked next = *each;
    next.next = copied;
    copied = make_locked(next);
  }
  accesses made{};
  set_list(made, copied);
  return made;
}

/// One access, as it is told where it is in a race.
struct access {
  race told;
  std::uint32_t locks;
  std::uint32_t record;  ///< zero: not made yet
  record_for memory;

  std::uint32_t its_record() noexcept {
    if (record == 0) record = record_here(told.at, memory);
    return record;
  }
};

inline constexpr std::uint32_t most_found = 3 * block_bytes;
inline constexpr std::size_t by_order = ~std::size_t{0};  // no race: what excludes both

inline void keep_found(const access& which, std::uint32_t earlier, bool earlier_writes,
                       bool is_order = false) noexcept {
  if (mine.found_count == most_found) return;
  race& one = mine.found[mine.found_count++];
  one = which.told;
  one.earlier = earlier;
  one.earlier_kind = earlier_writes ? how::write : how::read;
  if (is_order) one.looked_at.bytes = by_order;
}

inline void compare(const access& which, const locked& with, std::uint32_t first, std::uint32_t last,
                    bool writes) noexcept {
  for (const std::uint32_t each : {first, last}) {
    if (each == 0 || !is_parallel(relation_of(each))) continue;
    keep_found(which, each, writes, !are_disjoint(with.locks, which.locks));
    if (first == last) return;
  }
}

inline void keep_beside(std::uint32_t& first, std::uint32_t& last, access& which) noexcept {
  if (first == 0) {
    first = last = which.its_record();
    return;
  }
  const relation left = relation_of(first);
  const relation right = first == last ? left : relation_of(last);
  if (left != relation::parallel_on_the_left) first = which.its_record();
  if (right != relation::parallel_on_the_right) last = which.its_record();
}

inline void look_in_list(accesses& known, access& which, how kind) noexcept {
  if (!is_listed(known)) {
    locked* before = nullptr;
    if (known.writer != 0 || known.leftmost != 0)
      before = make_locked({0, known.writer, known.writer, known.leftmost, known.rightmost, nullptr});
    set_list(known, before);
  }
  locked* own = nullptr;
  std::uint32_t listed_sets = 0;
  const auto is_over = [](std::uint32_t one) { return one == 0 || !is_parallel(relation_of(one)); };
  locked* first = list_of(known);
  for (locked** link = &first; *link != nullptr;) {
    locked* const each = *link;
    compare(which, *each, each->first_write, each->last_write, true);
    if (kind == how::write) compare(which, *each, each->first_read, each->last_read, false);
    // What comes before, and held all that is held now, says no more than this access.
    const bool is_needless = ++listed_sets > most_sets ||
                             (each->locks != which.locks && is_part(which.locks, each->locks, true) &&
                              is_over(each->first_read) && is_over(each->last_read) &&
                              (kind == how::write ? is_over(each->first_write) && is_over(each->last_write)
                                                  : each->first_write == 0));
    if (is_needless) {
      *link = each->next;
      give_piece(piece_of_list, each);
      continue;
    }
    if (each->locks == which.locks) own = each;
    link = &each->next;
  }
  set_list(known, first);
  if (own == nullptr) {
    own = make_locked({which.locks, 0, 0, 0, 0, first});
    set_list(known, own);
  }
  if (kind == how::write) {
    keep_beside(own->first_write, own->last_write, which);
  } else {
    keep_beside(own->first_read, own->last_read, which);
  }
}

/// Whether all that is known of the cell comes before what runs.
inline bool is_all_before(const accesses& known) noexcept {
  const auto is_before = [](std::uint32_t one) { return one == 0 || !is_parallel(relation_of(one)); };
  for (const locked* each = list_of(known); each != nullptr; each = each->next) {
    if (!is_before(each->first_write) || !is_before(each->last_write) || !is_before(each->first_read) ||
        !is_before(each->last_read))
      return false;
  }
  return true;
}

inline bool is_own_record(std::uint32_t record) noexcept {
  return record_of(record).strand == self.strand && segments[record - first_of_records] == mine.now.segment;
}

inline void look_at_cell(accesses& known, access& which, how kind) noexcept {
  if (which.locks == 0 && is_listed(known) && kind == how::write && is_all_before(known)) {
    free_list_of(known);
    known = {which.its_record(), 0, 0};
    return;
  }
  if (which.locks != 0 || is_listed(known)) return look_in_list(known, which, kind);
  if (known.writer != 0 && is_own_record(known.writer) && (kind == how::read || known.leftmost == 0)) return;
  const auto found = [&which](std::uint32_t earlier, bool writes) { keep_found(which, earlier, writes); };
  if (kind == how::write) return note_write(known, which.its_record(), relation_of, found);
  if (known.leftmost != 0 && is_own_record(known.leftmost) && is_own_record(known.rightmost)) return;
  note_read(known, which.its_record(), relation_of, found);
}

}  // namespace nopal_check

#endif
