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
/// Of processes: in a child of fork(2) nobody follows.
std::uint32_t generation = 1;
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
  one->around = around;
  if (around != nullptr) {
    add(around->followers, +1);
  }
}

bool is_to_stop(const nopal_follower* one) noexcept {
  return nopal_is_asked_to_stop(one->target) == 0 && nopal_is_stopped(one->around) != 0;
}

}  // namespace

void forget_followers() noexcept {
  list_mutex = PTHREAD_MUTEX_INITIALIZER;  // the thread that has it is not in this process
  first = nullptr;
  ++generation;
  __atomic_store_n(&listed, 0U, __ATOMIC_RELAXED);
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
  stops::be_around(follower, around);
  follower->generation = stops::generation;
  follower->next = stops::first;
  follower->to_this = &stops::first;
  if (stops::first != nullptr) {
    stops::first->to_this = &follower->next;
  }
  stops::first = follower;
  stops::add(stops::listed, +1);
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
  *follower->to_this = follower->next;
  if (follower->next != nullptr) {
    follower->next->to_this = follower->to_this;
  }
  stops::add(stops::listed, -1);
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
  // What is around the part lasts longer. Outside of a shield nobody is followed.
  nopal_stop* const outer = nopal_kind_of(part) != nopal_stop_shield ? part->parent : nullptr;
  for (nopal_follower* one = stops::first; one != nullptr; one = one->next) {
    if (one->around == part) {
      stops::be_around(one, NOPAL_FAULT("follows what is gone") ? part : outer);
    }
  }
}

}  // extern "C"

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
