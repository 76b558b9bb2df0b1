// Blocks of the heap, for reports: where each was allocated.
#ifndef NOPAL_CHECK_HEAP_HPP
#define NOPAL_CHECK_HEAP_HPP

#include <cstddef>
#include <cstdint>

#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

struct heap_block {
  address begin;
  std::size_t bytes;
  std::uint32_t site;
};

void note_block(address begin, std::size_t bytes, std::uint32_t site) noexcept;
/// It is freed. Returns how many bytes it had; zero if it was not noted.
std::size_t forget_block(address begin) noexcept;

/// The block that an address lies in; `bytes` is zero if in none.
heap_block block_with(address where) noexcept;

}  // namespace nopal_check

#endif
