#include "heap.hpp"

#include <sys/mman.h>

#include "sites.hpp"
#include "tables.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

/// By address, in the slot that it belongs to or in one of the next.
heap_block* slots;
std::size_t size;
std::size_t count;

std::size_t home_of(address begin) noexcept {
  return static_cast<std::size_t>(((begin >> 4) * hash_step) >> 24) & (size - 1);
}

heap_block& find(address begin) noexcept {
  std::size_t i = home_of(begin);
  while (slots[i].begin != 0 && slots[i].begin != begin) i = (i + 1) & (size - 1);
  return slots[i];
}

void grow() noexcept {
  heap_block* const before = slots;
  const std::size_t before_size = size;
  size = size == 0 ? 4096 : 2 * size;
  slots = static_cast<heap_block*>(reserve(size * sizeof(heap_block)));
  for (std::size_t i = 0; i < before_size; ++i) {
    if (before[i].begin != 0) find(before[i].begin) = before[i];
  }
  if (before != nullptr) munmap(before, before_size * sizeof(heap_block));
}

}  // namespace

void note_block(address begin, std::size_t bytes, std::uint32_t site) noexcept {
  if (2 * (count + 1) > size) grow();
  heap_block& slot = find(begin);
  if (slot.begin == 0) ++count;
  slot = {begin, bytes, site};
}

std::size_t forget_block(address begin) noexcept {
  if (size == 0) return 0;
  std::size_t hole = static_cast<std::size_t>(&find(begin) - slots);
  if (slots[hole].begin == 0) return 0;
  const std::size_t bytes = slots[hole].bytes;
  --count;
  // Those that come after, and belong before the hole, move into it.
  for (std::size_t i = (hole + 1) & (size - 1); slots[i].begin != 0; i = (i + 1) & (size - 1)) {
    if (((i - home_of(slots[i].begin)) & (size - 1)) >= ((i - hole) & (size - 1))) {
      slots[hole] = slots[i];
      hole = i;
    }
  }
  slots[hole] = {};
  return bytes;
}

heap_block block_with(address where) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    if (where - slots[i].begin < slots[i].bytes) return slots[i];
  }
  return {};
}

}  // namespace nopal_check
