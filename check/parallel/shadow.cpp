// Shadow memory that several threads use: for each byte the last writer, and the leftmost and rightmost reader since.
//
// A block of 256 bytes has cells of 8, 4 or single bytes, as its accesses need. Who changes a block holds the lowest bit of
// its entry but three; what is found there is reported after that. A cell that was accessed with locks held or by atomic
// operations has a list instead: for each set of locks the leftmost and rightmost writer and reader.
//
// Invariants:
//
//   1. Entries, cells and lists change only under the block's bit. Its release store pairs with the acquire of who takes it.
//   2. Cells of a block that was divided stay where they are as memory: who reads them without the bit, finds another entry
//      afterwards, and begins again.
//   3. Who holds a bit takes no other and no lock of the checker's. So who holds the checker's lock may take a bit.
#include "../shadow.hpp"

#include "../copies.hpp"
#include "../lists.hpp"
#include "../lock_numbers.hpp"
#include "cells.hpp"
#include "state.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

std::uint64_t* blocks;

namespace {

constexpr std::size_t all_entries = std::size_t{1} << (address_bits - block_shift);
constexpr unsigned group_shift = 9;  // entries that are looked through together
constexpr std::size_t all_groups = all_entries >> group_shift;
std::atomic<unsigned char>* used_groups;
std::uint32_t* listed_groups;  ///< those that are used
std::atomic<std::uint32_t> listed_count;

constexpr std::uint64_t taken_bit = 8;
constexpr std::size_t cells_alignment = 16;

accesses* cells_in_entry(std::uint64_t entry) noexcept {
  return reinterpret_cast<accesses*>(entry & ~std::uint64_t{cells_alignment - 1});
}

/// Under its bit for as long as this lives.
class held_block {
public:
  explicit held_block(std::uint64_t& entry) noexcept : word_(entry) {
    for (;;) {
      // Acquire pairs with the release of who had it.
      value_ = word_.fetch_or(taken_bit, std::memory_order_acquire);
      if ((value_ & taken_bit) == 0) return;
      while ((word_.load(std::memory_order_relaxed) & taken_bit) != 0) __builtin_ia32_pause();
    }
  }
  held_block(const held_block&) = delete;
  held_block& operator=(const held_block&) = delete;
  ~held_block() { word_.store(value_, std::memory_order_release); }

  [[nodiscard]] std::uint64_t kind() const noexcept { return value_ & layout_mask; }
  [[nodiscard]] accesses* cells() const noexcept { return cells_in_entry(value_); }
  void set(accesses* cells, std::uint64_t kind) noexcept {
    value_ = reinterpret_cast<std::uint64_t>(cells) | kind;
  }
  void empty() noexcept { value_ = nothing; }

private:
  std::atomic_ref<std::uint64_t> word_;
  std::uint64_t value_;
};

std::size_t cells_of_kind(std::uint64_t kind) noexcept { return block_bytes >> granule_shift(kind); }

accesses* take_cells(std::uint64_t kind) noexcept {
  return static_cast<accesses*>(
      take_piece(static_cast<unsigned>(kind), cells_of_kind(kind) * sizeof(accesses)));
}

/// Relaxed: all of it is read where no other strand is there; and who clears memory has had it handed on.
void note_group(const std::uint64_t& entry) noexcept {
  const std::size_t group = static_cast<std::size_t>(&entry - blocks) >> group_shift;
  if (used_groups[group].load(std::memory_order_relaxed) != 0) return;
  if (used_groups[group].exchange(1, std::memory_order_relaxed) != 0) return;
  listed_groups[listed_count.fetch_add(1, std::memory_order_relaxed)] = static_cast<std::uint32_t>(group);
}

/// Gives a block cells that are no larger than the layout's.
void divide_block(held_block& block, const std::uint64_t& entry, std::uint64_t wanted) noexcept {
  accesses* const made = take_cells(wanted);
  const std::size_t count = cells_of_kind(wanted);
  if (block.kind() == nothing) {
    note_group(entry);
    for (std::size_t i = 0; i < count; ++i) made[i] = {};
  } else {
    accesses* const before = block.cells();
    const unsigned by = granule_shift(block.kind()) - granule_shift(wanted);
    for (std::size_t i = 0; i < count; ++i)
      made[i] = (i & ((std::size_t{1} << by) - 1)) == 0 ? before[i >> by] : copy_of(before[i >> by]);
    give_piece(static_cast<unsigned>(block.kind()), before);
  }
  block.set(made, wanted);
}

std::uint64_t layout_of(address begin, std::size_t bytes) noexcept {
  const address both = begin | bytes;
  return both % 8 == 0 ? by_8 : both % 4 == 0 ? by_4 : by_1;
}

void look_in_block(access& which, how kind) noexcept {
  const address begin = which.told.begin;
  const std::size_t bytes = which.told.bytes;
  const std::size_t within = begin % block_bytes;
  std::uint64_t& entry = entry_of(begin);
  held_block block(entry);
  const std::uint64_t wanted = layout_of(begin, bytes);
  if (block.kind() < wanted) divide_block(block, entry, wanted);
  const unsigned shift = granule_shift(block.kind());
  for (std::size_t i = within >> shift; i <= (within + bytes - 1) >> shift; ++i) {
    which.told.looked_at = {begin - within + (i << shift), std::size_t{1} << shift};
    look_at_cell(block.cells()[i], which, kind);
  }
}

/// Whether a read of one cell is in no race and is not kept, as two that are on both sides of it are. Takes no bit: what it
/// read was there together, since the writer's record comes last, and readers are only replaced after it.
///
/// The loads are in order by acquire. That of the entry pairs with the release of its bit; those of the cell with the stores of
/// who has the bit: plain ones of records, which are valid whichever is seen, and those of `set_list`.
bool is_read_covered(address begin, std::size_t bytes) noexcept {
  const std::atomic_ref<std::uint64_t> word(entry_of(begin));
  const std::uint64_t entry = word.load(std::memory_order_acquire) & ~taken_bit;
  const std::size_t within = begin % block_bytes;
  if ((entry & layout_mask) == nothing || within + bytes > block_bytes) return false;
  const unsigned shift = granule_shift(entry);
  if (within >> shift != (within + bytes - 1) >> shift) return false;
  accesses& known = cells_in_entry(entry)[within >> shift];
  const std::atomic_ref<std::uint32_t> writer(known.writer);
  const std::atomic_ref<std::uint32_t> left(known.leftmost);
  const std::atomic_ref<std::uint32_t> right(known.rightmost);
  const std::uint32_t w = writer.load(std::memory_order_acquire);
  const std::uint32_t l = left.load(std::memory_order_acquire);
  const std::uint32_t r = right.load(std::memory_order_acquire);
  if (l == 0 || r == 0 || l == has_list) return false;
  if (writer.load(std::memory_order_acquire) != w || left.load(std::memory_order_acquire) != l ||
      word.load(std::memory_order_acquire) !=
          entry)  // with the bit taken, cells may be on their way to others
    return false;
  if (w != 0 && is_parallel(relation_of(w))) return false;
  return relation_of(l) == relation::parallel_on_the_left &&
         relation_of(r) == relation::parallel_on_the_right;
}

/// With the checker's lock.
void tell_found() noexcept {
  const std::uint32_t count = mine.found_count;
  mine.found_count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    race one = mine.found[i];
    if (one.looked_at.bytes != by_order) {
      found_race(one);
    } else if (!is_known_order(one.earlier, one.earlier_kind, one)) {
      found_order(one, self.lock_set != 0);
    }
  }
}

template <class Tell>
void look_at_all(address begin, std::size_t bytes, how kind, address at, std::uint32_t locks,
                 record_for memory, Tell tell) noexcept {
  access which{{0, how::read, begin, bytes, kind, at, {}}, locks, 0, memory};
  while (bytes != 0) {
    const std::size_t room = block_bytes - begin % block_bytes;
    const std::size_t part = bytes < room ? bytes : room;
    which.told.begin = begin;
    which.told.bytes = part;
    look_in_block(which, kind);
    if (mine.found_count != 0) tell();
    begin += part;
    bytes -= part;
  }
}

void clear_in_block(std::uint64_t& entry, std::size_t within, std::size_t bytes) noexcept {
  // Relaxed: nobody else uses this memory, or it is a race.
  if (std::atomic_ref<std::uint64_t>(entry).load(std::memory_order_relaxed) == nothing) return;
  held_block block(entry);
  if (block.kind() == nothing) return;
  const std::uint64_t wanted = layout_of(within, bytes);
  if (block.kind() < wanted) divide_block(block, entry, wanted);
  const unsigned shift = granule_shift(block.kind());
  accesses* const cells = block.cells();
  for (std::size_t i = within >> shift; i < (within + bytes) >> shift; ++i) {
    free_list_of(cells[i]);
    cells[i] = {};
  }
}

void clear_range(address begin, std::size_t bytes) noexcept {
  constexpr std::size_t group_bytes = block_bytes << group_shift;
  while (bytes != 0) {
    const std::size_t group_room = group_bytes - begin % group_bytes;
    const std::size_t group_part = bytes < group_room ? bytes : group_room;
    std::uint64_t& entry = entry_of(begin);
    if (used_groups[static_cast<std::size_t>(&entry - blocks) >> group_shift].load(
            std::memory_order_relaxed) == 0) {
      begin += group_part;
      bytes -= group_part;
      continue;
    }
    const std::size_t within = begin % block_bytes;
    const std::size_t part = bytes < block_bytes - within ? bytes : block_bytes - within;
    clear_in_block(entry, within, part);
    begin += part;
    bytes -= part;
  }
}

/// Whose frames an access is to; those of the running strand on this stack are cleared with it, down to the lowest.
record_for memory_at(address begin, std::size_t bytes, address frame) noexcept {
  if (begin >= frame && begin < mine.top) {
    if (begin < self.lowest) self.lowest = begin;
    return begin + bytes <= mine.top ? record_for::own : record_for::any;
  }
  return begin >= mine.top && begin + bytes <= mine.parents_top ? record_for::parent : record_for::any;
}

}  // namespace

void make_shadow() noexcept {
  blocks = static_cast<std::uint64_t*>(reserve(all_entries * sizeof(std::uint64_t)));
  used_groups = static_cast<std::atomic<unsigned char>*>(reserve(all_groups));
  listed_groups = static_cast<std::uint32_t*>(reserve(all_groups * sizeof(std::uint32_t)));
}

// Lists are in shadow memory alone, and no set of locks is taken back.
void make_lists() noexcept {}
void mark_listed_locks(unsigned char* is_used, std::uint32_t count) noexcept { fill(is_used, 1, count); }

void look_alone(address begin, std::size_t bytes, how kind, address at) noexcept {
  const quietly now;
  if (self.strand < most_roots) [[unlikely]]
    note_root();
  const record_for memory = memory_at(begin, bytes, reinterpret_cast<address>(__builtin_frame_address(0)));
  if (kind == how::write || self.lock_set != 0 || !is_read_covered(begin, bytes)) {
    know_site_alone(at, memory);
    look_at_all(begin, bytes, kind, at, self.lock_set, memory, [] {
      take_checker();
      tell_found();
      leave_checker();
    });
  }
}

void look(address begin, std::size_t bytes, how kind, address at) noexcept {
  look_locked(begin, bytes, kind, at, self.lock_set);
}

void look_locked(address begin, std::size_t bytes, how kind, address at, std::uint32_t locks) noexcept {
  if (self.strand < most_roots) [[unlikely]]
    note_root_at_work();
  const record_for memory = memory_at(begin, bytes, reinterpret_cast<address>(__builtin_frame_address(0)));
  know_site(at, memory);
  look_at_all(begin, bytes, kind, at, locks, memory, tell_found);
}

void look_atomically(address begin, std::size_t bytes, how kind, address at) noexcept {
  look_locked(begin, bytes, kind, at, atomics_alone);
}

void look_at_readers(address begin, relation where, how earlier, how kind, address at) noexcept {
  access which{{0, how::read, begin, 0, kind, at, {begin, 8}}, 0, 0, record_for::any};
  {
    const held_block block(entry_of(begin));
    if (block.kind() == nothing) return;
    const accesses known = block.cells()[begin % block_bytes >> granule_shift(block.kind())];
    if (is_listed(known)) return;
    const std::uint32_t outer = where == relation::parallel_on_the_left ? known.leftmost : known.rightmost;
    if (outer == 0 || relation_of(outer) != where) return;
    keep_found(which, outer, earlier == how::write);
  }
  tell_found();
}

void note_use(address) noexcept {}

void clear(address begin, std::size_t bytes) noexcept {
  forget_seen();
  forget_locks(begin, bytes);
  clear_range(begin, bytes);
}

void clear_mapping(address begin, std::size_t bytes) noexcept { clear(begin, bytes); }

void clear_stack(address begin, address end) noexcept {
  begin &= ~address{7};
  if (begin < end) clear_range(begin, end - begin);
}

void forget_all_memory() noexcept {
  const std::uint32_t count = listed_count.exchange(0, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t group = listed_groups[i];
    used_groups[group].store(0, std::memory_order_relaxed);
    for (std::size_t j = 0; j < std::size_t{1} << group_shift; ++j) {
      std::uint64_t& entry = blocks[(group << group_shift) + j];
      if (entry == nothing) continue;
      held_block block(entry);
      for (std::size_t k = 0; k < cells_of_kind(block.kind()); ++k) free_list_of(block.cells()[k]);
      give_piece(static_cast<unsigned>(block.kind()), block.cells());
      block.empty();
    }
  }
}

}  // namespace nopal_check
