// Memory nodes, and binding threads to the CPUs of one.
#ifndef NOPAL_SCHEDULER_NODES_HPP
#define NOPAL_SCHEDULER_NODES_HPP

#include <nopal/detail/observer.h>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// What nopal_arena_make gives. The interface's part of it has the same size for good.
struct made_arena : nopal_arena {
  const os::cpu_bits* cpus;  ///< the arena is bound to; null: to none. Written once, before its use
};

/// Of an arena that somebody refers to, or null.
[[nodiscard]] inline const os::cpu_bits* cpus_of(const nopal_arena* arena) noexcept {
  return arena == nullptr ? nullptr : static_cast<const made_arena*>(arena)->cpus;
}
/// Nobody refers to it any more.
void unbind_arena(nopal_arena* arena) noexcept;

/// Lets the calling thread run on those of its CPUs that are among `cpus`, or on all of these where
/// it has none of them. Returns its mask until then, for unbind_this_thread; null: it stays as it was.
[[nodiscard]] os::cpu_bits* bind_this_thread(const os::cpu_bits& cpus) noexcept;
void unbind_this_thread(os::cpu_bits* before) noexcept;

/// Reads the nodes anew, from files below `root`. They are read at their first use as well; tests
/// have others.
void describe_nodes(const char* root);

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
