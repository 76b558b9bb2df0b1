// Records of what workers do, for `nopal trace`. Nothing is recorded unless NOPAL_TRACE names a file.
#ifndef NOPAL_TRACE_TRACE_HPP
#define NOPAL_TRACE_TRACE_HPP

#include <cstddef>

#include "trace/format.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace trace {

inline constexpr std::size_t least_ring_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_ring_bytes = std::size_t{1} << 30;
inline constexpr std::size_t default_ring_bytes = std::size_t{4} << 20;

/// Whether this process is traced. Not atomic: written while it has no other worker, and read by workers
/// alone; a child of fork(2) clears its own.
extern bool is_on;

/// Begins the file. False, with a line on stderr, if that is impossible. Nothing happens in a child of
/// fork(2), whose parent has the file, and nothing the second time. `name` is kept nowhere.
bool open(const char* name, std::size_t name_bytes, std::size_t ring_bytes) noexcept;

/// At the end of the process: the file is complete. What is recorded later is in it all the same.
void close() noexcept;

/// In a child of fork(2): its parent alone writes.
void leave_to_parent() noexcept;

/// A ring for another worker; null, with a line on stderr the first time, if there is no room for it. One
/// thread at a time asks.
ring* make_ring() noexcept;

/// Notes what the system's clock says; where a while passes without another record.
void note_clock(ring* of) noexcept;

/// By the thread whose ring that is, or a handler that interrupts it. General registers only. Null: nothing
/// happens.
void write(ring* to, what kind, std::uint64_t argument) noexcept;

}  // namespace trace
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
