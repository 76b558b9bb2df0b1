// Which forks a trace shows: some, at regular times.
#ifndef NOPAL_SCHEDULER_SAMPLES_HPP
#define NOPAL_SCHEDULER_SAMPLES_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

/// At each start of the runtime, under its lock, in a process that is traced: from here on each worker's next fork comes to the
/// slow push every few milliseconds, where it is noted. Where the system refuses the thread for that, forks are noted that come
/// there of themselves.
void start_samples() noexcept;
/// At the end of the process, without a lock.
void stop_samples() noexcept;

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
