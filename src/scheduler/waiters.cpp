// Waits for events and mutexes.
//
// Waiters are listed in the word that they wait for, the latest first, by one compare-and-exchange.
// Whoever sets the event takes the whole list by an exchange. Whoever unlocks a mutex that somebody
// waits for takes the list likewise, turns it round, and hands the mutex to the first; the rest goes
// along. So a mutex with waiters is never free, and nobody passes those that wait.
//
// A waiter's record, and the event or mutex itself, may be gone as soon as the waiter is woken. So the
// record is read before, and the object is not touched any more.

#include "scheduler/waiters.hpp"

#include <cerrno>

#include <nopal/detail/blocking.h>
#include <nopal/detail/noise.h>

#include "sanitizers/sanitizers.hpp"
#include "scheduler/ready.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr int looks_before_waiting = NOPAL_BOUND(30, 1);
constexpr std::uint64_t look_again_ns = 1'000'000;
constexpr int most_wakes = 1000;

/// Which process's waiters a word lists, in the bits that the alignment of a waiter leaves. In a child
/// of fork(2) those of its parent are gone, and others may have their stacks: a word that lists them
/// counts as empty.
std::uintptr_t process_bits() noexcept {
  constexpr std::uintptr_t numbers = alignof(waiter) / 2;
  return the_runtime().generation % numbers * 2;
}
std::uintptr_t as_word(waiter& one) noexcept {
  return reinterpret_cast<std::uintptr_t>(&one) | process_bits();
}
/// Null for those of an older process, and for no waiter.
waiter* as_waiter(std::uintptr_t word) noexcept {
  constexpr std::uintptr_t bits = alignof(waiter) - 1;
  return word > bits && (word & bits) == process_bits() ? reinterpret_cast<waiter*>(word & ~bits) : nullptr;
}

/// Puts the waiter before `seen`, the list that it goes on with.
bool try_to_enter(waiter& self, std::uintptr_t& word, std::uintptr_t& seen) noexcept {
  NOPAL_PLAIN_STORE(self.next, as_waiter(seen));
  NOPAL_PLAIN_WRITE(self.next);
  // Release pairs with the acquire of whoever takes the list: the record is complete.
  return __atomic_compare_exchange_n(&word, &seen, as_word(self), false,
                                     NOPAL_FAULT_ORDER("entered relaxed", __ATOMIC_RELEASE),
                                     __ATOMIC_RELAXED);
}

bool enter_event(waiter& self, void* object) noexcept {
  std::uintptr_t& word = static_cast<nopal_event*>(object)->state;
  for (;;) {
    // Acquire pairs with the release of whoever sets the event.
    std::uintptr_t seen = __atomic_load_n(&word, __ATOMIC_ACQUIRE);
    if (seen == nopal_event_set) {
      return false;
    }
    if (try_to_enter(self, word, seen)) {
      return true;
    }
  }
}

bool enter_mutex(waiter& self, void* object) noexcept {
  std::uintptr_t& word = static_cast<nopal_mutex*>(object)->state;
  std::uintptr_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  for (;;) {
    if (seen != nopal_mutex_free) {
      if (try_to_enter(self, word, seen)) {
        return true;
      }
      // Acquire pairs with the release of whoever unlocked it.
    } else if (__atomic_compare_exchange_n(&word, &seen, std::uintptr_t{nopal_mutex_locked}, false,
                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return false;
    }
  }
}

/// The list the other way round.
waiter* turned(waiter* latest) noexcept {
  waiter* first = nullptr;
  while (latest != nullptr) {
    NOPAL_PLAIN_READ(latest->next);
    waiter* const before = NOPAL_PLAIN_LOAD(latest->next);
    NOPAL_PLAIN_STORE(latest->next, first);
    NOPAL_PLAIN_WRITE(latest->next);
    first = latest;
    latest = before;
  }
  return first;
}

/// Has the thread wait, with another one in its worker's place.
void wait_as_thread(waiter& self) noexcept {
  const std::uint32_t begun = nopal_begin_blocking();
  // Acquire pairs with the release in wake.
  while (self.is_woken.load(std::memory_order_acquire) == 0) {
    if (the_runtime().wakes_work) {
      os::futex_wait(self.is_woken, 0);
    } else {
      os::futex_wait_for(self.is_woken, 0, look_again_ns);  // unreached: no-wakes
    }
  }
  nopal_end_blocking(begun);
}

/// Returns once it was woken, or there was nothing to wait for.
void wait(waiter& self) noexcept {
  if (wait_suspended(self)) {
    sanitizers::after_at_any_time(&self);
  } else if (self.enter(self, self.object)) {
    wait_as_thread(self);
    sanitizers::after_at_any_time(&self);
  }
}

/// The strand goes on at home: its own thread is told, or any worker may take it.
void wake_strand(ready_strand& strand) noexcept {
  worker* const owner = strand.frame->home->native_owner;
  if (owner == nullptr) {
    make_ready(strand);
    return;
  }
  // Sequentially consistent, as in resume_at_home.
  owner->inbox.store(strand.frame, std::memory_order_seq_cst);
  NOPAL_DISTURB();
  unpark(owner);
}

/// Of a waiter that was taken out of its list.
void wake(waiter& one) noexcept {
  sanitizers::before_at_any_time(&one);
  if (NOPAL_PLAIN_LOAD(one.strand.frame) != nullptr) {
    wake_strand(one.strand);
    return;
  }
  std::atomic<std::uint32_t>& word = one.is_woken;
  // Release pairs with the acquire in wait_as_thread. The waiter may go on at once, and the word be
  // gone: to wake a sleeper that is not there does no harm.
  word.store(1, NOPAL_FAULT_ORDER("woken relaxed", std::memory_order_release));
  NOPAL_DISTURB();
  // Where the system refuses, again for a while, as for workers: the waiter would sleep for ever.
  for (int attempt = 0; os::futex_wake(word, 1) < 0 && errno != EFAULT && attempt < most_wakes; ++attempt) {
    os::yield();  // unreached: refused-wakes
  }
}

}  // namespace

extern "C" NOPAL_EXPORT void nopal_wait_for_event(nopal_event* event) {
  for (int looks = 0; looks < looks_before_waiting; ++looks) {
    // Acquire pairs with the release of whoever sets it.
    if (__atomic_load_n(&event->state, __ATOMIC_ACQUIRE) == nopal_event_set) {
      break;
    }
    os::cpu_relax();
  }
  waiter self{.enter = enter_event, .object = event};
  wait(self);
  sanitizers::after_at_any_time(&event->state);
}

extern "C" NOPAL_EXPORT void nopal_wake_waiters(std::uintptr_t state) {
  for (waiter* one = turned(as_waiter(state)); one != nullptr;) {
    waiter* const next = NOPAL_PLAIN_LOAD(one->next);
    wake(*one);
    one = next;
  }
}

extern "C" NOPAL_EXPORT void nopal_lock_mutex(nopal_mutex* mutex) {
  for (int looks = 0; looks < looks_before_waiting; ++looks) {
    std::uintptr_t seen = __atomic_load_n(&mutex->state, __ATOMIC_RELAXED);
    // Acquire pairs with the release of whoever unlocked it.
    if (seen == nopal_mutex_free &&
        __atomic_compare_exchange_n(&mutex->state, &seen, std::uintptr_t{nopal_mutex_locked}, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      sanitizers::after_at_any_time(&mutex->state);
      return;
    }
    if (seen != nopal_mutex_free && seen != nopal_mutex_locked) {
      break;  // who waits comes first
    }
    os::cpu_relax();
  }
  waiter self{.enter = enter_mutex, .object = mutex};
  wait(self);
  sanitizers::after_at_any_time(&mutex->state);
}

extern "C" NOPAL_EXPORT void nopal_unlock_mutex(nopal_mutex* mutex) {
  sanitizers::before_at_any_time(&mutex->state);
  NOPAL_PLAIN_READ(mutex->queue);
  waiter* first = as_waiter(reinterpret_cast<std::uintptr_t>(NOPAL_PLAIN_LOAD(mutex->queue)));
  while (first == nullptr) {
    NOPAL_PLAIN_STORE(mutex->queue, nullptr);
    NOPAL_PLAIN_WRITE(mutex->queue);
    NOPAL_FAULT_DOES("waiters passed over",
                     __atomic_store_n(&mutex->state, std::uintptr_t{nopal_mutex_free}, __ATOMIC_RELEASE);
                     return);
    std::uintptr_t seen = nopal_mutex_locked;
    // Release pairs with the acquire of who locks it next. A waiter may have come since the caller
    // looked; none goes.
    if (__atomic_compare_exchange_n(&mutex->state, &seen, std::uintptr_t{nopal_mutex_free}, false,
                                    NOPAL_FAULT_ORDER("unlocked relaxed", __ATOMIC_RELEASE),
                                    __ATOMIC_RELAXED)) {
      return;  // unreached: race
    }
    // Acquire pairs with the release of those who entered the list.
    seen = __atomic_exchange_n(&mutex->state, std::uintptr_t{nopal_mutex_locked},
                               NOPAL_FAULT_ORDER("list taken relaxed", __ATOMIC_ACQUIRE));
    first = turned(as_waiter(seen));
  }
  waiter* const next = NOPAL_PLAIN_LOAD(first->next);
  NOPAL_PLAIN_STORE(mutex->queue, next == nullptr ? nullptr : reinterpret_cast<void*>(as_word(*next)));
  NOPAL_PLAIN_WRITE(mutex->queue);
  wake(*first);  // which holds the mutex
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
