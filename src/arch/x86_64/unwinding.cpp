// The walk itself, and the steps that it keeps.
//
// Compiled to use general registers only: a slow push walks with the caller's vector registers in
// place. Looking a table up is the C library's, which may use them; so it is done where that is
// allowed, and what came of it is kept.

#include "arch/x86_64/unwinding.hpp"

#include <unwind.h>

#include <atomic>
#include <cstddef>

#include "arch/x86_64/unwind_rules.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace arch {

namespace {

constinit std::atomic<table_finder> finder{nullptr};

// A step that was worked out is one word: three bits of `code`; then, of ordinary code, whether the frame is found from
// rbp, its offset in words (20 bits), for each register followed where it is saved, in words below
// the frame's address (5 bits; 0: it still has its value), and the most of these; of a latent call
// its record.
// Zero is no step.
constexpr std::uint64_t kind_bits = 7;

constexpr std::uint64_t packed_kind(std::uint64_t word) { return word & kind_bits; }

struct kept_step {
  // Relaxed: a reader takes the two for a pair only if they fit each other.
  std::atomic<std::uint64_t> mixed;  ///< the address, with `word` mixed in
  std::atomic<std::uint64_t> word;
};
constexpr std::size_t kept_steps = 4096;
alignas(64) constinit kept_step steps[kept_steps] = {};

constexpr std::uint64_t key_of(std::uint64_t ip, bool exact) { return ip << 1 | (exact ? 1 : 0); }

kept_step& place_of(std::uint64_t key) noexcept {
  return steps[(key * 0x9e3779b97f4a7c15U >> 40) % kept_steps];
}

/// 0 if there is none.
std::uint64_t kept(std::uint64_t ip, bool exact) noexcept {
  const std::uint64_t key = key_of(ip, exact);
  const kept_step& one = place_of(key);
  const std::uint64_t word = one.word.load(std::memory_order_relaxed);
  // An empty place would suit the address 0.
  return word != 0 && (one.mixed.load(std::memory_order_relaxed) ^ word) == key ? word : 0;
}

void keep(std::uint64_t ip, bool exact, std::uint64_t word) noexcept {
  const std::uint64_t key = key_of(ip, exact);
  kept_step& one = place_of(key);
  one.word.store(word, std::memory_order_relaxed);
  one.mixed.store(key ^ word, std::memory_order_relaxed);
}

constexpr int kind_shift = 3;

std::uint64_t packed(code kind, std::uint64_t rest) noexcept {
  return static_cast<std::uint64_t>(kind) | rest << kind_shift;
}

/// The step as a word, or 0 if the rules are not that simple.
std::uint64_t pack(const row& now) noexcept {
  if (now.frame_by_expression || (now.frame_column != 6 && now.frame_column != 7) || now.frame_offset < 8 ||
      now.frame_offset % 8 != 0 || now.frame_offset >= std::int64_t{8} << 20) {
    return 0;
  }
  std::uint64_t rest = (now.frame_column == 6 ? 1 : 0) | static_cast<std::uint64_t>(now.frame_offset / 8)
                                                             << 1;
  std::uint64_t most = 1;  // the return address
  for (int place = 0; place < followed; ++place) {
    const rule& one = now.saved[place];
    std::uint64_t words = 0;
    if (one.kind == rule_kind::offset) {
      if (one.value >= -8 || one.value % 8 != 0 || one.value < -31 * 8) {
        return 0;
      }
      words = static_cast<std::uint64_t>(-one.value / 8);
    } else if (one.kind == rule_kind::at_expression) {
      return 0;
    }
    rest |= words << (21 + 5 * place);
    most = words > most ? words : most;
  }
  return packed(code::ordinary, rest | most << (21 + 5 * followed));
}

/// By its tables a function of GCC's unwinder, whichever copy of it: no others save these registers. Of LLVM's
/// there is one, by its names.
bool is_unwinder(const description& of, const row& now) noexcept {
  const auto is = [&of](auto* function) { return of.begin == reinterpret_cast<std::uint64_t>(function); };
  return now.saves_results || is(&_Unwind_RaiseException) || is(&_Unwind_Resume) ||
         is(&_Unwind_Resume_or_Rethrow) || is(&_Unwind_ForcedUnwind);
}

constexpr std::uint64_t not_simple = ~std::uint64_t{0};

std::uint64_t step_of(const description& of, std::uint64_t address, row& now) noexcept {
  if (of.record != nullptr) {
    return packed(of.record->continuation == 0 ? code::promoted : code::latent_call,
                  reinterpret_cast<std::uint64_t>(of.record));
  }
  if (!rules_at(of, address, now)) {
    return 0;
  }
  if (now.outermost) {
    return packed(code::outermost, 0);
  }
  if (is_unwinder(of, now)) {
    return packed(code::unwinder, 0);
  }
  const std::uint64_t packed_step = pack(now);
  return packed_step != 0 ? packed_step : not_simple;
}

// What stands behind a call in place: an instruction that does nothing, and in its operand how far away the
// record is.
constexpr std::uint32_t mark_of_call = 0x00841f0f;
constexpr std::uint64_t mark_bytes = 8;
constexpr std::uint64_t call_bytes = 5;

template <class T>
T read_code(std::uint64_t address) noexcept {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

/// The record that a mark names.
const fork_record* marked(std::uint64_t mark) noexcept {
  const auto distance = read_code<std::int32_t>(mark + sizeof mark_of_call);
  return reinterpret_cast<const fork_record*>(mark + static_cast<std::uint64_t>(std::int64_t{distance}));
}

/// The record of the latent fork that calls its child right before `ip`; null: there is none.
const fork_record* record_in_place(std::uint64_t ip) noexcept {
  description first;
  description last;
  bool lasts;
  // All of the mark is code of one function, so it can be read.
  if (!describe(ip, first) || !describe(ip + mark_bytes - 1, last) || first.begin != last.begin ||
      read_code<std::uint32_t>(ip) != mark_of_call) {
    return nullptr;
  }
  // Compilers, too, write this instruction, to fill gaps, with no operand to speak of.
  const fork_record* const record = marked(ip);
  const auto address = reinterpret_cast<std::uint64_t>(record);
  return address != ip && address % alignof(fork_record) == 0 && find_table(address, lasts) != nullptr &&
                 record->at(record->called) == ip
             ? record
             : nullptr;
}

/// The step as a word, which is kept where the code stays; not_simple, with `now` filled; or 0:
/// nothing is understood.
std::uint64_t work_out(const registers& at, bool exact, row& now) noexcept {
  const std::uint64_t address = exact ? at.ip : at.ip - 1;
  description of;
  if (!describe(address, of)) {
    return 0;
  }
  std::uint64_t word = step_of(of, address, now);
  if (!exact && word != not_simple && static_cast<code>(packed_kind(word)) == code::ordinary &&
      record_in_place(at.ip) != nullptr) {
    word = packed(code::latent_in_place, word >> kind_shift);
  }
  // Of a plug-in nothing is kept: it may go, and another lie there.
  if (word != 0 && word != not_simple && of.lasts) {
    keep(at.ip, exact, word);
  }
  return word;
}

/// Goes out by a packed step. Most of a walk's time is spent here.
step step_by(std::uint64_t packed_step, registers& at, std::uint64_t end) noexcept {
  const std::uint64_t rest = packed_step >> kind_shift;
  const std::uint64_t frame = ((rest & 1) != 0 ? at.rbp : at.sp) + (rest >> 1 & 0xfffffU) * 8;
  if (frame <= at.sp || frame > end) {
    return step::off_stack;
  }
  // As read_word asks: none of the words is above the frame's address, which is not above the end.
  if (frame % 8 != 0 || (rest >> (21 + 5 * followed)) * 8 > frame - at.sp + red_zone) {
    return step::unknown;
  }
  const auto* const top = reinterpret_cast<const std::uint64_t*>(frame);
  for (int place = 0; place < followed; ++place) {
    const std::uint64_t words = rest >> (21 + 5 * place) & 31;
    if (words != 0) {
      saved_register(at, place) = *(top - words);
    }
  }
  at.ip = *(top - 1);
  at.sp = frame;
  return step::done;
}

step step_by(const row& now, registers& at, std::uint64_t end) noexcept {
  std::uint64_t frame;
  if (now.frame_by_expression) {
    const auto* const block = reinterpret_cast<const byte*>(now.frame_offset);
    if (frame_word_is_elsewhere(block, at, end)) {
      return step::off_stack;
    }
    if (!evaluate(block, at, end, nullptr, frame)) {
      return step::unknown;
    }
  } else {
    if (!register_by_column(at, now.frame_column, frame)) {
      return step::unknown;
    }
    frame += static_cast<std::uint64_t>(now.frame_offset);
  }
  std::uint64_t ip;
  if (frame <= at.sp || frame > end) {
    return step::off_stack;
  }
  if (!read_word(at, end, frame - 8, ip)) {
    return step::unknown;
  }
  registers out = at;
  for (int place = 0; place < followed; ++place) {
    const rule& one = now.saved[place];
    std::uint64_t where = frame + static_cast<std::uint64_t>(one.value);
    if (one.kind == rule_kind::at_expression) {
      std::uint64_t first = frame;
      if (!evaluate(reinterpret_cast<const byte*>(one.value), at, end, &first, where)) {
        return step::unknown;
      }
    } else if (one.kind != rule_kind::offset) {
      continue;
    }
    if (!read_word(at, end, where, saved_register(out, place))) {
      return step::unknown;
    }
  }
  at = out;
  at.ip = ip;
  at.sp = frame;
  return step::done;
}

}  // namespace

void find_tables_by(table_finder find) noexcept {
  // Release pairs with the acquire in find_table: what the search reads is there.
  finder.store(find, std::memory_order_release);
}

void prepare_kept_steps() noexcept {
  constexpr std::size_t page = 4096;
  for (std::size_t i = 0; i < kept_steps; i += page / sizeof(kept_step)) {
    // Relaxed, and without a partner: it leaves the word as it is.
    steps[i].word.fetch_or(0, std::memory_order_relaxed);
  }
}

const unsigned char* find_table(std::uint64_t address, bool& lasts) noexcept {
  const table_finder find = finder.load(std::memory_order_acquire);
  return find == nullptr ? nullptr : find(address, lasts);
}

place look(const registers& at, bool exact, bool looks_up) noexcept {
  std::uint64_t word = kept(at.ip, exact);
  if (word == 0) {
    if (!looks_up) {
      return {code::not_looked_up, nullptr, 0};
    }
    row now;
    word = work_out(at, exact, now);
    if (word == 0) {
      return {code::unknown, nullptr, 0};
    }
    if (word == not_simple) {
      const fork_record* const record = exact ? nullptr : record_in_place(at.ip);
      return {record == nullptr ? code::ordinary : code::latent_in_place, record, 0};
    }
  }
  const auto kind = static_cast<code>(packed_kind(word));
  if (kind == code::latent_in_place) {
    return {kind, marked(at.ip), word};
  }
  const bool is_call = kind == code::latent_call || kind == code::promoted;
  return {kind, is_call ? reinterpret_cast<const fork_record*>(word >> kind_shift) : nullptr, word};
}

step step_out(registers& at, const place& here, bool exact, bool looks_up, std::uint64_t end) noexcept {
  if (here.kind != code::ordinary && here.kind != code::latent_in_place) {
    return step::unknown;
  }
  if (here.way_out != 0) {
    return step_by(here.way_out, at, end);
  }
  row now;
  return looks_up && work_out(at, exact, now) == not_simple ? step_by(now, at, end) : step::unknown;
}

bool is_behind_call_in_place(std::uint64_t address) noexcept { return record_in_place(address) != nullptr; }

bool is_between_look_and_call(const registers& at) noexcept {
  const auto opcode = read_code<std::uint8_t>(at.ip);
  if (opcode == 0x7d) {  // jge, 8 bits
    return record_in_place(at.ip + 2 + call_bytes) != nullptr;
  }
  if (opcode == 0x0f && read_code<std::uint8_t>(at.ip + 1) == 0x8d) {  // the same, 32 bits
    return record_in_place(at.ip + 6 + call_bytes) != nullptr;
  }
  if (opcode == 0x0f && read_code<std::uint8_t>(at.ip + 1) == 0x8c) {  // jl, 32 bits
    const auto distance = read_code<std::int32_t>(at.ip + 2);
    const registers there = {
        at.ip + 6 + static_cast<std::uint64_t>(std::int64_t{distance}), 0, 0, 0, 0, 0, 0, 0};
    return look(there, true, true).kind == code::latent_call;
  }
  return record_in_place(at.ip + call_bytes) != nullptr;
}

}  // namespace arch
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
