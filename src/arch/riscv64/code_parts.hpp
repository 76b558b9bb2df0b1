// Functions of which a compiler has put a part elsewhere, with tables of its own.
#ifndef NOPAL_ARCH_RISCV64_CODE_PARTS_HPP
#define NOPAL_ARCH_RISCV64_CODE_PARTS_HPP

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

/// The bits of `word` from `from` on, as many as `count`, moved to begin at `to`.
constexpr std::uint32_t bits(std::uint32_t word, unsigned from, unsigned count, unsigned to) noexcept {
  return (word >> from & ((1U << count) - 1)) << to;
}

/// `value` whose sign is the bit `sign`.
constexpr std::int64_t with_sign(std::uint32_t value, unsigned sign) noexcept {
  const std::int64_t wide = value;
  return wide - (bits(value, sign, 1, 0) != 0 ? std::int64_t{2} << sign : 0);
}

/// How far the jump at the beginning of these eight bytes goes: a short one, a long one, or the two
/// instructions of the longest. 0: there is no jump.
inline std::int64_t jump_distance(std::uint32_t word, std::uint32_t next) noexcept {
  if ((word & 0xe003U) == 0xa001U) {  // c.j
    return with_sign(bits(word, 12, 1, 11) | bits(word, 8, 1, 10) | bits(word, 9, 2, 8) |
                         bits(word, 6, 1, 7) | bits(word, 7, 1, 6) | bits(word, 2, 1, 5) |
                         bits(word, 11, 1, 4) | bits(word, 3, 3, 1),
                     11);
  }
  if ((word & 0xfffU) == 0x06fU) {  // jal zero
    return with_sign(
        bits(word, 31, 1, 20) | bits(word, 12, 8, 12) | bits(word, 20, 1, 11) | bits(word, 21, 10, 1), 20);
  }
  // auipc, and jalr zero by the same register
  if ((word & 0x7fU) == 0x17U && (next & 0x7fffU) == 0x67U && bits(next, 15, 5, 0) == bits(word, 7, 5, 0)) {
    return with_sign(word & 0xfffff000U, 31) + with_sign(next >> 20, 11);
  }
  return 0;
}

/// Whether one of the first instructions at `code` is a jump to the part that begins at `part`.
inline bool jumps_soon(const unsigned char* code, const void* part) noexcept {
  constexpr int most_instructions = 16;
  const void* const own = part_of(code);
  for (int i = 0; i != most_instructions; ++i) {
    if (part_of(code) != own) {
      return false;
    }
    // Two bytes at a time: behind the last short instruction there may be nothing.
    std::uint16_t pieces[4] = {};
    __builtin_memcpy(&pieces[0], code, sizeof pieces[0]);
    const bool is_short = (pieces[0] & 3U) != 3U;
    for (int j = 1; !is_short && j != 4; ++j) {
      if (j == 1 || part_of(code + 4) == own) {
        __builtin_memcpy(&pieces[j], code + 2 * j, sizeof pieces[j]);
      }
    }
    const std::int64_t distance = jump_distance(pieces[0] | static_cast<std::uint32_t>(pieces[1]) << 16,
                                                pieces[2] | static_cast<std::uint32_t>(pieces[3]) << 16);
    if (distance != 0 && part_of(code + distance) == part) {
      return true;
    }
    code += is_short ? 2 : 4;
  }
  return false;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
