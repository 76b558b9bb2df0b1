// Nopal as an execution context of std::execution: a scheduler whose senders begin on workers, bulk
// as loops, and senders that a strand waits for or forks.
//
// It needs the standard's senders: a standard library that has them, or the headers of the reference
// implementation (stdexec) on the include path. <nopal/nopal.hpp> does not include it.
#ifndef NOPAL_EXECUTION_HPP
#define NOPAL_EXECUTION_HPP

#include <nopal/detail/execution/names.hpp>

#include <utility>

#include <nopal/detail/execution/backend.hpp>
#include <nopal/detail/execution/scheduler.hpp>
#include <nopal/detail/execution/wait.hpp>
#include <nopal/scope.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace execution {

/// A sender that calls `f()` on a worker, where it may fork and join, and completes with what it
/// returns or throws.
template <class F>
[[nodiscard]] auto as_sender(F&& f) {
  return detail::senders::then(get_scheduler().schedule(), std::forward<F>(f));
}

}  // namespace execution
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
