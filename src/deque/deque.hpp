// The deque of forks whose continuation may be stolen: what the scheduler asks of it, whichever
// protocol is built.
//
// All functions work on a `nopal_deque` and on nothing else: no thread, no global, no allocation
// but the slots. Invariants: top <= split <= bottom between operations of the owner; only the owner
// writes slots, `bottom` and the slot array; only a successful compare-and-exchange of the shared
// word moves `top` or `split`.
#ifndef NOPAL_DEQUE_DEQUE_HPP
#define NOPAL_DEQUE_DEQUE_HPP

#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "deque/latent_mode.hpp"
#include "deque/slots.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

/// What a thief found.
enum class steal_outcome {
  taken,         ///< the oldest entry is the thief's
  lost,          ///< another thief or the owner was faster; worth another look
  private_only,  ///< there are entries, none public; the limit is poisoned now
  empty,
};

/// Allocates the first slots; false if there is no memory.
bool make(nopal_deque& deque) noexcept;

/// Frees every slot array. Nobody may be using the deque.
void destroy(nopal_deque& deque) noexcept;

/// Owner, with an empty deque: poisons the limit, so that the next push takes the slow path. Starts
/// again at the first slot if many entries were stolen.
void reset(nopal_deque& deque) noexcept;

/// In a child of fork(2), which has no thieves: empties the deque, as if all entries had been
/// stolen, and forgets what a thief of the parent had begun.
void lose_all(nopal_deque& deque) noexcept;

/// Owner: makes room for one more entry, or for `more`; false if there is no memory. Constant
/// amortized time for each.
bool reserve(nopal_deque& deque, std::int32_t more = 1) noexcept;

// Always inlined: nopal_push_and_publish must not call code that was compiled to use vector
// registers.

/// Owner: whether there is room for one more entry.
[[gnu::always_inline]] inline bool has_room(const nopal_deque& deque) noexcept {
  return deque.bottom < capacity_of(deque.owner_slots);
}

/// Owner: appends `frame`, for which there is room.
[[gnu::always_inline]] inline void append(nopal_deque& deque, nopal_frame* frame) noexcept {
  __atomic_store_n(&deque.owner_slots[deque.bottom], frame, __ATOMIC_RELAXED);
  // Pairs with the acquire load of `bottom` in force_publish, as the inlined push does.
  __atomic_store_n(&deque.bottom, deque.bottom + 1, __ATOMIC_RELEASE);
}

/// Whether the owner comes to pop_slow at each pop of a public entry: else programs cannot be profiled.
#if defined(NOPAL_DEQUE_LOCKFREE) || defined(NOPAL_DEQUE_THE)
inline constexpr bool shows_public_pops = false;
#else
inline constexpr bool shows_public_pops = true;
#endif

/// Owner: how many entries there are, public ones included. A snapshot for anyone else.
[[gnu::always_inline]] inline std::int32_t size(const nopal_deque& deque) noexcept {
  return __atomic_load_n(&deque.bottom, __ATOMIC_RELAXED) - __atomic_load_n(&deque.top, __ATOMIC_RELAXED);
}

/// Whether some entry is public, or being made so. A snapshot.
[[gnu::always_inline]] inline bool has_public(const nopal_deque& deque) noexcept {
#if defined(NOPAL_DEQUE_LOCKFREE) || defined(NOPAL_DEQUE_THE)
  return size(deque) > 0;
#else
  return __atomic_load_n(&deque.split, __ATOMIC_ACQUIRE) > __atomic_load_n(&deque.top, __ATOMIC_ACQUIRE);
#endif
}

/// Whether there are entries, as thieves see it. Leaves the owner's cache line alone if there are
/// public ones. A snapshot.
[[gnu::always_inline]] inline bool has_entries(const nopal_deque& deque) noexcept {
  return has_public(deque) || size(deque) > 0;
}

/// Owner: lets pushes take the fast path again; where forks may be latent, lets these be so, and no
/// push take the fast path.
[[gnu::always_inline]] inline void unpoison(nopal_deque& deque) noexcept {
  const std::int32_t limit =
      nopal_latent_forks_used != 0 ? nopal_latent_limit : capacity_of(deque.owner_slots);
  __atomic_store_n(&deque.limit, limit, __ATOMIC_RELAXED);
}

/// Anyone: sends the owner's next push to the slow path.
[[gnu::always_inline]] inline void poison(nopal_deque& deque) noexcept {
  // Read first: the line is the owner's, and most thieves find it poisoned already.
  if (__atomic_load_n(&deque.limit, __ATOMIC_RELAXED) != nopal_poisoned_limit) {
    __atomic_store_n(&deque.limit, nopal_poisoned_limit, __ATOMIC_RELAXED);
  }
}

/// Owner, with an entry: sends its next push to the slow path, though nobody asked for anything.
[[gnu::always_inline]] inline void owe(nopal_deque& deque) noexcept {
  __atomic_store_n(&deque.limit, nopal_owed_limit, __ATOMIC_RELAXED);
}

/// How many of its entries an owner publishes at once: half, but no more than thieves may take in a
/// while.
[[gnu::always_inline]] inline std::int32_t publish_batch(std::int32_t entries) noexcept {
  constexpr std::int32_t most = 16;
  return entries < 2 * most ? (entries + 1) / 2 : most;
}

/// Owner: makes up to `most` more entries public, the oldest first. Returns how many. Touches
/// general registers only.
std::int32_t publish(nopal_deque& deque, std::int32_t most) noexcept;

/// The same; calls `record` for the slot of each before, perhaps more than once, and perhaps for
/// some that stay private. While a thief forces a publication, nothing is published, unless
/// `ends_raise`: then that one comes to nothing.
std::int32_t publish(nopal_deque& deque, std::int32_t most, void (*record)(void* context, nopal_frame*& slot),
                     void* context, bool ends_raise = false) noexcept;

/// Owner: `bottom` was lowered onto an entry that is or was public, or that a thief is about to
/// publish. True if the owner gets the entry. If a forced publish is under way and
/// `allowed(context)`, the entries below become public. `keeps_public`: those that are, stay so; else half
/// of them become private.
bool pop_slow(nopal_deque& deque, bool (*allowed)(void* context), void* context,
              bool keeps_public = false) noexcept;

/// Thief: takes the oldest public entry. `observe(context)` runs after the entry was seen and
/// before it is taken; if the outcome is `taken`, what it read of the victim held while the entry
/// was in the deque. If it returns false, the entry stays.
steal_outcome steal(nopal_deque& victim, nopal_frame*& frame, bool (*observe)(void* context),
                    void* context) noexcept;

/// Thief: makes private entries public although the owner takes no slow path. `allowed(context)`
/// may refuse: it runs once it is known which entries, and sees what the owner did before it pushed
/// them. `process_barrier` orders this thread against every other of the process, or returns false.
bool force_publish(nopal_deque& victim, bool (*process_barrier)(), bool (*allowed)(void* context),
                   void* context) noexcept;

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
