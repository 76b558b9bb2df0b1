// Waits of strands for descriptors and for time.

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <nopal/detail/io_parallel.hpp>
#include <nopal/runtime.hpp>
#include <nopal/waiting.hpp>

#include "io/poller.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace io {

namespace {

constexpr int at_once_ms = 0;

/// The time up to `end` for poll(2), rounded up; -1: for ever.
int milliseconds_to(std::int64_t end) noexcept {
  constexpr std::int64_t most = 1'000'000'000;
  if (end == detail::io_never) return -1;
  const std::int64_t begin = now();
  const std::int64_t left = end <= begin ? 0 : (end - begin - 1) / 1'000'000 + 1;
  return static_cast<int>(left < most ? left : most);
}

/// What poll(2) says. A function of its own: `errno` is that of the thread which it is called on.
/// 0: ready; ETIMEDOUT, EBADF, or why the system refuses.
[[gnu::noinline]] int look(int descriptor, short events, int milliseconds) noexcept {
  pollfd one{descriptor, events, 0};
  // poll(2) passes over negative numbers.
  if (descriptor < 0 && events != 0) return EBADF;
  const int found = ::poll(&one, 1, milliseconds);
  if (found < 0) return errno == EINTR ? ETIMEDOUT : errno;
  if (found == 0) return ETIMEDOUT;
  return (one.revents & POLLNVAL) != 0 ? EBADF : 0;
}

}  // namespace

// Signals and long times end a look early.
int wait_as_thread(int descriptor, short events, std::int64_t end) noexcept {
  const detail::blocking_call call;
  for (;;) {
    const int found = look(descriptor, events, milliseconds_to(end));
    if (found != ETIMEDOUT || (end != detail::io_never && now() >= end)) return found;
  }
}

namespace {

[[noreturn, gnu::noinline, gnu::cold]] void fail(const char* text, int descriptor) {
  char line[128];
  std::snprintf(line, sizeof line, "%s: %d", text, descriptor);
  throw error(line);
}

[[noreturn, gnu::noinline, gnu::cold]] void fail_refused(int refused) {
  char line[160];
  std::snprintf(line, sizeof line, "nopal: the system refuses a wait for a descriptor or for time: %s",
                std::strerror(refused));
  throw error(line);
}

}  // namespace

int wait_until_ready(int descriptor, short events, std::int64_t end) noexcept {
  for (;;) {
    // Files of which libevent knows no readiness are always ready.
    const int found = look(descriptor, events, at_once_ms);
    if (found != ETIMEDOUT) return found;
    if (end != detail::io_never && now() >= end) return ETIMEDOUT;
    const int outcome = wait_for(descriptor, events, end);
    if (outcome == wait_alone) return wait_as_thread(descriptor, events, end);
    if (outcome != wait_is_over) return outcome;
  }
}

}  // namespace io

namespace detail {

bool io_wait(int descriptor, short events, std::int64_t end) {
  switch (const int outcome = io::wait_until_ready(descriptor, events, end)) {
  case io::wait_is_over: return true;
  case ETIMEDOUT: return false;
  case EBADF: io::fail("nopal: a wait for a descriptor that is not open", descriptor);
  case io::wait_was_closed:
    io::fail("nopal: nopal::close closed a descriptor while a wait for it went on", descriptor);
  default: io::fail_refused(outcome);
  }
}

void io_sleep(std::int64_t end) {
  constexpr int nothing = -1;
  while (end == io_never || io::now() < end) {
    const int outcome = io::wait_for(nothing, 0, end);
    if (outcome == io::wait_alone) {
      io::wait_as_thread(nothing, 0, end);
    } else if (outcome != io::wait_is_over) {
      io::fail_refused(outcome);
    }
  }
}

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
