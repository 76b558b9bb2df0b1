// The C++ runtime's record of an exception that is being handled, as far as the scheduler looks
// into it.
//
// The Itanium C++ ABI fixes the record's end: the unwinder's header, and what lies before it.
// libc++abi has 16 bytes more in front than libstdc++ (libsupc++). Which of the two this library is
// compiled for decides; docs/rules.md says so to users. For an exception that another runtime
// threw, a foreign one, there is no record: the runtime keeps an address as if there were one, and
// only the header behind it may be read.
#ifndef NOPAL_CXX_RUNTIME_EXCEPTION_RECORD_HPP
#define NOPAL_CXX_RUNTIME_EXCEPTION_RECORD_HPP

#include <unwind.h>

#include <cstddef>
#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace cxx_runtime {

// <cstddef> says which library it is of.
#ifdef _LIBCPP_VERSION
inline constexpr std::size_t record_bytes = 128;
inline constexpr std::uint64_t exception_class = 0x434c4e47432b2b00U;  // CLNGC++
#else
inline constexpr std::size_t record_bytes = 112;
inline constexpr std::uint64_t exception_class = 0x474e5543432b2b00U;  // GNUCC++
#endif

inline constexpr std::size_t header_offset = record_bytes - sizeof(_Unwind_Exception);
inline constexpr std::size_t next_offset = header_offset - 48;
inline constexpr std::size_t table_offset = header_offset - 24;
inline constexpr std::size_t landing_offset = header_offset - 16;
static_assert(sizeof(_Unwind_Exception) == 32);

[[nodiscard]] inline _Unwind_Exception* header_of(void* record) noexcept {
  return reinterpret_cast<_Unwind_Exception*>(static_cast<char*>(record) + header_offset);
}

/// Whether this runtime threw it. The last byte tells exceptions from references to them
/// (std::exception_ptr).
[[nodiscard]] inline bool is_native(const _Unwind_Exception& thrown) noexcept {
  return (thrown.exception_class ^ exception_class) <= 0xff;
}

/// Whether this is a forced unwind: pthread_exit or cancellation unwinds the thread, and nothing
/// was thrown. The unwinder then keeps its stop function in this word, which is zero for a thrown
/// exception.
[[nodiscard]] inline bool is_forced_unwind(const _Unwind_Exception& thrown) noexcept {
  return thrown.private_1 != 0;
}

/// The exception that was being handled already when this one was caught; null if there was none.
[[nodiscard]] inline void* next_of(void* record) noexcept {
  if (!is_native(*header_of(record))) {
    return nullptr;  // The runtimes let a foreign exception be caught beside no other.
  }
  void* next;
  __builtin_memcpy(&next, static_cast<char*>(record) + next_offset, sizeof next);
  return next;
}

/// The table of the handling function that says what it catches; where that function has two, as compilers
/// put handlers apart, of the part that the exception came from.
[[nodiscard]] inline const void* handler_table(void* record) noexcept {
  const void* table;
  __builtin_memcpy(&table, static_cast<char*>(record) + table_offset, sizeof table);
  return table;
}

/// Where the handler begins.
[[nodiscard]] inline const void* handler_begin(void* record) noexcept {
  const void* begin;
  __builtin_memcpy(&begin, static_cast<char*>(record) + landing_offset, sizeof begin);
  return begin;
}

/// The stack pointer of the handling function, which the unwinder notes.
[[nodiscard]] inline const char* handler_stack_pointer(void* record) noexcept {
  return reinterpret_cast<const char*>(header_of(record)->private_2);
}

}  // namespace cxx_runtime
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
