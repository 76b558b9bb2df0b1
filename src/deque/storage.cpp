// The slots of a deque: growth without moving what a thief may be reading.
//
// A grown deque keeps its old arrays until it is destroyed, chained through their first cell: a
// thief that loaded the old address still finds the entries it may take there, since neither side
// writes them any more. The arrays double, so all old ones together are smaller than the newest.

#include "deque/deque.hpp"

#include <cstdlib>
#include <cstring>

unsigned char nopal_latent_forks_used = 0;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

namespace {

constexpr std::int32_t first_capacity = 256;
constexpr std::int32_t largest_capacity = 1 << 30;

/// `previous` is a whole block, as is what the first cell of each refers to.
nopal_frame** allocate(std::int32_t capacity, void* previous) {
  const std::size_t cells = static_cast<std::size_t>(capacity) + slots_header;
  auto* const cells_begin =
      static_cast<nopal_frame**>(std::aligned_alloc(slots_line, cells * sizeof(nopal_frame*)));
  if (cells_begin == nullptr) {
    return nullptr;
  }
  nopal_frame** const slots = cells_begin + slots_header;
  std::memcpy(cells_begin, &previous, sizeof previous);
  const auto wide = static_cast<std::intptr_t>(capacity);
  std::memcpy(cells_begin + 1, &wide, sizeof wide);
  return slots;
}

void* previous_of(const void* block) {
  void* previous;
  std::memcpy(&previous, block, sizeof previous);
  return previous;
}

void install(nopal_deque& deque, nopal_frame** slots) {
  deque.owner_slots = slots;
  deque.slots_memory = slots - slots_header;
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
  for (void* block = deque.slots_memory; block != nullptr;) {
    void* const previous = previous_of(block);
    std::free(block);
    block = previous;
  }
  deque.owner_slots = nullptr;
  deque.slots_memory = nullptr;
  deque.public_slots = nullptr;
}

bool reserve(nopal_deque& deque, std::int32_t more) noexcept {
  const std::int32_t capacity = capacity_of(deque.owner_slots);
  if (capacity - deque.bottom >= more) {
    return true;
  }
  std::int32_t wanted = capacity;
  while (wanted < largest_capacity && wanted - deque.bottom < more) {
    wanted *= 2;
  }
  nopal_frame** const grown =
      // unreached: huge-deque
      wanted - deque.bottom >= more ? allocate(wanted, deque.slots_memory) : nullptr;
  if (grown == nullptr) {
    return false;
  }
  std::memcpy(grown, deque.owner_slots, static_cast<std::size_t>(capacity) * sizeof(nopal_frame*));
  install(deque, grown);
  return true;
}

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
