// Memory of workers, which lie on one page as far as short loops need them.
#ifndef NOPAL_SCHEDULER_WORKER_MEMORY_HPP
#define NOPAL_SCHEDULER_WORKER_MEMORY_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// For one worker, aligned as that is; null without memory.
void* take_worker_memory() noexcept;
void give_worker_memory(void* memory) noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
