// The calls that compilers emit under -fsanitize=thread for accesses and functions. Atomic operations
// are in atomics.cpp.
#include <bit>
#include <cstddef>

#include "cells.hpp"
#include "copies.hpp"
#include "made.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "start.hpp"
#include "thread.hpp"

using namespace nopal_check;

namespace {

[[gnu::noinline]] void look_anew(address begin, std::size_t bytes, how kind, address at) noexcept {
  const at_work now;
  look(begin, bytes, kind, at);
}

/// As `at_work` where there is one thread, and accesses are heeded: one addition for both numbers.
constexpr std::uint64_t quick_work = (std::uint64_t{1} << 32) - 1;
static_assert(offsetof(thread, works) == offsetof(thread, is_heeding) + 4 && sizeof(int) == 4);
static_assert(std::endian::native == std::endian::little);
inline void add_to_heeding(std::uint64_t step) noexcept {
  std::uint64_t both;
  __builtin_memcpy(&both, &self.is_heeding, sizeof both);
  both += step;
  __builtin_memcpy(&self.is_heeding, &both, sizeof both);
}
inline void begin_quick_work() noexcept { add_to_heeding(quick_work); }
inline void end_quick_work() noexcept { add_to_heeding(-quick_work); }

template <how kind, std::size_t bytes>
[[gnu::noinline]] void note_cells(address begin, address at) noexcept {
  if (!look_at_cells<kind, bytes>(begin, at)) look(begin, bytes, kind, at);
  keep_made<kind, bytes>(begin);
  end_quick_work();
}

template <how kind, std::size_t bytes>
[[gnu::noinline]] void note_new_cell(address begin, address at, std::uint64_t key, cell* known) noexcept {
  if (!look_at_new_cell<kind>(*known, load_cell(*known), key, at) || (begin + bytes) % block_bytes == 0)
    return note_cells<kind, bytes>(begin, at);
  keep_made<kind, bytes>(begin);
  end_quick_work();
}

/// An access that the table of its kind and size does not have. All that it calls ends it, so it keeps no registers.
template <how kind, std::size_t bytes>
[[gnu::noinline]] void note_unmade(address begin, address at) noexcept {
  if (self.is_heeding == 0) return;
  if (made_mark == no_mark) [[unlikely]]
    return look_anew(begin, bytes, kind, at);
  begin_quick_work();
  const std::uint64_t entry = entry_of(begin);
  if (!is_one_cell<bytes>(entry, begin)) return note_cells<kind, bytes>(begin, at);
  cell* const known = cells_of(entry) + begin % block_bytes / bytes;
  const std::uint64_t word = load_cell(*known);
  if (!is_known_cell<kind>(word)) {
    note_stack(begin);
    const std::uint64_t key = site_key(at);
    if (!repeat_in_cell<kind>(*known, word, key)) return note_new_cell<kind, bytes>(begin, at, key, known);
  }
  if ((begin + bytes) % block_bytes == 0) return note_cells<kind, bytes>(begin, at);
  keep_made<kind, bytes>(begin);
  end_quick_work();
}

template <how kind, std::size_t bytes>
[[gnu::always_inline]] inline void note(const void* memory, void* at) noexcept {
  const auto begin = reinterpret_cast<address>(memory);
  if (is_made<kind, bytes>(begin)) [[likely]]
    return;
  note_unmade<kind, bytes>(begin, reinterpret_cast<address>(at));
}

void note_range(const void* memory, std::size_t bytes, how kind, void* at) noexcept {
  if (self.is_heeding == 0 || bytes == 0) return;
  look_anew(reinterpret_cast<address>(memory), bytes, kind, reinterpret_cast<address>(at));
}

}  // namespace

#define HERE __builtin_return_address(0)

#define HOOKS_OF_SIZE(bytes)                                                                                 \
  void __tsan_read##bytes(void* p) { note<how::read, bytes>(p, HERE); }                                      \
  void __tsan_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }                                    \
  void __tsan_read##bytes##_pc(void* p, void* pc) { note<how::read, bytes>(p, pc); }                         \
  void __tsan_write##bytes##_pc(void* p, void* pc) { note<how::write, bytes>(p, pc); }                       \
  void __tsan_volatile_read##bytes(void* p) { note<how::read, bytes>(p, HERE); }                             \
  void __tsan_volatile_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }                           \
  void __tsan_unaligned_volatile_read##bytes(void* p) { note<how::read, bytes>(p, HERE); }                   \
  void __tsan_unaligned_volatile_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }                 \
  void __tsan_unaligned_read##bytes(void* p) { note<how::read, bytes>(p, HERE); }                            \
  void __tsan_unaligned_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }                          \
  void __tsan_read_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }                               \
  void __tsan_unaligned_read_write##bytes(void* p) { note<how::write, bytes>(p, HERE); }

extern "C" {

HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

void __tsan_read_range(void* p, std::size_t bytes) { note_range(p, bytes, how::read, HERE); }
void __tsan_write_range(void* p, std::size_t bytes) { note_range(p, bytes, how::write, HERE); }
void __tsan_read_range_pc(void* p, std::size_t bytes, void* pc) { note_range(p, bytes, how::read, pc); }
void __tsan_write_range_pc(void* p, std::size_t bytes, void* pc) { note_range(p, bytes, how::write, pc); }

/// Constructors and destructors store the same pointer again; others may read it meanwhile.
void __tsan_vptr_update(void** vptr, void* value) {
  if (*vptr != value) note<how::write, 8>(vptr, HERE);
}
void __tsan_vptr_read(void** vptr) { note<how::read, 8>(vptr, HERE); }

void __tsan_func_entry(void* caller) {
  thread& t = self;
  if (t.calls == nullptr) return;
  const auto stack = reinterpret_cast<address>(__builtin_frame_address(0));
  // Calls that were left by a jump.
  while (t.calls > t.running->calls && t.calls->stack <= stack) --t.calls;
  enter_call(t, reinterpret_cast<address>(caller), stack);
}

void __tsan_func_exit() {
  thread& t = self;
  if (t.calls != nullptr && t.calls > t.running->calls) --t.calls;
}

void __tsan_init() { start(); }

void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  note_range(from, bytes, how::read, HERE);
  note_range(to, bytes, how::write, HERE);
  return copy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  note_range(from, bytes, how::read, HERE);
  note_range(to, bytes, how::write, HERE);
  return move(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note_range(to, bytes, how::write, HERE);
  return fill(to, value, bytes);
}

void nopal_check_ignore() {
  ++self.ignores;
  self.is_heeding = 0;
}

void nopal_check_heed() {
  if (--self.ignores == 0 && self.running != nullptr) self.is_heeding = 1;
}

void nopal_check_forget(const void* memory, std::size_t bytes) {
  if (self.running == nullptr || bytes == 0) return;
  const at_work now;
  clear(reinterpret_cast<address>(memory), bytes);
}
}
