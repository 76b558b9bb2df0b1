// Functions of which a compiler has put a part elsewhere, with tables of its own.
#ifndef NOPAL_ARCH_X86_64_CODE_PARTS_HPP
#define NOPAL_ARCH_X86_64_CODE_PARTS_HPP

#include <unwind.h>

#include <cstdint>

#include <nopal/version.hpp>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

/// Where the part of a function that this instruction is in begins; null: there are no tables of it.
inline const void* part_of(const unsigned char* code) noexcept {
  // The search looks one byte lower, as for return addresses.
  return _Unwind_FindEnclosingFunction(const_cast<unsigned char*>(code) + 1);
}

/// Whether one of the first instructions at `code` is a jump to the part that begins at `part`. Bytes are not
/// told from instructions, so it may say so wrongly, though hardly ever.
inline bool jumps_soon(const unsigned char* code, const void* part) noexcept {
  constexpr int most_bytes = 64;
  constexpr int jump_bytes = 5;
  const void* const own = part_of(code);
  for (const unsigned char* at = code; at != code + most_bytes; ++at) {
    if (part_of(at + jump_bytes - 1) != own) {
      return false;
    }
    std::int32_t distance;
    __builtin_memcpy(&distance, at + 1, sizeof distance);
    if (*at == 0xe9 && part_of(at + jump_bytes + distance) == part) {
      return true;
    }
  }
  return false;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
