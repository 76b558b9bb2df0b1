// Functions of which a compiler has put a part elsewhere, with tables of its own.
#ifndef NOPAL_ARCH_AARCH64_CODE_PARTS_HPP
#define NOPAL_ARCH_AARCH64_CODE_PARTS_HPP

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

/// Whether one of the first instructions at `code` is a jump to the part that begins at `part`.
inline bool jumps_soon(const unsigned char* code, const void* part) noexcept {
  constexpr int most_instructions = 16;
  constexpr int bytes = 4;
  const void* const own = part_of(code);
  for (int i = 0; i != most_instructions; ++i, code += bytes) {
    if (part_of(code) != own) {
      return false;
    }
    std::uint32_t word;
    __builtin_memcpy(&word, code, sizeof word);
    constexpr std::uint32_t jump = 0x14000000;
    constexpr std::uint32_t distance_bits = 0x03ffffff;
    if ((word & ~distance_bits) == jump) {
      // In instructions, with a sign.
      const auto distance = static_cast<std::int32_t>((word & distance_bits) << 6) / 64;
      if (part_of(code + std::int64_t{distance} * bytes) == part) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
