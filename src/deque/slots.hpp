// A slot array: two cells of header, the previous array and the capacity, then the slots.
#ifndef NOPAL_DEQUE_SLOTS_HPP
#define NOPAL_DEQUE_SLOTS_HPP

#include <cstdint>
#include <cstring>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace deque {

inline constexpr std::size_t slots_header = 2;

inline std::int32_t capacity_of(nopal_frame* const* slots) noexcept {
  std::intptr_t capacity;
  std::memcpy(&capacity, slots - 1, sizeof capacity);
  return static_cast<std::int32_t>(capacity);
}

}  // namespace deque
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
