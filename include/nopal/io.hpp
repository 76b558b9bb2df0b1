// Strands that wait for file descriptors and for time, and calls of the system that wait so.
//
// A library of its own, libnopal-io: CMake's nopal::io, pkg-config's nopal-io. docs/io.md says what each
// call costs and promises.
#ifndef NOPAL_IO_HPP
#define NOPAL_IO_HPP

#include <nopal/detail/language.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <nopal/detail/mode.hpp>
#ifdef NOPAL_ELIDE
#include <nopal/detail/io_elided.hpp>
#else
#include <nopal/detail/io_parallel.hpp>
#endif
#include <nopal/detail/refused.hpp>
#include <nopal/runtime.hpp>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {
namespace detail {

/// Of the steady clock, in ns; of durations that are no number, and of those that are over: in the past.
template <class Rep, class Period>
std::int64_t io_end(const std::chrono::duration<Rep, Period>& limit) {
  using namespace std::chrono;
  constexpr duration<double> longest{3e9};  // some 95 years
  const duration<double> seconds = limit;
  if (!(seconds > seconds.zero())) return io_at_once;
  if (seconds >= longest) return io_never;
  // Not shorter than asked for.
  return (steady_clock::now().time_since_epoch() + ceil<nanoseconds>(limit)).count();
}

/// Calls `wait(end)`, which says whether it was ended early, until it was or the clock has come to `end`.
template <class Clock, class Duration, class Wait>
bool io_wait_until(const std::chrono::time_point<Clock, Duration>& end, Wait wait) {
  // Ends far in the past, and those of coarse clocks, are further away than the clock's own numbers say.
  using exact = std::chrono::duration<long double, typename Clock::period>;
  const auto left = [&end] { return exact(end.time_since_epoch()) - exact(Clock::now().time_since_epoch()); };
  for (;;) {
    if (wait(io_end(left()))) return true;
    // Other clocks may be set meanwhile.
    if (left() <= exact::zero()) return false;
  }
}

}  // namespace detail

/// Waits until something can be read from the descriptor without blocking, or it is at its end, in error
/// or hung up.
///
/// A strand that waits is suspended: its worker runs others meanwhile, and the wait may return on another
/// thread, as a join. Returns at once for files of which the system knows no readiness, as regular ones.
/// Any number of strands and threads may wait for one descriptor, in both directions. Throws `error` if
/// the descriptor is not open, if `nopal::close` closes it meanwhile, and where the system refuses.
inline void wait_readable(int descriptor) { detail::io_wait(descriptor, POLLIN, detail::io_never); }

/// The same until `limit` has passed; whether the descriptor is ready. Looks once in any case.
template <class Rep, class Period>
[[nodiscard]] bool wait_readable(int descriptor, const std::chrono::duration<Rep, Period>& limit) {
  return detail::io_wait(descriptor, POLLIN, detail::io_end(limit));
}

/// A limit without a unit does not compile.
template <class Number>
  requires std::is_arithmetic_v<Number>
bool wait_readable(int /*descriptor*/, Number /*limit*/) {
  static_assert(refusals::accepted<Number>,
                "nopal: wait_readable: the limit has a unit, as std::chrono::milliseconds(5) has");
  return false;
}
/// The same until the clock has come to `end`.
template <class Clock, class Duration>
[[nodiscard]] bool wait_readable(int descriptor, const std::chrono::time_point<Clock, Duration>& end) {
  return detail::io_wait_until(end, [=](std::int64_t at) { return detail::io_wait(descriptor, POLLIN, at); });
}

/// As `wait_readable`, until something can be written.
inline void wait_writable(int descriptor) { detail::io_wait(descriptor, POLLOUT, detail::io_never); }

/// The same until `limit` has passed; whether the descriptor is ready. Looks once in any case.
template <class Rep, class Period>
[[nodiscard]] bool wait_writable(int descriptor, const std::chrono::duration<Rep, Period>& limit) {
  return detail::io_wait(descriptor, POLLOUT, detail::io_end(limit));
}

/// A limit without a unit does not compile.
template <class Number>
  requires std::is_arithmetic_v<Number>
bool wait_writable(int /*descriptor*/, Number /*limit*/) {
  static_assert(refusals::accepted<Number>,
                "nopal: wait_writable: the limit has a unit, as std::chrono::milliseconds(5) has");
  return false;
}
/// The same until the clock has come to `end`.
template <class Clock, class Duration>
[[nodiscard]] bool wait_writable(int descriptor, const std::chrono::time_point<Clock, Duration>& end) {
  return detail::io_wait_until(end,
                               [=](std::int64_t at) { return detail::io_wait(descriptor, POLLOUT, at); });
}

/// The strand sleeps, not its worker, for `duration` at least. It may go on on another thread. Throws
/// `error` where the system refuses.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration) {
  detail::io_sleep(detail::io_end(duration));
}
/// A number without a unit does not compile.
template <class Number>
  requires std::is_arithmetic_v<Number>
void sleep_for(Number /*duration*/) {
  static_assert(refusals::accepted<Number>,
                "nopal: sleep_for: a duration has a unit, as std::chrono::milliseconds(5) has");
}

/// Nor does a time of a clock.
template <class Clock, class Duration>
void sleep_for(const std::chrono::time_point<Clock, Duration>& /*end*/) {
  static_assert(refusals::accepted<Clock>,
                "nopal: sleep_for takes a duration; until a time of a clock sleeps sleep_until");
}

/// The same until the clock has come to `end`.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& end) {
  detail::io_wait_until(end, [](std::int64_t at) {
    detail::io_sleep(at);
    return false;
  });
}

/// What is no time of a clock does not compile.
template <class Other>
void sleep_until(const Other& /*duration*/) {
  static_assert(refusals::accepted<Other>,
                "nopal: sleep_until takes a time of a clock; for a duration sleeps sleep_for");
}

/// As read(2), where the strand waits in place of its thread; `EINTR` and `EAGAIN` are repeated.
///
/// The descriptor may be blocking or not. A failure is -1 and `errno`, which is that of the thread on
/// which the call returns: see `last_error`. `EBADF` also where `nopal::close` closed it meanwhile.
[[nodiscard]] inline ssize_t read(int descriptor, void* buffer, std::size_t count) {
  return detail::io_read(descriptor, buffer, count);
}

/// As write(2), likewise: all of it to a blocking descriptor, to others what there is room for, if only a
/// part.
[[nodiscard]] inline ssize_t write(int descriptor, const void* buffer, std::size_t count) {
  return detail::io_write(descriptor, buffer, count);
}

/// As accept4(2), likewise.
[[nodiscard]] inline int accept(int listener, sockaddr* address = nullptr, socklen_t* length = nullptr,
                                int flags = 0) {
  return detail::io_accept(listener, address, length, flags);
}

/// As connect(2), likewise: returns once the connection is there or failed, also for a descriptor that
/// does not block.
[[nodiscard]] inline int connect(int descriptor, const sockaddr* address, socklen_t length) {
  return detail::io_connect(descriptor, address, length);
}

/// As close(2); who waits for the descriptor by the above is told, and waits no more. Of close(2) itself
/// they hear nothing.
inline int close(int descriptor) noexcept { return detail::io_close(descriptor); }

/// `errno` of the thread that asks, looked up anew. Compilers keep the address of `errno` in a function,
/// and after a wait that may be another thread's.
[[nodiscard]] inline int last_error() noexcept { return detail::io_last_error(); }

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
