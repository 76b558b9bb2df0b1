// The functions of <nopal/runtime.hpp> other than stats(), and what forks throw.

#include <nopal/detail/task.h>
#include <nopal/runtime.hpp>

#include "scheduler/observers.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/settings.hpp"

/// What the headers refer to: linking without the library, or with one of another binary interface,
/// fails on this name.
extern "C" NOPAL_EXPORT const char nopal_library_is_missing_or_differs_from_headers__expected_abi_3;
const char nopal_library_is_missing_or_differs_from_headers__expected_abi_3 = 1;

/// What the headers of this binary interface referred to at first.
extern "C" NOPAL_EXPORT const char nopal_headers_and_library_differ__expected_abi_3
    __attribute__((alias("nopal_library_is_missing_or_differs_from_headers__expected_abi_3")));

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

extern "C" NOPAL_EXPORT void nopal_throw_push_failure() {
  throw error("nopal: fork: this thread cannot become a worker: out of memory for its deque or for stacks");
}

extern "C" NOPAL_EXPORT void nopal_throw_foreign_scope(nopal_frame*) {
  throw error("nopal: a scope was forked on or joined by a function other than the one that made it: "
              "make a scope in every function that forks");
}

int known_workers(runtime& all) {
  // Relaxed: a number is all that is read. Who has configured another has stored 0 before, and finds that or what
  // was stored after.
  const int known = all.known_workers.load(std::memory_order_relaxed);
  return known != 0 ? known : known_settings(all).workers;
}

int known_workers_outside(runtime& all) {
  // Relaxed: as in known_workers.
  const int known = all.known_outside.load(std::memory_order_relaxed);
  if (known != 0) {
    return known;
  }
  const locked guard(all);
  settings_under_lock(all);
  return all.known_outside.load(std::memory_order_relaxed);
}

void configure(const configuration& with, bool keeps_to_arenas) {
  runtime& all = the_runtime();
  check_configuration(with);
  const locked guard(all);
  if (all.running.load(std::memory_order_relaxed)) {
    throw error(
        "nopal: configure: the runtime runs already; configure before the first fork, or after shutdown()");
  }
  const configuration asked = followed_by(all.asked, with);
  refuse_environment(asked);
  all.asked = asked;
  all.keeps_to_arenas = keeps_to_arenas;
  ++all.times_asked;
  forget_settings(all);
}

extern "C" NOPAL_EXPORT int nopal_workers_outside(void) { return known_workers_outside(the_runtime()); }

}  // namespace internal

int workers() { return internal::known_workers(internal::the_runtime()); }

void configure(const configuration& with) { internal::configure(with, false); }

int worker_index() noexcept {
  const internal::worker* self = internal::this_worker();
  self = self != nullptr ? self : internal::worker_of_observer_call();
  return self != nullptr ? self->index : -1;
}

void shutdown() {
  internal::promote_own();  // a caller in a strand is known by what is in its deque
  internal::runtime& all = internal::the_runtime();
  const internal::locked guard(all);
  if (!internal::stop_patiently(all)) {
    throw error("nopal: shutdown: strands are running; call it when every scope has been joined");
  }
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
