// Which parts of the computation that may be stopped a worker's strand is in, so that a thief which
// continues one of its forks finds those that the fork is in.
//
// A path is an array of steps, the outermost first. Each says from which entry of the deque on forks
// are in its part. A thief reads the path between seeing an entry and taking it: what it needs of the
// path stays as it is for as long as the entry is there, and what else it reads is of forks that are
// younger. docs/speculation.md has the argument.
#ifndef NOPAL_SCHEDULER_STOP_PATH_HPP
#define NOPAL_SCHEDULER_STOP_PATH_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <nopal/detail/stop.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

struct stop_step {
  std::atomic<std::int32_t> index;  ///< of the first entry of the deque that is in the part
  std::atomic<nopal_stop*> part;    ///< null: of none, whatever is below
  /// Where the function that entered has its return address to the library; the largest number: the
  /// strand came with it. The owner's
  std::uintptr_t place;
};

struct stop_path {
  std::atomic<std::uint32_t> count;
  std::atomic<stop_step*> grown;  ///< null: the steps are `first`
  std::uint32_t capacity;         ///< of `grown`
  /// So many steps are of code that stands still while its thread runs other strands
  std::uint32_t kept;
  stop_step first[4];
};

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
