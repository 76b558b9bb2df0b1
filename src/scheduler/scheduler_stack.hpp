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

/// Where code of the program may run, or the process end, in a slow push: its thread is no worker meanwhile. What forks there would
/// come to the top of the scheduler stack that it stands on, and the end would unmap that.
class no_worker_on_scheduler_stack {
public:
  no_worker_on_scheduler_stack() noexcept {
    worker* const self = this_worker();
    if (self != nullptr && lies_on_scheduler_stack(self, __builtin_frame_address(0))) {
      kept_ = self;
      set_this_worker(nullptr);
    }
  }
  no_worker_on_scheduler_stack(const no_worker_on_scheduler_stack&) = delete;
  no_worker_on_scheduler_stack& operator=(const no_worker_on_scheduler_stack&) = delete;
  ~no_worker_on_scheduler_stack() {
    if (kept_ != nullptr) {
      set_this_worker(kept_);
    }
  }

private:
  worker* kept_ = nullptr;
};

inline void unmap_scheduler_stack(const worker* self) noexcept {
  os::unmap(static_cast<char*>(self->scheduler_memory) - sanitizers::apart(),
            mapped_bytes(self->scheduler_bytes));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
