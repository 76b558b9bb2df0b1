// Futexes, the process-wide barrier (membarrier) and the clock.
#include "os/os.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel reads the atomic as a plain 32-bit word");

namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

/// The system does not wait for us: a sandbox forbids it, say. Gives the processor away for up to
/// `most_ns` instead, so that a caller that looks again and again is slow, not busy.
void nap(std::uint64_t most_ns) noexcept {
  constexpr std::uint64_t longest_ns = 1'000'000;
  const timespec time{0, static_cast<long>(std::min(most_ns, longest_ns))};
  (void)nanosleep(&time, nullptr);
}

bool waited(long result) noexcept {
  return result == 0 || errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
}

long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

// A changed word (EAGAIN) and a signal (EINTR) end a wait like a wake does: the caller looks again.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  if (!waited(futex(word, FUTEX_WAIT, expected, nullptr))) nap(ns_per_s);
}

bool futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::uint64_t timeout_ns) noexcept {
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(
      std::min<std::uint64_t>(timeout_ns / ns_per_s, std::numeric_limits<std::int32_t>::max()));
  timeout.tv_nsec = static_cast<long>(timeout_ns % ns_per_s);
  const long result = futex(word, FUTEX_WAIT, expected, &timeout);
  if (!waited(result)) {
    nap(timeout_ns);
    return false;
  }
  return result == 0 || errno != ETIMEDOUT;
}

bool futex_wait_exactly(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                        std::uint64_t timeout_ns) noexcept {
  // The system may delay a timer by this much, 50 us as a rule. The program may have chosen it.
  // All arguments, since Valgrind looks at each.
  const int slack_ns = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
  const bool is_changed = slack_ns > 1 && prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0;
  const bool was_woken = futex_wait_for(word, expected, timeout_ns);
  if (is_changed) {
    prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns), 0UL, 0UL, 0UL);
  }
  return was_woken;
}

int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  const long woken = futex(word, FUTEX_WAKE, static_cast<std::uint32_t>(count), nullptr);
  return static_cast<int>(woken);
}

bool process_barrier_register() noexcept {
  const long commands =
      membarrier(MEMBARRIER_CMD_QUERY);  // negative where the system call is missing or forbidden
  if (commands < 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return false;
  return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

bool process_barrier() noexcept {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return true;
  // EPERM: this address space is not registered, as after fork(2) on kernels that do not hand it
  // down.
  if (errno != EPERM || !process_barrier_register()) return false;
  return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0;
}

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
