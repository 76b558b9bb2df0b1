// A slot array: a cache line of header, the previous array and the capacity, then the slots.
#ifndef NOPAL_DEQUE_SLOTS_HPP
#define NOPAL_DEQUE_SLOTS_HPP

#include <cstddef>
#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

inline constexpr std::size_t slots_line = 64;  // bytes
inline constexpr std::size_t slots_header = slots_line / sizeof(nopal_frame*);

[[gnu::always_inline]] inline std::int32_t capacity_of(nopal_frame* const* slots) noexcept {
  std::intptr_t capacity;
  __builtin_memcpy(&capacity, slots - slots_header + 1, sizeof capacity);
  return static_cast<std::int32_t>(capacity);
}

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
