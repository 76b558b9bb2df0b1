// DWARF's call frame information, as far as compilers use it for functions on x86-64. For unwinding.cpp.
#ifndef NOPAL_ARCH_X86_64_UNWIND_RULES_HPP
#define NOPAL_ARCH_X86_64_UNWIND_RULES_HPP

#include <cstddef>
#include <cstdint>

#include "arch/x86_64/unwinding.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

using byte = unsigned char;

// Reads a table, never past its end. What is cut off reads as zero, and `good` says so.
struct reader {
  const byte* at;
  const byte* end;
  bool good = true;

  template <class T>
  T fixed() noexcept {
    if (static_cast<std::size_t>(end - at) < sizeof(T)) {
      good = false;
      at = end;
      return 0;
    }
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::uint64_t uleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const byte part = fixed<byte>();
      if (shift < 64) {
        value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
      }
      if ((part & 0x80U) == 0) {
        return value;
      }
    }
  }
  std::int64_t sleb() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const byte part = fixed<byte>();
      if (shift < 64) {
        value |= static_cast<std::uint64_t>(part & 0x7fU) << shift;
      }
      shift += 7;
      if ((part & 0x80U) == 0) {
        if (shift < 64 && (part & 0x40U) != 0) {
          value |= ~std::uint64_t{0} << shift;
        }
        return static_cast<std::int64_t>(value);
      }
    }
  }
  /// A pointer in one of the encodings that compilers and the fork's assembly use.
  std::uint64_t pointer(byte encoding) noexcept {
    const auto here = reinterpret_cast<std::uint64_t>(at);
    std::uint64_t value = 0;
    switch (encoding & 0x0fU) {
    case 0x00:
    case 0x04:
    case 0x0c: value = fixed<std::uint64_t>(); break;
    case 0x03: value = fixed<std::uint32_t>(); break;
    case 0x0b: value = static_cast<std::uint64_t>(std::int64_t{fixed<std::int32_t>()}); break;
    default: good = false; return 0;
    }
    switch (encoding & 0x70U) {
    case 0x00: break;
    case 0x10: value = value == 0 ? 0 : value + here; break;
    default: good = false; return 0;
    }
    if ((encoding & 0x80U) != 0 && value != 0 && good) {
      __builtin_memcpy(&value, reinterpret_cast<const void*>(value), sizeof value);
    }
    return value;
  }
};

/// What the tables say of one function.
struct description {
  reader common;  ///< the instructions for all functions of its kind
  reader own;
  std::uint64_t begin;
  std::uint64_t code_factor;
  std::int64_t data_factor;
  byte address_encoding;
  const fork_record* record;  ///< of a latent call; null: it is none
  bool lasts;                 ///< its code cannot be unloaded
};

// The registers that are followed, by their place in `registers` behind the first two, and in
// DWARF.
constexpr int followed = 6;
constexpr int as_followed(std::uint64_t column) {
  constexpr signed char places[] = {-1, -1, -1, 0, -1, -1, 1, -1, -1, -1, -1, -1, 2, 3, 4, 5};
  return column < sizeof places ? places[column] : -1;
}

enum class rule_kind : std::uint8_t { same, offset, at_expression, undefined };

/// How a caller's register is found.
struct rule {
  rule_kind kind;
  std::int64_t value;  ///< from the frame's address; or where the expression begins
};

/// What holds at one instruction.
struct row {
  bool frame_by_expression;
  std::uint64_t frame_column;  ///< the register that the frame's address is found from
  std::int64_t frame_offset;   ///< what is added; or where the expression begins
  rule saved[followed];
  bool outermost;
  bool saves_results;  ///< the registers that hand an exception over: what goes on in a handler sets them
};

/// As a table_finder.
const unsigned char* find_table(std::uint64_t address, bool& lasts) noexcept;

/// The description of the function that `address` is in. False if there is none that is understood.
bool describe(std::uint64_t address, description& found) noexcept;

/// What holds at `address`. False if the tables are not understood.
bool rules_at(const description& of, std::uint64_t address, row& now) noexcept;

/// The register of a DWARF column. False if it is not followed.
bool register_by_column(const registers& at, std::uint64_t column, std::uint64_t& value) noexcept;

/// An expression of the kinds that compilers and linkers write: of realigned frames, and of the stubs that
/// find a shared object's functions. It begins with `first`, if that is not null.
bool evaluate(const byte* block, const registers& at, std::uint64_t end, const std::uint64_t* first,
              std::uint64_t& result) noexcept;

/// Whether the expression of a frame's address is a word that the frame pointer leads to, as GCC writes
/// it for over-aligned frames, and that word lies on another stack: the function was stolen.
[[nodiscard]] bool frame_word_is_elsewhere(const byte* block, const registers& at,
                                           std::uint64_t end) noexcept;

[[nodiscard]] inline std::uint64_t& saved_register(registers& of, int place) noexcept {
  return (&of.rbx)[place];
}

/// What lies just below an interrupted function's stack pointer is still there: it has restored its
/// registers and is about to return. Handlers leave as much alone as the ABI says.
inline constexpr std::uint64_t red_zone = 128;

[[nodiscard]] inline bool read_word(const registers& at, std::uint64_t end, std::uint64_t address,
                                    std::uint64_t& value) noexcept {
  if (address < at.sp - red_zone || address > end - sizeof value || address % 8 != 0) {
    return false;
  }
  value = *reinterpret_cast<const std::uint64_t*>(address);
  return true;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

#endif
