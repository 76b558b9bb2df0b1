// Calls of the system that wait as strands.
//
// A strand may be on another thread after each wait, and compilers keep the address of `errno`. So each
// call of the system, with its `errno`, is in a function of its own that is not inlined.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include <nopal/detail/io_parallel.hpp>
#include <nopal/waiting.hpp>

#include "io/poller.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace io {

namespace {

/// Of a call of the system.
struct result {
  ssize_t value;
  int error;  ///< 0 where `value` is none
};

/// What the call comes to where signals do not interrupt it.
template <class Call>
[[gnu::noinline]] result call_now(Call call) noexcept {
  for (;;) {
    const ssize_t value = call();
    if (value >= 0) return {value, 0};
    if (errno != EINTR) return {value, errno};
  }
}

/// Sets `errno` of the thread that the strand is on by now.
[[gnu::noinline]] ssize_t give(result done) noexcept {
  if (done.value < 0) errno = done.error;
  return done.value;
}

[[gnu::noinline]] bool blocks(int descriptor) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

/// 0, or the number of the error that the call fails with.
int wait_in_call(int descriptor, short events) noexcept {
  const int outcome = wait_until_ready(descriptor, events, detail::io_never);
  return outcome == wait_was_closed ? EBADF : outcome;
}

/// A call that does not block: again after each wait, while there would be one.
template <class Call>
result call_until_ready(int descriptor, short events, Call call) noexcept {
  for (;;) {
    const result done = call_now(call);
    if (done.error != EAGAIN) return done;
    if (const int refused = wait_in_call(descriptor, events); refused != 0) return {-1, refused};
  }
}

/// A call that may block, if another takes what was there, or it has to do with a disk: then another
/// thread has the worker's place.
template <class Call>
result call_when_ready(int descriptor, short events, Call call) noexcept {
  if (const int refused = wait_in_call(descriptor, events); refused != 0) return {-1, refused};
  return blocking([&] { return call_now(call); });
}

template <class Call>
result call_as_it_blocks(int descriptor, short events, Call call) noexcept {
  return blocks(descriptor) ? call_when_ready(descriptor, events, call)
                            : call_until_ready(descriptor, events, call);
}

/// To a socket, and all of it if that blocks, as write(2) does.
result send(int socket, const char* buffer, std::size_t count) noexcept {
  std::size_t sent = 0;
  for (;;) {
    const result done = call_until_ready(
        socket, POLLOUT, [=] { return ::send(socket, buffer + sent, count - sent, MSG_DONTWAIT); });
    if (done.value < 0) return sent > 0 ? result{static_cast<ssize_t>(sent), 0} : done;
    sent += static_cast<std::size_t>(done.value);
    if (sent >= count || !blocks(socket)) return {static_cast<ssize_t>(sent), 0};
  }
}

[[gnu::noinline]] int error_of(int socket) noexcept {
  int refused = 0;
  socklen_t size = sizeof refused;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &refused, &size) != 0 ? errno : refused;
}

/// A connection that is interrupted is made all the same, and must not be asked for again.
[[gnu::noinline]] result connect_once(int socket, const sockaddr* address, socklen_t length) noexcept {
  const int value = ::connect(socket, address, length);
  return {value, value < 0 ? errno : 0};
}

}  // namespace
}  // namespace io

namespace detail {

ssize_t io_read(int descriptor, void* buffer, std::size_t count) {
  // Of a socket none would wait for something.
  if (count == 0) return io::give(io::call_now([=] { return ::read(descriptor, buffer, count); }));
  io::result done = io::call_until_ready(descriptor, POLLIN,
                                         [=] { return ::recv(descriptor, buffer, count, MSG_DONTWAIT); });
  if (done.error == ENOTSOCK) {
    done = io::call_as_it_blocks(descriptor, POLLIN, [=] { return ::read(descriptor, buffer, count); });
  }
  return io::give(done);
}

ssize_t io_write(int descriptor, const void* buffer, std::size_t count) {
  io::result done = io::send(descriptor, static_cast<const char*>(buffer), count);
  if (done.error == ENOTSOCK) {
    const auto call = [=] { return ::write(descriptor, buffer, count); };
    // Nothing finds room at once.
    done = count == 0 ? io::call_now(call) : io::call_as_it_blocks(descriptor, POLLOUT, call);
  }
  return io::give(done);
}

int io_accept(int listener, sockaddr* address, socklen_t* length, int flags) {
  return static_cast<int>(io::give(io::call_as_it_blocks(
      listener, POLLIN, [=] { return ssize_t{::accept4(listener, address, length, flags)}; })));
}

int io_connect(int descriptor, const sockaddr* address, socklen_t length) {
  io::result done = io::blocks(descriptor)
                        ? blocking([=] { return io::connect_once(descriptor, address, length); })
                        : io::connect_once(descriptor, address, length);
  if (done.error == EINPROGRESS || done.error == EINTR) {
    int refused = io::wait_in_call(descriptor, POLLOUT);
    if (refused == 0) refused = io::error_of(descriptor);
    done = {refused == 0 ? 0 : -1, refused};
  }
  return static_cast<int>(io::give(done));
}

int io_close(int descriptor) noexcept {
  io::forget(descriptor);
  return ::close(descriptor);
}

int io_last_error() noexcept { return errno; }

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
