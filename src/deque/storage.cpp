// The slots of a deque: growth without moving what a thief may be reading.
//
// A grown deque keeps its old arrays until it is destroyed, chained through their first cell: a thief that
// loaded the old address still finds the entries it may take there, since neither side writes them any more.
// The arrays double, so all old ones together are smaller than the newest.

#include "deque/deque.hpp"

#include <cstdlib>
#include <cstring>

#include "deque/slots.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace deque {

namespace {

constexpr std::int32_t first_capacity = 256;
constexpr std::int32_t largest_capacity = 1 << 30;

nopal_frame** allocate(std::int32_t capacity, nopal_frame** previous) {
  const std::size_t cells = static_cast<std::size_t>(capacity) + slots_header;
  auto* const cells_begin = static_cast<nopal_frame**>(std::malloc(cells * sizeof(nopal_frame*)));
  if (cells_begin == nullptr) {
    return nullptr;
  }
  nopal_frame** const slots = cells_begin + slots_header;
  std::memcpy(cells_begin, &previous, sizeof previous);
  const auto wide = static_cast<std::intptr_t>(capacity);
  std::memcpy(cells_begin + 1, &wide, sizeof wide);
  return slots;
}

nopal_frame** previous_of(nopal_frame** slots) {
  nopal_frame** previous;
  std::memcpy(&previous, slots - slots_header, sizeof previous);
  return previous;
}

void install(nopal_deque& deque, nopal_frame** slots) {
  deque.slots = slots;
  // Pairs with the acquire load in steal: the copied entries come first.
  __atomic_store_n(&deque.public_slots, slots, __ATOMIC_RELEASE);
}

}  // namespace

bool make(nopal_deque& deque) noexcept {
  nopal_frame** const slots = allocate(first_capacity, nullptr);
  if (slots == nullptr) {
    return false;
  }
  std::memset(&deque, 0, sizeof deque);
  install(deque, slots);
  deque.limit = nopal_poisoned_limit;
  return true;
}

void destroy(nopal_deque& deque) noexcept {
  for (nopal_frame** slots = deque.slots; slots != nullptr;) {
    nopal_frame** const previous = previous_of(slots);
    std::free(slots - slots_header);
    slots = previous;
  }
  deque.slots = nullptr;
  deque.public_slots = nullptr;
}

bool reserve(nopal_deque& deque) noexcept {
  const std::int32_t capacity = capacity_of(deque.slots);
  if (deque.bottom < capacity) {
    return true;
  }
  nopal_frame** const grown = capacity < largest_capacity ? allocate(capacity * 2, deque.slots) : nullptr;
  if (grown == nullptr) {
    return false;
  }
  std::memcpy(grown, deque.slots, static_cast<std::size_t>(capacity) * sizeof(nopal_frame*));
  install(deque, grown);
  return true;
}

void append(nopal_deque& deque, nopal_frame* frame) noexcept {
  __atomic_store_n(&deque.slots[deque.bottom], frame, __ATOMIC_RELAXED);
  // Pairs with the acquire load of `bottom` in force_publish, as the inlined push does.
  __atomic_store_n(&deque.bottom, deque.bottom + 1, __ATOMIC_RELEASE);
}

std::int32_t size(const nopal_deque& deque) noexcept {
  return __atomic_load_n(&deque.bottom, __ATOMIC_RELAXED) - __atomic_load_n(&deque.top, __ATOMIC_RELAXED);
}

bool has_public(const nopal_deque& deque) noexcept {
#ifdef NOPAL_DEQUE_LOCKFREE
  return size(deque) > 0;
#else
  return __atomic_load_n(&deque.split, __ATOMIC_ACQUIRE) > __atomic_load_n(&deque.top, __ATOMIC_ACQUIRE);
#endif
}

void unpoison(nopal_deque& deque) noexcept {
  __atomic_store_n(&deque.limit, capacity_of(deque.slots), __ATOMIC_RELAXED);
}

void poison(nopal_deque& deque) noexcept {
  // Read first: the line is the owner's, and most thieves find it poisoned already.
  if (__atomic_load_n(&deque.limit, __ATOMIC_RELAXED) != nopal_poisoned_limit) {
    __atomic_store_n(&deque.limit, nopal_poisoned_limit, __ATOMIC_RELAXED);
  }
}

}  // namespace deque
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
