// What is stopped with a part, without being inside of it: contexts of groups that may outlive the part. A request
// reaches them by this list, and they learn by it where to belong once the part ends. Nobody but who has the lock
// reads a part through a follower, so no strand of a group looks at one that is gone. docs/speculation.md has the
// argument.

#include <pthread.h>

#include <nopal/detail/stop.h>

#include "scheduler/runtime.hpp"
#include "scheduler/stops.hpp"
#include "view/unwatched_lock.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {

namespace {

/// Of the list, and of what is followed while somebody looks at it.
pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
nopal_follower* first = nullptr;
/// Of processes: who does not go along into a child of fork(2) has an older one there.
std::uint32_t generation = 1;
constexpr std::uint32_t nobodys = 0;  ///< of who is in no list
/// How many are in the list. Atomic.
alignas(64) std::uint32_t listed = 0;

/// With the mutex.
void add(std::uint32_t& count, int change) noexcept {
  const std::uint32_t before = __atomic_load_n(&count, __ATOMIC_RELAXED);
  // Release pairs with the acquire in nopal_end_of_stop: at zero nobody looks at the part any more.
  __atomic_store_n(&count, before + static_cast<std::uint32_t>(change), __ATOMIC_RELEASE);
}

/// With the mutex: what `one` follows from here on.
void be_around(nopal_follower* one, nopal_stop* around) noexcept {
  // Relaxed: who looks without the mutex is in the part that it asks about, see `follows` in compat's stops.h.
  __atomic_store_n(&one->around, around, __ATOMIC_RELAXED);
  if (around != nullptr) {
    add(around->followers, +1);
  }
}

/// The follower whose group has that use; null: it is none's.
const nopal_follower* follower_of(const nopal_stop* use) noexcept {
  const void* const one =
      nopal_kind_of(use) == nopal_stop_use && use->parent == nullptr ? use->tokens : nullptr;
  return static_cast<const nopal_follower*>(one);
}

/// With the mutex: what is around a part, for those who follow it; null: nothing. Outside of a shield nobody is
/// followed.
nopal_stop* around(const nopal_stop* part) noexcept {
  if (nopal_kind_of(part) == nopal_stop_shield) {
    return nullptr;
  }
  const nopal_follower* const by = follower_of(part);
  return by == nullptr ? part->parent : by->generation == generation ? by->around : nullptr;
}

/// With the mutex. Also if what is between was stopped, and is used again since.
bool is_to_stop(const nopal_follower* one) noexcept {
  if (nopal_is_asked_to_stop(one->target) != 0) {
    return false;
  }
  for (const nopal_stop* part = one->around; part != nullptr; part = around(part)) {
    if (nopal_kind_of(part) != nopal_stop_shield && nopal_is_asked_to_stop(part) != 0) {
      return true;
    }
  }
  return false;
}

/// With the mutex.
void enter(nopal_follower* one, nopal_stop* around) noexcept {
  be_around(one, around);
  one->generation = generation;
  one->next = first;
  one->to_this = &first;
  if (first != nullptr) {
    first->to_this = &one->next;
  }
  first = one;
  add(listed, +1);
}

/// With the mutex, one that is in the list.
void leave(nopal_follower* one) noexcept {
  *one->to_this = one->next;
  if (one->next != nullptr) {
    one->next->to_this = one->to_this;
  }
  one->generation = nobodys;
  add(listed, -1);
}

/// Whether the calling thread has a strand in the part.
bool is_around_this_thread(const nopal_stop* part) noexcept {
  for (const nopal_stop* one = this_outside_part(); one != nullptr; one = one->parent) {
    if (one == part) return true;
  }
  for (worker* self = this_worker(); self != nullptr; self = self->outer) {
    const stop_step* const steps = steps_of(self->stops);
    const nopal_stop* before = nullptr;
    for (std::uint32_t i = 0; i < self->stops.count.load(std::memory_order_relaxed); ++i) {
      const nopal_stop* const step = steps[i].part.load(std::memory_order_relaxed);
      // The step before has the rest, as a rule.
      for (const nopal_stop* one = step; one != nullptr && one != before; one = one->parent) {
        if (one == part) return true;
      }
      before = step;
    }
  }
  return false;
}

/// What a follower goes on to follow that followed the part in the parent; null: nothing. What other threads are in is
/// over here, and the memory may be used anew. Groups stay, if they follow something.
nopal_stop* around_in_new_process(nopal_stop* part) noexcept {
  while (part != nullptr && !is_around_this_thread(part)) {
    const nopal_follower* const group = follower_of(part);
    if (group != nullptr) {
      return group->generation == generation ? part : nullptr;
    }
    part = around(part);
  }
  return part;
}

}  // namespace

void lock_followers() noexcept { pthread_mutex_lock(&list_mutex); }
void unlock_followers() noexcept { pthread_mutex_unlock(&list_mutex); }

void forget_followers() noexcept {
  list_mutex = PTHREAD_MUTEX_INITIALIZER;
  first = nullptr;
  ++generation;
  __atomic_store_n(&listed, 0U, __ATOMIC_RELAXED);
}

void take_followers_along() noexcept {
  nopal_follower* left = nullptr;  // the oldest first: who follows a group comes after that one
  for (nopal_follower* one = first; one != nullptr;) {
    nopal_follower* const next = one->next;
    one->next = left;
    left = one;
    one = next;
  }
  forget_followers();
  while (left != nullptr) {
    nopal_follower* const one = left;
    left = one->next;
    if (nopal_stop* const part = around_in_new_process(one->around)) {
      enter(one, part);
    }
  }
}

}  // namespace stops

extern "C" {

NOPAL_EXPORT void nopal_tell_followers() {
  // Between the request and the look; pairs with the fence in nopal_follow_stop: who begins to follow finds the request,
  // or this finds the follower.
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (__atomic_load_n(&stops::listed, __ATOMIC_RELAXED) == 0) {
    return;
  }
  const view::unwatched_lock guard(stops::list_mutex);
  // Some follow what others stop.
  for (bool any = true; any;) {
    any = false;
    for (nopal_follower* one = stops::first; one != nullptr; one = one->next) {
      if (stops::is_to_stop(one)) {
        static_cast<void>(stops::request(one->target));
        any = true;
      }
    }
  }
}

NOPAL_EXPORT void nopal_follow_stop(nopal_follower* follower, nopal_stop* target, nopal_stop* around) {
  const view::unwatched_lock guard(stops::list_mutex);
  follower->target = target;
  stops::enter(follower, around);
  // Pairs with the fence in nopal_tell_followers.
  NOPAL_FAULT_OMITS("follower not fenced", __atomic_thread_fence(__ATOMIC_SEQ_CST));
  if (stops::is_to_stop(follower)) {
    static_cast<void>(stops::request(target));
  }
}

NOPAL_EXPORT void nopal_unfollow_stop(nopal_follower* follower) {
  const view::unwatched_lock guard(stops::list_mutex);
  if (follower->generation != stops::generation) {
    return;
  }
  stops::leave(follower);
  if (follower->around != nullptr) {
    stops::add(follower->around->followers, -1);
  }
}

NOPAL_EXPORT void nopal_follow_again(nopal_follower* follower) {
  const view::unwatched_lock guard(stops::list_mutex);
  if (follower->generation == stops::generation && stops::is_to_stop(follower)) {
    static_cast<void>(stops::request(follower->target));
  }
}

NOPAL_EXPORT void nopal_let_followers_go(nopal_stop* part) {
  const view::unwatched_lock guard(stops::list_mutex);
  nopal_stop* const outer = stops::around(part);  // lasts longer
  for (nopal_follower *one = stops::first, *next = nullptr; one != nullptr; one = next) {
    next = one->next;
    if (one->around != part) {
      continue;
    }
    stops::be_around(one, NOPAL_FAULT("follows what is gone") ? part : outer);
    if (one->around == nullptr) {
      stops::leave(one);
    }
  }
}

}  // extern "C"

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
