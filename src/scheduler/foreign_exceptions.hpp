// Exceptions that another runtime than this library's of C++ threw, and what unwinds a thread to its end.
#ifndef NOPAL_SCHEDULER_FOREIGN_EXCEPTIONS_HPP
#define NOPAL_SCHEDULER_FOREIGN_EXCEPTIONS_HPP

#include <unwind.h>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What is being handled, if another runtime threw it or a thread is unwound to its end: null else.
_Unwind_Exception* handled_foreign() noexcept;

/// Takes a foreign exception from its handler, whose end would delete it. There is no other beside it, and for the C++ runtime
/// then none at all, as after a `throw;`.
void take_from_handler() noexcept;

/// Takes that which is being handled, to be raised elsewhere. Ends the process where the thread is being ended.
_Unwind_Exception* take_handled_foreign() noexcept;

[[noreturn]] void raise_foreign(_Unwind_Exception* thrown);

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
