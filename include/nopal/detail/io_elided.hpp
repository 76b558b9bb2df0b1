// The same in the serial elision, without a library: poll(2) and clock_nanosleep(2), which block the thread.
#ifndef NOPAL_DETAIL_IO_ELIDED_HPP
#define NOPAL_DETAIL_IO_ELIDED_HPP

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <nopal/detail/mode.hpp>
#ifdef NOPAL_CHECKED
#include <nopal/detail/check.h>
#endif
#include <nopal/runtime.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

inline constexpr std::int64_t io_never = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t io_at_once = std::numeric_limits<std::int64_t>::min();

[[noreturn, gnu::noinline, gnu::cold]] inline void fail_io(const char* what) {
#ifdef __cpp_exceptions
  throw error(what);
#else
  std::fprintf(stderr, "%s\n", what);
  std::abort();
#endif
}

inline std::int64_t io_now() {
  const std::chrono::nanoseconds since = std::chrono::steady_clock::now().time_since_epoch();
  return since.count();
}

/// The result of poll(2), which a signal does not end.
inline int io_poll(pollfd& one, std::int64_t end) {
#ifdef NOPAL_CHECKED
  constexpr int long_s = 3;
  if (end == io_never) {
    const int found = ::poll(&one, 1, long_s * 1000);
    if (found > 0) return found;
    if (found == 0) nopal_check_wait_long(one.fd, long_s);
  }
#endif
  for (;;) {
    constexpr std::int64_t most_ms = 1'000'000'000;
    int milliseconds = -1;
    if (end != io_never) {
      const std::int64_t now = io_now();
      const std::int64_t left = end <= now ? 0 : (end - now - 1) / 1'000'000 + 1;
      milliseconds = static_cast<int>(left < most_ms ? left : most_ms);
    }
    const int found = ::poll(&one, 1, milliseconds);
    if (found > 0 || (found < 0 && errno != EINTR) || (found == 0 && milliseconds < most_ms)) return found;
  }
}

inline bool io_wait(int descriptor, short events, std::int64_t end) {
  pollfd one{descriptor, events, 0};
  // poll(2) passes over negative numbers.
  const int found = descriptor < 0 ? 0 : io_poll(one, end);
  char line[128];
  if (descriptor < 0 || (one.revents & POLLNVAL) != 0) {
    std::snprintf(line, sizeof line, "nopal: a wait for a descriptor that is not open: %d", descriptor);
    fail_io(line);
  }
  if (found < 0) {
    std::snprintf(line, sizeof line, "nopal: the system refuses a wait for a descriptor or for time: %s",
                  std::strerror(errno));
    fail_io(line);
  }
  return found > 0;
}

inline void io_sleep(std::int64_t end) {
  if (end == io_at_once) return;
  timespec at{};
  at.tv_sec = end / 1'000'000'000;
  at.tv_nsec = end % 1'000'000'000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

/// The call's result, once it was not interrupted and did not have to wait.
template <class Call>
auto io_repeat(int descriptor, short events, Call call) {
  constexpr int usual = 3;  // others may have taken what was there
  for (int tries = 0;; ++tries) {
    const auto result = call();
    if (result >= 0 || (errno != EINTR && errno != EAGAIN)) return result;
    if (errno == EAGAIN) {
      pollfd one{descriptor, events, 0};
      io_poll(one, io_never);
      if (tries > usual) ::poll(nullptr, 0, 1);  // the system may say that it is ready when the call is not
    }
  }
}

inline ssize_t io_read(int descriptor, void* buffer, std::size_t count) {
  return io_repeat(descriptor, POLLIN, [=] { return ::read(descriptor, buffer, count); });
}
inline ssize_t io_write(int descriptor, const void* buffer, std::size_t count) {
  return io_repeat(descriptor, POLLOUT, [=] { return ::write(descriptor, buffer, count); });
}
inline int io_accept(int listener, sockaddr* address, socklen_t* length, int flags) {
  return io_repeat(listener, POLLIN, [=] { return ::accept4(listener, address, length, flags); });
}
inline int io_connect(int descriptor, const sockaddr* address, socklen_t length) {
  const bool is_local =
      length >= static_cast<socklen_t>(sizeof(sa_family_t)) && address->sa_family == AF_UNIX;
  int result = ::connect(descriptor, address, length);
  // Nothing was begun, and nothing tells when there is room among those that wait to be accepted.
  while (result != 0 && is_local && (errno == EAGAIN || errno == EINTR)) {
    ::poll(nullptr, 0, 1);
    result = ::connect(descriptor, address, length);
  }
  if (result == 0 || (errno != EINPROGRESS && errno != EINTR)) return result;
  pollfd one{descriptor, POLLOUT, 0};
  int refused = 0;
  socklen_t size = sizeof refused;
  if (io_poll(one, io_never) < 0 || ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &refused, &size) != 0)
    return -1;
  if (refused == 0) return 0;
  errno = refused;
  return -1;
}
inline int io_close(int descriptor) noexcept { return ::close(descriptor); }
inline int io_last_error() noexcept { return errno; }

}  // namespace detail
}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
