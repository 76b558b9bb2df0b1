// The lock-free deque with fences, for the evaluation: every entry is public at once, the owner
// pays a fence at each pop and a compare-and-exchange at each pop of the last entry. The version
// that guards against a rewritten slot is what lets indices start again at zero. Exceptions in
// flight at a fork are not recorded for thieves.

#include "deque/deque.hpp"

#ifdef NOPAL_DEQUE_LOCKFREE

#include "deque/shared_word.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

void reset(nopal_deque& deque) noexcept {
  poison(deque);
  shared_word word = load(deque);
  // Bottom first: a thief between the two steps finds the deque empty.
  __atomic_store_n(&deque.bottom, 0, __ATOMIC_SEQ_CST);
  while (!exchange(deque, word, {0, 0, next_version(word.version_and_raising)})) {
  }
}

void lose_all(nopal_deque& deque) noexcept {
  poison(deque);
  arch::end_change(word_address(deque));  // a thief may have been at it
  shared_word word = load(deque);
  while (!exchange(deque, word, {deque.bottom, deque.bottom, next_version(word.version_and_raising)})) {
  }
}

// Each entry is public once it is pushed; the youngest just was.
std::int32_t publish(nopal_deque&, std::int32_t) noexcept { return 1; }

std::int32_t publish(nopal_deque&, std::int32_t, void (*)(void*, nopal_frame*&), void*, bool) noexcept {
  return 1;
}

bool pop_slow(nopal_deque& deque, bool (*)(void*), void*, bool) noexcept {
  const std::int32_t wanted = deque.bottom;
  shared_word word = load(deque);
  for (;;) {
    if (wanted > word.top) {
      return true;
    }
    if (wanted < word.top) {
      __atomic_store_n(&deque.bottom, word.top, __ATOMIC_RELAXED);
      return false;
    }
    // The last entry: a new version takes it from under the thieves that have seen it.
    if (exchange(deque, word, {word.top, word.split, next_version(word.version_and_raising)})) {
      return true;
    }
  }
}

steal_outcome steal(nopal_deque& victim, nopal_frame*& frame, bool (*observe)(void*),
                    void* context) noexcept {
  shared_word word = load(victim);
  // The fence pairs with the owner's sequentially consistent store of `bottom` in its pop.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (__atomic_load_n(&victim.bottom, __ATOMIC_ACQUIRE) <= word.top) {
    return steal_outcome::empty;
  }
  nopal_frame** const slots = __atomic_load_n(&victim.public_slots, __ATOMIC_ACQUIRE);
  nopal_frame* const candidate = __atomic_load_n(&slots[word.top], __ATOMIC_RELAXED);
  if (!observe(context)) {
    return steal_outcome::lost;
  }
  if (!exchange(victim, word, {word.top + 1, word.split, word.version_and_raising})) {
    return steal_outcome::lost;
  }
  frame = candidate;
  return steal_outcome::taken;
}

bool force_publish(nopal_deque&, bool (*)(), bool (*)(void*), void*) noexcept { return false; }

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
