// The one thread-local variable of the library, and the deque of threads that are not workers.

#include "scheduler/worker.hpp"

// The deque of nobody: read by pushes of threads not adopted, which find the limit poisoned and write nothing. It
// lies in read-only memory, so that a stray pop ends at once.
extern "C" {
alignas(64) static const nopal_deque nobody = {};
__thread nopal_deque* nopal_current __attribute__((tls_model("initial-exec"))) = const_cast<nopal_deque*>(&nobody);

__attribute__((weak)) nopal::exception_state* __cxa_get_globals() noexcept;
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {

// Not inlined anywhere: strands change threads, and the compiler may keep a thread-local's address.
[[gnu::noinline]] worker* this_worker() noexcept {
  nopal_deque* const current = nopal_current;
  return current == &nobody ? nullptr : reinterpret_cast<worker*>(current);
}

[[gnu::noinline]] void set_this_worker(worker* self) noexcept {
  nopal_current = self == nullptr ? const_cast<nopal_deque*>(&nobody) : &self->deque;
}

[[gnu::noinline]] exception_state* this_thread_exceptions() noexcept {
  return __cxa_get_globals != nullptr ? __cxa_get_globals() : nullptr;
}

}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
