// What is said of exceptions that leave children of code without exceptions.
#ifndef NOPAL_SCHEDULER_C_PERSONALITY_HPP
#define NOPAL_SCHEDULER_C_PERSONALITY_HPP

#include <unwind.h>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// Says that an exception, or the end of a thread, leaves such a child, and ends the process.
[[noreturn]] void refuse_to_leave_child(_Unwind_Action actions);

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
