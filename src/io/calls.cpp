// Calls of the system that wait as strands.
//
// A strand may be on another thread after each wait, and compilers keep the address of `errno`. So each
// call of the system, with its `errno`, is in a function of its own that is not inlined.

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

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

/// Whether a call for `events` could come to something: what fails at once must not wait before. The end
/// of a pipe that is written to never becomes readable.
[[gnu::noinline]] bool is_open_for(int descriptor, short events) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != (events == POLLIN ? O_WRONLY : O_RDONLY);
}

[[gnu::noinline]] bool is_listening(int socket) noexcept {
  int listens = 0;
  socklen_t size = sizeof listens;
  return ::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0;
}

/// The kind of file, as of st_mode; 0: none.
[[gnu::noinline]] mode_t kind_of(int descriptor) noexcept {
  struct stat about{};
  return ::fstat(descriptor, &about) == 0 ? about.st_mode & S_IFMT : 0;
}

/// 0, or the number of the error that the call fails with.
int wait_in_call(int descriptor, short events) noexcept {
  const int outcome = wait_until_ready(descriptor, events, detail::io_never);
  return outcome == wait_was_closed ? EBADF : outcome;
}

/// Pauses between calls that are to be repeated though the system says that they are ready.
class pauses {
public:
  void wait() noexcept {
    constexpr int nothing = -1;
    const std::int64_t end = now() + next_;
    // Where the system refuses that, too, the thread waits.
    if (wait_for(nothing, 0, end) != wait_is_over) wait_as_thread(nothing, 0, end);
    next_ = next_ < longest ? 2 * next_ : longest;
  }
  /// After a wait from `began` on, and before a call that may have the same outcome again.
  void wait_if_at_once(std::int64_t began) noexcept {
    constexpr std::int64_t at_once = 50'000;
    constexpr int usual = 2;  // others may have taken what was there
    quick_ = now() - began < at_once ? quick_ + 1 : 0;
    if (quick_ > usual) wait();
  }

private:
  static constexpr std::int64_t longest = 16'000'000;
  std::int64_t next_ = 100'000;
  int quick_ = 0;
};

/// A call that does not block: again after each wait, while there would be one.
template <class Call>
result call_until_ready(int descriptor, short events, Call call) noexcept {
  pauses between;
  for (;;) {
    const result done = call_now(call);
    if (done.error != EAGAIN) return done;
    const std::int64_t began = now();
    if (const int refused = wait_in_call(descriptor, events); refused != 0) return {-1, refused};
    between.wait_if_at_once(began);
  }
}

/// A call that may block, if another takes what was there, or it has to do with a disk: then another
/// thread has the worker's place.
template <class Call>
result call_when_ready(int descriptor, short events, Call call) noexcept {
  if (const int refused = wait_in_call(descriptor, events); refused != 0) return {-1, refused};
  return blocking([&] { return call_now(call); });
}

bool knows_no_such_flag(const result& done) noexcept {
  return done.error == EOPNOTSUPP || done.error == ENOSYS || done.error == EINVAL;
}

result read_from(int file, char* buffer, std::size_t count) noexcept {
  const auto call = [=] { return ::read(file, buffer, count); };
  if (!blocks(file) || !is_open_for(file, POLLIN)) return call_until_ready(file, POLLIN, call);
  if (kind_of(file) != S_IFREG) {
    const iovec part{buffer, count};
    const result done =
        call_until_ready(file, POLLIN, [&] { return ::preadv2(file, &part, 1, -1, RWF_NOWAIT); });
    if (!knows_no_such_flag(done)) return done;
  }
  return call_when_ready(file, POLLIN, call);
}

/// To a blocking file that is no socket. A pipe that is ready has room for so much.
result write_part(int file, const char* buffer, std::size_t count) noexcept {
  const mode_t kind = kind_of(file);
  if (kind != S_IFREG) {
    const iovec part{const_cast<char*>(buffer), count};
    const result done =
        call_until_ready(file, POLLOUT, [&] { return ::pwritev2(file, &part, 1, -1, RWF_NOWAIT); });
    if (!knows_no_such_flag(done)) return done;
  }
  const std::size_t most = kind == S_IFIFO && count > PIPE_BUF ? PIPE_BUF : count;
  return call_when_ready(file, POLLOUT, [=] { return ::write(file, buffer, most); });
}

result write_to(int file, const char* buffer, std::size_t count) noexcept {
  if (count > 0 && blocks(file) && is_open_for(file, POLLOUT)) return write_part(file, buffer, count);
  return call_until_ready(file, POLLOUT, [=] { return ::write(file, buffer, count); });
}

/// All of it if the descriptor blocks, as write(2) does.
template <class Write>
result write_all(int descriptor, const char* buffer, std::size_t count, Write write) noexcept {
  std::size_t written = 0;
  for (;;) {
    const result done = write(descriptor, buffer + written, count - written);
    if (done.value < 0) return written > 0 ? result{static_cast<ssize_t>(written), 0} : done;
    written += static_cast<std::size_t>(done.value);
    if (done.value == 0 || written >= count || !blocks(descriptor)) {
      return {static_cast<ssize_t>(written), 0};
    }
  }
}

result send_to(int socket, const char* buffer, std::size_t count) noexcept {
  return call_until_ready(socket, POLLOUT, [=] { return ::send(socket, buffer, count, MSG_DONTWAIT); });
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
  if (done.error == ENOTSOCK) done = io::read_from(descriptor, static_cast<char*>(buffer), count);
  return io::give(done);
}

ssize_t io_write(int descriptor, const void* buffer, std::size_t count) {
  const char* const bytes = static_cast<const char*>(buffer);
  io::result done = io::write_all(descriptor, bytes, count, io::send_to);
  if (done.error == ENOTSOCK) done = io::write_all(descriptor, bytes, count, io::write_to);
  return io::give(done);
}

int io_accept(int listener, sockaddr* address, socklen_t* length, int flags) {
  const auto call = [=] { return ssize_t{::accept4(listener, address, length, flags)}; };
  // What is no listener fails at once.
  const bool may_block = io::blocks(listener) && io::is_listening(listener);
  return static_cast<int>(io::give(may_block ? io::call_when_ready(listener, POLLIN, call)
                                             : io::call_until_ready(listener, POLLIN, call)));
}

int io_connect(int descriptor, const sockaddr* address, socklen_t length) {
  const bool is_local =
      length >= static_cast<socklen_t>(sizeof(sa_family_t)) && address->sa_family == AF_UNIX;
  io::pauses between;
  for (;;) {
    const io::result done = io::blocks(descriptor)
                                ? blocking([=] { return io::connect_once(descriptor, address, length); })
                                : io::connect_once(descriptor, address, length);
    if (is_local && (done.error == EAGAIN || done.error == EINTR)) {
      // Nothing was begun: there is no room among those that wait to be accepted, and nothing tells when there is.
      between.wait();
      continue;
    }
    if (done.error != EINPROGRESS && done.error != EINTR) return static_cast<int>(io::give(done));
    int refused = io::wait_in_call(descriptor, POLLOUT);
    if (refused == 0) refused = io::error_of(descriptor);
    return static_cast<int>(io::give({refused == 0 ? 0 : -1, refused}));
  }
}

int io_close(int descriptor) noexcept {
  // Nobody is told of regular files, and their end may take long.
  return io::kind_of(descriptor) == S_IFREG ? ::close(descriptor) : io::close_and_tell(descriptor);
}

int io_last_error() noexcept { return errno; }

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
