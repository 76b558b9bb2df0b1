// The one thread that polls for all strands that wait for descriptors or for time.
//
// Invariants:
// * `a wait ends once`: a wait that was begun is taken out of its lists and told by the polling thread
//   alone, or after that thread has ended. So nothing refers to a wait that was told.
// * `a registration is fresh`: whoever begins a wait for a descriptor registers it anew. So a wait for a
//   number that was closed and given to another file watches that file.
// * `the lock is the innermost`: nobody waits for another lock but libevent's own while holding it.
#ifndef NOPAL_IO_POLLER_HPP
#define NOPAL_IO_POLLER_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace io {

/// How a wait went, beside numbers of errors, which are positive.
enum : int {
  wait_is_over = 0,      ///< ready, or the time has come: the caller looks which
  wait_was_closed = -1,  ///< the descriptor was closed by `close_and_tell`
  wait_alone = -2,       ///< the process ends, and nobody polls any more: the thread has to wait itself
};

/// Waits for one of `events` of the descriptor, if that is not negative, and for `end` of the steady
/// clock at most. The strand is suspended, and may be on another thread afterwards.
int wait_for(int descriptor, short events, std::int64_t end) noexcept;

/// close(2); all who wait for the descriptor are told.
int close_and_tell(int descriptor) noexcept;

/// Of the steady clock, in ns.
std::int64_t now() noexcept;

/// What the calls of the system need: `wait_is_over`, `wait_was_closed`, `ETIMEDOUT`, `EBADF` for what
/// is not open, or why the system refuses.
int wait_until_ready(int descriptor, short events, std::int64_t end) noexcept;

/// The same where nobody polls: the thread waits. Of no descriptor if that and `events` are none.
int wait_as_thread(int descriptor, short events, std::int64_t end) noexcept;

}  // namespace io
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
