// The memory of the stacks that the scheduler runs on, one for each worker.
#ifndef NOPAL_SCHEDULER_SCHEDULER_STACK_HPP
#define NOPAL_SCHEDULER_SCHEDULER_STACK_HPP

#include <cstddef>

#include <nopal/version.hpp>

#include "os/os.hpp"
#include "sanitizers/sanitizers.hpp"
#include "scheduler/worker.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// With the guard, and with what keeps tools' stacks apart on both sides.
inline std::size_t mapped_bytes(std::size_t stack_bytes) noexcept {
  return scheduler_guard_bytes + stack_bytes + 2 * sanitizers::apart();
}

/// A scheduler stack above a guard, or null.
inline void* map_scheduler_stack(std::size_t bytes) {
  const std::size_t apart = sanitizers::apart();
  auto* const all = static_cast<char*>(os::map_stack_memory(mapped_bytes(bytes)));
  if (all == nullptr) {
    return nullptr;
  }
  if (!os::protect_none(all, apart + scheduler_guard_bytes)) {
    os::unmap(all, mapped_bytes(bytes));
    return nullptr;
  }
  return all + apart;
}

inline void unmap_scheduler_stack(const worker* self) noexcept {
  os::unmap(static_cast<char*>(self->scheduler_memory) - sanitizers::apart(),
            mapped_bytes(self->scheduler_bytes));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
