#include "lock_numbers.hpp"

#include "locks.hpp"
#include "shadow.hpp"
#include "tables.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

bool has_locks;

namespace {

struct lock {
  address where;       ///< zero: it is no more
  std::uint32_t next;  ///< in the same block of memory, or of those whose numbers are free
};

constexpr std::uint32_t most = std::uint32_t{1} << 31;
table<lock> all;
number_map by_address;
number_map by_block;       ///< the first lock there
std::uint64_t* has_block;  ///< a bit for each block
std::uint32_t free_numbers;

std::uint32_t add_lock(address where, std::uint32_t next) noexcept {
  if (free_numbers == 0) {
    if (all.count == most) fail("nopal: check: more than 2147483646 locks to remember\n");
    return all.add({where, next});
  }
  const std::uint32_t taken = free_numbers;
  free_numbers = all[taken].next;
  all[taken] = {where, next};
  return taken;
}

}  // namespace

void make_lock_numbers() noexcept {
  all.make(most);
  all.add({});
  all.add({atomic_lock, 0});
  has_block = static_cast<std::uint64_t*>(reserve(std::size_t{1} << (address_bits - block_shift - 3)));
}

std::uint32_t number_of_lock(address lock) noexcept {
  if (lock == atomic_lock) return number_of_atomics;
  std::uint32_t& number = by_address.at(lock);
  if (number != 0) return number;
  has_locks = true;
  note_use(lock);
  const std::size_t block = (lock & ((address{1} << address_bits) - 1)) >> block_shift;
  has_block[block / 64] |= std::uint64_t{1} << block % 64;
  std::uint32_t& first = by_block.at(block);
  return number = first = add_lock(lock, first);
}

address place_of_lock(std::uint32_t number) noexcept { return all[number].where; }

void end_locks(address begin, address end) noexcept {
  const std::size_t last = (end - 1) >> block_shift;
  for (std::size_t block = begin >> block_shift; block <= last; ++block) {
    std::uint64_t& word = has_block[block / 64];
    if (word == 0) {
      block |= 63;
      continue;
    }
    if ((word >> block % 64 & 1) == 0) continue;
    std::uint32_t& first = by_block.at(block);
    for (std::uint32_t* link = &first; *link != 0;) {
      lock& each = all[*link];
      if (each.where < begin || each.where >= end) {
        link = &each.next;
        continue;
      }
      by_address.at(each.where) = 0;
      *link = each.next;
      each = {};
    }
    if (first == 0) word &= ~(std::uint64_t{1} << block % 64);
  }
}

std::uint32_t lock_numbers() noexcept { return all.count; }

void reuse_lock_numbers(const unsigned char* is_used) noexcept {
  free_numbers = 0;
  for (std::uint32_t i = number_of_atomics + 1; i < all.count; ++i) {
    if (all[i].where != 0 || is_used[i] != 0) continue;
    all[i].next = free_numbers;
    free_numbers = i;
  }
}

}  // namespace nopal_check
