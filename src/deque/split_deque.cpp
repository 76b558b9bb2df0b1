// The split, asymmetric deque: its owner pays no fence and no read-modify-write for private
// entries.
//
// The shared word holds top, split, a version and the flag `raising`. Who moves what, always by one
// compare-and-exchange of the whole word:
//   owner    raises split (publish); lowers it (pop_slow; a new version); ends a raise that it meets
//            (pop_slow, and publish if it is told to; a new version);
//   thief    advances top while top < split and nobody raises; raises split with the flag set (a new
//            version), and after the process-wide barrier settles it with the flag cleared.
// The version changes at every step after which a slot below `split` may be rewritten, so a thief
// that read a slot and then changes the word unopposed read the entry it takes. docs/deque.md has
// the argument.

#include "deque/deque.hpp"

#if !defined(NOPAL_DEQUE_THE) && !defined(NOPAL_DEQUE_LOCKFREE)

#include "deque/shared_word.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace deque {

namespace {

/// A deque whose first entries were stolen goes on behind them as long as its entries share a cache
/// line.
constexpr std::int32_t places_to_leave = 8;

/// Pairs with the exchange by which a thief raises: a split seen before this is not of a later version.
std::uint64_t version_of(const nopal_deque& deque) noexcept {
  return __atomic_load_n(&deque.version_and_raising, __ATOMIC_RELAXED);
}

template <class Record>
[[gnu::always_inline]] inline std::int32_t publish_recorded(nopal_deque& deque, std::int32_t most,
                                                            Record record, bool ends_raise) {
  shared_word word = load(deque);
  // By the last attempt. A thief may raise the split between two of them, or settle it lower.
  std::int32_t recorded_from = 0;
  std::int32_t recorded_to = 0;
  for (;;) {
    const bool is_raised = (word.version_and_raising & raising) != 0;
    // A raise begins where nothing is public, and until it is settled nothing is.
    const std::int32_t from = is_raised ? word.top : word.split;
    const std::int32_t split = from + most < deque.bottom ? from + most : deque.bottom;
    if ((is_raised && !ends_raise) || split <= from) {
      if (ends_raise && word.version_and_raising != version_of(deque) &&
          !NOPAL_FAULT("raised split believed")) {
        word = load(deque);  // the split may be one that a thief has just raised
        continue;
      }
      return 0;  // A thief is at it already, or there is nothing private.
    }
    for (std::int32_t i = from; i < split; ++i) {
      if (i < recorded_from ||  // unreached: race
          // unreached: race
          (i >= recorded_to && (recorded_to == 0 || !NOPAL_FAULT("recorded at first only")))) {
        record(deque.owner_slots[i]);
      }
    }
    recorded_from = from;
    recorded_to = split;
    const std::uint64_t version =
        is_raised ? next_version(word.version_and_raising) : word.version_and_raising;
    if (exchange(deque, word, {word.top, split, version})) {
      return split - from;
    }
  }
}

}  // namespace

void reset(nopal_deque& deque) noexcept {
  poison(deque);
  if (deque.bottom < places_to_leave) {
    return;
  }
  // Bottom first; the exchange is a full barrier, and thieves read the word before `bottom`. In the
  // other order a thief between the two steps takes the old `bottom` for a private entry and
  // publishes one that was stolen already.
  __atomic_store_n(&deque.bottom, 0, __ATOMIC_RELAXED);
  NOPAL_DISTURB();
  shared_word word = load(deque);
  while (!exchange(deque, word, {0, 0, next_version(word.version_and_raising)})) {  // unreached: race
  }
}

void lose_all(nopal_deque& deque) noexcept {
  poison(deque);
  arch::end_change(word_address(deque));  // a thief may have been at it
  shared_word word = load(deque);
  // unreached: race
  while (!exchange(deque, word, {deque.bottom, deque.bottom, next_version(word.version_and_raising)})) {
  }
}

std::int32_t publish(nopal_deque& deque, std::int32_t most) noexcept {
  return publish_recorded(deque, most, [](nopal_frame*&) {}, false);
}

std::int32_t publish(nopal_deque& deque, std::int32_t most, void (*record)(void*, nopal_frame*&),
                     void* context, bool ends_raise) noexcept {
  return publish_recorded(
      deque, most, [record, context](nopal_frame*& slot) { record(context, slot); }, ends_raise);
}

bool pop_slow(nopal_deque& deque, bool (*allowed)(void*), void* context, bool keeps_public) noexcept {
  const std::int32_t wanted = deque.bottom;
  shared_word word = load(deque);
  for (;;) {
    shared_word next = word;
    if ((word.version_and_raising & raising) != 0) {
      // End the raise: the entries below the wanted one become public at once, if that is allowed.
      // The owner asks itself, since the thief has asked too early, or not yet.
      const std::int32_t split = NOPAL_FAULT("raise ended unchecked") || allowed(context) ? wanted : word.top;
      next.split = split < word.split ? split : word.split;  // unreached: race
      next.split = next.split < word.top ? word.top : next.split;
      next.version_and_raising = next_version(word.version_and_raising);
      // unreached below: race
      if (!exchange(deque, word, next)) {
        continue;
      }
      word = next;
    }
    if (wanted >= word.split && wanted >= word.top) {  // unreached: top-below-split
      return true;
    }
    if (wanted < word.top) {
      // Stolen, or the deque was empty: the strand came here from another worker.
      __atomic_store_n(&deque.bottom, word.top, __ATOMIC_RELAXED);
      return false;
    }
    // Public still: take back the younger half, `wanted` among it, and leave the oldest where
    // thieves find it.
    next.split = keeps_public ? wanted : word.top + (wanted - word.top + 1) / 2;
    next.version_and_raising = next_version(word.version_and_raising);
    if (exchange(deque, word, next)) {
      return true;
    }
  }
}

steal_outcome steal(nopal_deque& victim, nopal_frame*& frame, bool (*observe)(void*),
                    void* context) noexcept {
  // Fetched beside the word: as a rule the oldest entries are what there is to steal. No more than
  // a hint, since the array may be exchanged before the word is read.
  __builtin_prefetch(__atomic_load_n(&victim.public_slots, __ATOMIC_RELAXED));
  shared_word word = load(victim);
  if ((word.version_and_raising & raising) != 0) {
    return steal_outcome::lost;
  }
  if (word.top >= word.split) {
    // Acquire pairs with the owner's release in push; only a hint here.
    if (__atomic_load_n(&victim.bottom, __ATOMIC_ACQUIRE) <= word.top) {
      return steal_outcome::empty;
    }
    poison(victim);
    return steal_outcome::private_only;
  }
  // Acquire pairs with install: the array holds every entry that was public when it was installed.
  nopal_frame** const slots = __atomic_load_n(&victim.public_slots, __ATOMIC_ACQUIRE);
  nopal_frame* const candidate = __atomic_load_n(&slots[word.top], __ATOMIC_RELAXED);
  NOPAL_DISTURB();
  // unreached below: race
  if (!observe(context)) {
    return steal_outcome::lost;
  }
  if (!exchange(victim, word, {word.top + 1, word.split, word.version_and_raising})) {
    return steal_outcome::lost;
  }
  NOPAL_DISTURB();
  if (word.top + 1 == word.split) {
    poison(victim);  // The last public one: the owner is to publish more at its next push.
  }
  frame = candidate;
  return steal_outcome::taken;
}

bool force_publish(nopal_deque& victim, bool (*process_barrier)(), bool (*allowed)(void*),
                   void* context) noexcept {
  shared_word word = load(victim);
  const std::int32_t seen_bottom = __atomic_load_n(&victim.bottom, __ATOMIC_ACQUIRE);
  const std::int32_t private_entries = seen_bottom - word.split;
  if ((word.version_and_raising & raising) != 0 || word.top != word.split || private_entries <= 0) {
    return false;
  }
  shared_word raised = {word.top, word.split + (private_entries + 1) / 2,
                        next_version(word.version_and_raising) | raising};
  if (!exchange(victim, word, raised)) {
    return false;
  }
  NOPAL_DISTURB();
  // After the barrier every pop either is visible in `bottom` or will see the raised split and come
  // to pop_slow.
  bool ordered = process_barrier();
  NOPAL_FAULT_DOES("allowed too early", ordered = ordered && allowed(context));
  NOPAL_DISTURB();
  // Acquire pairs with the owner's release in push and pop: entries below `bottom` and their frames
  // are visible, and what the owner did before it pushed them.
  const std::int32_t bottom = __atomic_load_n(&victim.bottom, __ATOMIC_ACQUIRE);
  NOPAL_DISTURB();
  // Asked only now: these entries either stay until the last step or make it fail. Before the
  // barrier the owner could have popped a private entry, entered a handler, and pushed another
  // entry into its slot.
  const bool granted = ordered && (NOPAL_FAULT("allowed too early") || allowed(context));
  NOPAL_DISTURB();
  shared_word settled = raised;
  settled.version_and_raising &= ~raising;
  settled.split = bottom < raised.split ? bottom : raised.split;
  settled.split = !granted || settled.split < raised.top ? raised.top : settled.split;
  // A failed exchange means that the owner came by and ended the raise itself.
  return exchange(victim, raised, settled) && settled.split > settled.top;
}

}  // namespace deque
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
