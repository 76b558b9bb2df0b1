// Exceptions of another language or C++ runtime, and forced unwinds, which end a thread.
#ifndef NOPAL_SCHEDULER_FOREIGN_EXCEPTIONS_HPP
#define NOPAL_SCHEDULER_FOREIGN_EXCEPTIONS_HPP

#include <unwind.h>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// The exception being handled, if another runtime threw it or it is a forced unwind; else null.
_Unwind_Exception* handled_foreign() noexcept;

/// Takes a foreign exception from its handler, whose end would delete it. The C++ runtime then
/// counts no exception as handled, as after a `throw;`: it allows no other beside a foreign one.
void take_from_handler() noexcept;

/// Takes the foreign exception being handled, to be raised elsewhere. Ends the process on a forced
/// unwind.
_Unwind_Exception* take_handled_foreign() noexcept;

[[noreturn]] void raise_foreign(_Unwind_Exception* thrown);

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
