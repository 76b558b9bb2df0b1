// What <nopal/io.hpp> asks of its library.
#ifndef NOPAL_DETAIL_IO_PARALLEL_HPP
#define NOPAL_DETAIL_IO_PARALLEL_HPP

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <nopal/detail/export.h>
#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace detail {

// Ends of waits: of the steady clock, in ns.
inline constexpr std::int64_t io_never = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t io_at_once = std::numeric_limits<std::int64_t>::min();

/// Waits for one of `events`, those of poll(2); false: the time is over.
NOPAL_EXPORT bool io_wait(int descriptor, short events, std::int64_t end);
NOPAL_EXPORT void io_sleep(std::int64_t end);

NOPAL_EXPORT ssize_t io_read(int descriptor, void* buffer, std::size_t count);
NOPAL_EXPORT ssize_t io_write(int descriptor, const void* buffer, std::size_t count);
NOPAL_EXPORT int io_accept(int listener, sockaddr* address, socklen_t* length, int flags);
NOPAL_EXPORT int io_connect(int descriptor, const sockaddr* address, socklen_t length);
NOPAL_EXPORT int io_close(int descriptor) noexcept;
NOPAL_EXPORT int io_last_error() noexcept;

}  // namespace detail
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
