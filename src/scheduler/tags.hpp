// Slots whose frame records the exceptions being handled at the fork carry a mark in the lowest
// bit.
#ifndef NOPAL_SCHEDULER_TAGS_HPP
#define NOPAL_SCHEDULER_TAGS_HPP

#include <cstdint>

#include <nopal/detail/frame.h>
#include <nopal/version.hpp>

#include "stack/stack.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

inline nopal_frame* tagged(nopal_frame* frame) noexcept {
  return reinterpret_cast<nopal_frame*>(reinterpret_cast<std::uintptr_t>(frame) | 1U);
}
inline nopal_frame* untagged(nopal_frame* slot) noexcept {
  return reinterpret_cast<nopal_frame*>(reinterpret_cast<std::uintptr_t>(slot) & ~std::uintptr_t{1});
}
inline bool is_tagged(nopal_frame* slot) noexcept {
  return (reinterpret_cast<std::uintptr_t>(slot) & 1U) != 0;
}

/// The exceptions of the list `caught` that were being handled when a function at `stack_pointer`
/// forked: those whose handler is that function or an older one. The fork happened on `stack`.
void* caught_at(void* caught, const void* stack_pointer, const nopal_stack* stack) noexcept;

/// Whether caught_at can tell for the whole list. It looks at where each exception was caught last.
/// If a function called by the handler threw it on, caught it again and returned, the address of
/// the handler is lost.
bool handlers_known(void* caught, const nopal_stack* stack) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
