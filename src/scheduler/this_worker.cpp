// The thread-local variables of the library, but for reducers' views, and the deque of threads that
// are not workers.

#include "scheduler/worker.hpp"

#include <nopal/detail/pinned.h>
#include <nopal/detail/quiet_loops.h>

// The deque of threads that are not workers. A push reads it, finds the limit poisoned and writes
// nothing. It lies in read-only memory, so that a stray pop faults at once. The null behind it says
// that there is no scheduler stack.
extern "C" {
struct nobody_worker {
  nopal_deque deque;
  void* scheduler_stack_pointer;
};
alignas(nopal::internal::worker) static const nobody_worker nobody = {};
__thread nopal_deque* nopal_current __attribute__((tls_model("initial-exec"))) =
    const_cast<nopal_deque*>(&nobody.deque);

// Under a name that is never bound to another copy of the library.
extern __thread nopal_deque* nopal_own_current
    __attribute__((alias("nopal_current"), visibility("hidden"), tls_model("initial-exec")));

// With a value, which has it lie among the few that have one, where its alignment costs least: the C library has room for 1,600
// bytes in all plug-ins, and each that has a copy of the library takes 512 of them.
alignas(64) __thread nopal_quiet_loops nopal_quiet
    __attribute__((tls_model("initial-exec"))) = {1, 0, {}, {}, {}};
static_assert(sizeof(nopal_quiet_loops) == 64);

// Of the root whose strand the thread runs.
static __thread const void* nopal_this_local __attribute__((tls_model("initial-exec"))) = nullptr;

static __thread const char* nopal_this_pinned_at __attribute__((tls_model("initial-exec"))) = nullptr;
static __thread nopal_stop* nopal_this_outside_part __attribute__((tls_model("initial-exec"))) = nullptr;

static __thread bool started_by_pool __attribute__((tls_model("initial-exec")));

__attribute__((weak)) nopal::internal::exception_state* __cxa_get_globals() noexcept;
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

// Not inlined anywhere: strands change threads, and the compiler may keep a thread-local's address.
[[gnu::noinline]] worker* this_worker() noexcept {
  nopal_deque* const current = nopal_current;
  return current == &nobody.deque ? nullptr : reinterpret_cast<worker*>(current);
}

[[gnu::noinline]] void set_this_worker(worker* self) noexcept {
  nopal_current = self == nullptr ? const_cast<nopal_deque*>(&nobody.deque) : &self->deque;
}

[[gnu::noinline]] bool is_thread_of_pool() noexcept { return started_by_pool; }
[[gnu::noinline]] void set_thread_of_pool(bool is_one) noexcept { started_by_pool = is_one; }

[[gnu::noinline]] void set_this_local(const void* value) noexcept { nopal_this_local = value; }
extern "C" NOPAL_EXPORT [[gnu::noinline]] const void* nopal_local() { return nopal_this_local; }

[[gnu::noinline]] const char* this_pinned_at() noexcept { return nopal_this_pinned_at; }
[[gnu::noinline]] void set_this_pinned_at(const char* address) noexcept { nopal_this_pinned_at = address; }
[[gnu::noinline]] nopal_stop* this_outside_part() noexcept { return nopal_this_outside_part; }
[[gnu::noinline]] void set_this_outside_part(nopal_stop* part) noexcept { nopal_this_outside_part = part; }

[[gnu::noinline]] exception_state* this_thread_exceptions() noexcept {
  return __cxa_get_globals != nullptr ? __cxa_get_globals() : nullptr;  // unreached: no-c++-state
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
