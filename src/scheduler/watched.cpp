// The fast path for code that ThreadSanitizer watches. It lies here, where code is not
// instrumented, and tells the tool the order of strands.

#include <nopal/detail/fast_path.h>

#include "sanitizers/sanitizers.hpp"
#include "scheduler/runtime.hpp"

#ifdef NOPAL_RACES_WATCHED
#error "nopal: the library itself is compiled without -fsanitize=thread; programs may have it"
#endif

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

// unreached below: watched
extern "C" NOPAL_EXPORT void nopal_watched_fork(nopal_frame* frame) {
  sanitizers::forked(&frame->resume_address);
}

// unreached below: watched
extern "C" NOPAL_EXPORT int nopal_watched_push(nopal_frame* frame) {
  sanitizers::forked(&frame->resume_address);
  return nopal_push(frame);
}

extern "C" NOPAL_EXPORT int nopal_watched_pop(void) { return nopal_pop(); }  // unreached: watched

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
