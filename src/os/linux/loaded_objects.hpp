// What the program and its libraries ask of every stack in the process.
#ifndef NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP
#define NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP

#include <cstddef>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// Whether the program, or a library loaded with or before this one, asks for executable stacks.
/// Code with GCC's nested functions does: their trampolines lie on the stack. The C library then
/// makes every thread's stack executable.
[[nodiscard]] bool asks_for_executable_stacks() noexcept;

/// At least as many bytes as the C library takes of each thread's stack for itself, mostly for
/// thread_local data. If it takes none, the result costs address space only.
[[nodiscard]] std::size_t bytes_taken_of_each_stack() noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
