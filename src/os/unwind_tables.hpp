// Where the tables lie that tell how to unwind the program's code.
#ifndef NOPAL_SRC_OS_UNWIND_TABLES_HPP
#define NOPAL_SRC_OS_UNWIND_TABLES_HPP

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

/// Whether the system finds tables without a lock, so that a signal handler may ask.
[[nodiscard]] bool finds_unwind_entries() noexcept;

/// Whether the object that has this code brings the index that the search needs. Linkers write it by
/// default, but GCC's programs that are linked with -static have none.
[[nodiscard]] bool has_unwind_index(const void* code) noexcept;

/// Finds out which objects are there until the process ends. Before the first search; again is harmless.
void note_lasting_objects() noexcept;

/// The entry (an FDE of .eh_frame) that may describe the code at `address`; null if there is none.
/// `lasts`: whether that code is there until the process ends. For signal handlers too.
[[nodiscard]] const unsigned char* find_unwind_entry(std::uint64_t address, bool& lasts) noexcept;

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
