// What the program and its libraries ask of every stack in the process.
#ifndef NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP
#define NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP

#include <cstddef>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// Whether the program, or a library that was loaded before this one or with it, asks for stacks that execute: GCC's nested functions
/// have their addresses on the stack. The C library grants it to every thread then.
[[nodiscard]] bool asks_for_executable_stacks() noexcept;

/// At least what the C library takes of each thread's stack for itself, thread_local data above all; address space where it takes
/// none.
[[nodiscard]] std::size_t bytes_taken_of_each_stack() noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
