// What is done where an assertion of oneTBB's headers fails: a program compiled with TBB_USE_ASSERT has them.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ASSERTION_H
#define NOPAL_COMPAT_TBB_DETAIL_ASSERTION_H

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

namespace nopal_detail {

/// Is given the function, the line, what is not true, and a comment or null. It does not return.
using assertion_handler = void (*)(const char* where, int line, const char* expression, const char* comment);

[[noreturn]] inline void end_at_assertion(const char* where, int line, const char* expression,
                                          const char* comment) {
  std::fprintf(stderr, "nopal: assertion of oneTBB's headers failed: %s, in %s, line %d%s%s\n", expression,
               where, line, comment != nullptr ? ": " : "", comment != nullptr ? comment : "");
  std::abort();
}

inline constinit std::atomic<assertion_handler> handler_of_assertions{end_at_assertion};

inline void assertion_failure(const char* where, int line, const char* expression, const char* comment) {
  // Acquire pairs with the release of who set it: what the handler reads was written before.
  handler_of_assertions.load(std::memory_order_acquire)(where, line, expression, comment);
}

}  // namespace nopal_detail

/// As oneTBB's macro has it, which its own headers define again.
namespace detail::r1 {
using nopal_detail::assertion_failure;
}  // namespace detail::r1

/// Extensions of oneTBB's specification.
namespace ext {

using assertion_handler_type = nopal_detail::assertion_handler;

/// What is called where an assertion fails from now on; null: a line and the end of the program. Returns what was called before.
inline assertion_handler_type set_assertion_handler(assertion_handler_type handler) noexcept {
  // Release pairs with the acquire in assertion_failure and in get_assertion_handler, acquire with an earlier release here.
  return nopal_detail::handler_of_assertions.exchange(
      handler != nullptr ? handler : nopal_detail::end_at_assertion, std::memory_order_acq_rel);
}
[[nodiscard]] inline assertion_handler_type get_assertion_handler() noexcept {
  // Acquire pairs with the release of who set it: it may be called.
  return nopal_detail::handler_of_assertions.load(std::memory_order_acquire);
}

}  // namespace ext
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
