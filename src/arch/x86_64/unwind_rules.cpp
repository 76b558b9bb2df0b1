// DWARF's call frame information, as far as compilers use it for functions on x86-64.
//
// Compiled to use general registers only: a slow push walks with the caller's vector registers in
// place.

#include "arch/x86_64/unwind_rules.hpp"

extern "C" void nopal_fork_personality(void);

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

bool describe(std::uint64_t address, description& found) noexcept {
  const byte* const entry = find_table(address, found.lasts);
  if (entry == nullptr) {
    return false;
  }
  reader length{entry, entry + 8};
  const auto bytes = length.fixed<std::uint32_t>();
  if (bytes == 0 || bytes == 0xffffffffU) {
    return false;
  }
  reader own{entry + 4, entry + 4 + bytes};
  const byte* const here = own.at;
  const byte* const common_begin = here - own.fixed<std::uint32_t>();

  reader common_length{common_begin, common_begin + 8};
  const auto common_bytes = common_length.fixed<std::uint32_t>();
  if (common_bytes == 0 || common_bytes == 0xffffffffU) {
    return false;
  }
  reader common{common_begin + 4, common_begin + 4 + common_bytes};
  if (common.fixed<std::uint32_t>() != 0) {
    return false;
  }
  const byte version = common.fixed<byte>();
  if (version != 1 && version != 3) {
    return false;
  }
  const byte* const augmentation = common.at;
  while (common.good && common.fixed<byte>() != 0) {
  }
  found.code_factor = common.uleb();
  found.data_factor = common.sleb();
  const std::uint64_t return_column = version == 1 ? common.fixed<byte>() : common.uleb();
  if (return_column != 16) {
    return false;
  }
  found.address_encoding = 0;
  byte data_encoding = 0xff;
  std::uint64_t personality = 0;
  if (*augmentation != 0) {
    if (*augmentation != 'z') {
      return false;
    }
    const std::uint64_t data_bytes = common.uleb();
    if (data_bytes > static_cast<std::uint64_t>(common.end - common.at)) {
      return false;
    }
    const byte* const instructions = common.at + data_bytes;
    for (const byte* letter = augmentation + 1; *letter != 0; ++letter) {
      switch (*letter) {
      case 'R': found.address_encoding = common.fixed<byte>(); break;
      case 'L': data_encoding = common.fixed<byte>(); break;
      case 'P': {
        const byte encoding = common.fixed<byte>();
        personality = common.pointer(encoding);
        break;
      }
      default: return false;  // 'S': the frame of a signal handler's caller, among others
      }
    }
    common.at = instructions;
  }
  found.begin = own.pointer(found.address_encoding);
  const std::uint64_t size = own.pointer(found.address_encoding & 0x0fU);
  if (!own.good || !common.good || address - found.begin >= size) {
    return false;
  }
  found.record = nullptr;
  if (*augmentation != 0) {
    const std::uint64_t data_bytes = own.uleb();
    if (data_bytes > static_cast<std::uint64_t>(own.end - own.at)) {
      return false;
    }
    const byte* const instructions = own.at + data_bytes;
    if (personality == reinterpret_cast<std::uint64_t>(&nopal_fork_personality)) {
      if (data_encoding == 0xff) {
        return false;
      }
      found.record = reinterpret_cast<const fork_record*>(own.pointer(data_encoding));
      if (!own.good || found.record == nullptr) {
        return false;
      }
    }
    own.at = instructions;
  }
  found.common = common;
  found.own = own;
  return own.good;
}

namespace {

bool skip_block(reader& from) noexcept {
  const std::uint64_t bytes = from.uleb();
  if (!from.good || bytes > static_cast<std::uint64_t>(from.end - from.at)) {
    return false;
  }
  from.at += bytes;
  return true;
}

void set_rule(row& now, std::uint64_t column, rule_kind kind, std::int64_t value) noexcept {
  const int place = as_followed(column);
  if (place >= 0) {
    now.saved[place] = {kind, value};
  } else if (column == 16) {
    now.outermost = kind == rule_kind::undefined;
  } else if (column <= 1) {
    now.saves_results = kind == rule_kind::offset;
  }
}

/// Runs the instructions up to `address`. False at one that is not understood.
bool run(const description& of, reader from, std::uint64_t address, row& now, const row* initial) noexcept {
  constexpr int most_remembered = 4;
  row remembered[most_remembered];
  int depth = 0;
  std::uint64_t location = of.begin;
  while (from.good && from.at < from.end) {
    const byte code = from.fixed<byte>();
    const std::uint64_t low = code & 0x3fU;
    std::uint64_t advance = 0;
    switch (code & 0xc0U) {
    case 0x40: advance = low; break;
    case 0x80: {
      const auto offset = static_cast<std::int64_t>(from.uleb()) * of.data_factor;
      set_rule(now, low, rule_kind::offset, offset);
      continue;
    }
    case 0xc0:
      if (initial == nullptr) {
        return false;
      }
      if (const int place = as_followed(low); place >= 0) {
        now.saved[place] = initial->saved[place];
      }
      continue;
    default:
      switch (code) {
      case 0x00: continue;                                                                          // nop
      case 0x01: advance = (from.pointer(of.address_encoding) - location) / of.code_factor; break;  // set_loc
      case 0x02: advance = from.fixed<std::uint8_t>(); break;
      case 0x03: advance = from.fixed<std::uint16_t>(); break;
      case 0x04: advance = from.fixed<std::uint32_t>(); break;
      case 0x05: {  // offset_extended
        const std::uint64_t column = from.uleb();
        set_rule(now, column, rule_kind::offset, static_cast<std::int64_t>(from.uleb()) * of.data_factor);
        continue;
      }
      case 0x06:  // restore_extended
        if (const int place = as_followed(from.uleb()); place >= 0 && initial != nullptr) {
          now.saved[place] = initial->saved[place];
        }
        continue;
      case 0x07: set_rule(now, from.uleb(), rule_kind::undefined, 0); continue;
      case 0x08: set_rule(now, from.uleb(), rule_kind::same, 0); continue;
      case 0x0a:  // remember_state
        if (depth == most_remembered) {
          return false;
        }
        remembered[depth++] = now;
        continue;
      case 0x0b:  // restore_state
        if (depth == 0) {
          return false;
        }
        now = remembered[--depth];
        continue;
      case 0x0c:  // def_cfa
        now.frame_by_expression = false;
        now.frame_column = from.uleb();
        now.frame_offset = static_cast<std::int64_t>(from.uleb());
        continue;
      case 0x0d:
        now.frame_by_expression = false;
        now.frame_column = from.uleb();
        continue;
      case 0x0e: now.frame_offset = static_cast<std::int64_t>(from.uleb()); continue;
      case 0x0f:  // def_cfa_expression
        now.frame_by_expression = true;
        now.frame_offset = reinterpret_cast<std::int64_t>(from.at);
        if (!skip_block(from)) {
          return false;
        }
        continue;
      case 0x10: {  // expression
        const std::uint64_t column = from.uleb();
        set_rule(now, column, rule_kind::at_expression, reinterpret_cast<std::int64_t>(from.at));
        if (column == 16 || !skip_block(from)) {
          return false;
        }
        continue;
      }
      case 0x11: {  // offset_extended_sf
        const std::uint64_t column = from.uleb();
        set_rule(now, column, rule_kind::offset, from.sleb() * of.data_factor);
        continue;
      }
      case 0x12:  // def_cfa_sf
        now.frame_by_expression = false;
        now.frame_column = from.uleb();
        now.frame_offset = from.sleb() * of.data_factor;
        continue;
      case 0x13: now.frame_offset = from.sleb() * of.data_factor; continue;
      case 0x2e: static_cast<void>(from.uleb()); continue;  // the size of pushed arguments
      default: return false;
      }
    }
    location += advance * of.code_factor;
    if (location > address) {
      break;
    }
  }
  return from.good;
}

// What expressions compute with.
class values {
public:
  bool push(std::uint64_t value) noexcept {
    const bool fits = count_ < most;
    if (fits) {
      at_[count_++] = value;
    }
    return fits;
  }
  bool pop(std::uint64_t& value) noexcept {
    const bool has_one = count_ > 0;
    if (has_one) {
      value = at_[--count_];
    }
    return has_one;
  }

private:
  static constexpr int most = 8;
  std::uint64_t at_[most];
  int count_ = 0;
};

bool binary(byte code, values& on) noexcept {
  std::uint64_t right;
  std::uint64_t left;
  if (!on.pop(right) || !on.pop(left)) {
    return false;
  }
  switch (code) {
  case 0x1a: return on.push(left & right);
  case 0x22: return on.push(left + right);
  case 0x24: return on.push(right < 64 ? left << right : 0);
  case 0x2a: return on.push(static_cast<std::int64_t>(left) >= static_cast<std::int64_t>(right) ? 1 : 0);
  default: return false;
  }
}

bool operate(byte code, reader& from, values& on, const registers& at, std::uint64_t end) noexcept {
  std::uint64_t value;
  if (code >= 0x30 && code <= 0x4f) {  // lit
    return on.push(code - 0x30U);
  }
  if (code >= 0x70 && code <= 0x8f) {  // breg
    const std::uint64_t column = code - 0x70U;
    value = at.ip;
    return (column == 16 || register_by_column(at, column, value)) &&
           on.push(value + static_cast<std::uint64_t>(from.sleb()));
  }
  if (code == 0x06) {  // deref
    return on.pop(value) && read_word(at, end, value, value) && on.push(value);
  }
  if (code == 0x23) {  // plus_uconst
    return on.pop(value) && on.push(value + from.uleb());
  }
  return binary(code, on);
}

}  // namespace

bool rules_at(const description& of, std::uint64_t address, row& now) noexcept {
  now = {};
  now.frame_column = 7;
  now.frame_offset = 8;
  // The common instructions hold from the beginning of each function.
  if (!run(of, of.common, ~std::uint64_t{0}, now, nullptr)) {
    return false;
  }
  const row initial = now;
  return run(of, of.own, address, now, &initial);
}

bool register_by_column(const registers& at, std::uint64_t column, std::uint64_t& value) noexcept {
  if (column == 7) {
    value = at.sp;
    return true;
  }
  const int place = as_followed(column);
  if (place < 0) {
    return false;
  }
  value = (&at.rbx)[place];
  return true;
}

bool frame_word_is_elsewhere(const byte* block, const registers& at, std::uint64_t end) noexcept {
  reader from{block, block + 16};
  const std::uint64_t bytes = from.uleb();
  from.end = from.at + bytes;
  constexpr byte by_frame_pointer = 0x76;
  constexpr byte load = 0x06;
  if (from.fixed<byte>() != by_frame_pointer) {
    return false;
  }
  const std::uint64_t where = at.rbp + static_cast<std::uint64_t>(from.sleb());
  const bool is_all = from.fixed<byte>() == load && from.good && from.at == from.end;
  return is_all && (where < at.sp - red_zone || where >= end);
}

bool evaluate(const byte* block, const registers& at, std::uint64_t end, const std::uint64_t* first,
              std::uint64_t& result) noexcept {
  reader from{block, block + 16};
  const std::uint64_t bytes = from.uleb();
  if (bytes > 64) {
    return false;
  }
  from.end = from.at + bytes;
  values on;
  if (first != nullptr) {
    static_cast<void>(on.push(*first));
  }
  while (from.good && from.at < from.end) {
    const byte code = from.fixed<byte>();
    if (!operate(code, from, on, at, end)) {
      return false;
    }
  }
  return from.good && on.pop(result);
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
