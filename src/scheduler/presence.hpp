// Where a thread takes part, as observers and bound arenas see it. docs/arenas.md has the argument.
//
// Invariants: the exit is called for each note, in the reverse order of the entries, unless its
// observer has ceased to observe. While a presence in an arena has notes or a mask, its thread has
// a seat there, but while its strand waits for an event or in the system.
#ifndef NOPAL_SCHEDULER_PRESENCE_HPP
#define NOPAL_SCHEDULER_PRESENCE_HPP

#include <cstdint>

#include <nopal/detail/task.h>
#include <nopal/version.hpp>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// That a thread has called an observer's entry; see observers.cpp.
struct presence_note;

/// One stay of a thread in an arena, or outside of arenas. Of its thread alone.
struct presence {
  nopal_arena* arena;        ///< null: outside
  bool is_there;             ///< else the rest means nothing
  bool is_worker;            ///< what observers are told
  std::uint64_t seen;        ///< observers up to this number have been looked at
  presence_note* notes;      ///< the latest first
  const os::cpu_bits* cpus;  ///< that the arena is bound to; null: to none
  os::cpu_bits* before;      ///< the thread's mask at the beginning; null: it was left as it was
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
