// What the program and its libraries ask of every stack in the process.
#ifndef NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP
#define NOPAL_SRC_OS_LINUX_LOADED_OBJECTS_HPP

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace os {

/// Whether the program, or a library that was loaded before this one or with it, asks for stacks that execute: GCC's nested functions
/// have their addresses on the stack. The C library grants it to every thread then.
[[nodiscard]] bool asks_for_executable_stacks() noexcept;

}  // namespace os
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
