// What compilers call under -fsanitize=thread, but for atomic operations. Of the one file that has
//
//   template <how kind, std::size_t bytes> void note(const void* memory, void* at)
//   void note_range(const void* memory, std::size_t bytes, how kind, void* at)
//
// before it, which say what an access is.
#ifndef NOPAL_CHECK_HOOK_FUNCTIONS_HPP
#define NOPAL_CHECK_HOOK_FUNCTIONS_HPP

#include <cstddef>

#include "copies.hpp"
#include "shadow.hpp"
#include "sites.hpp"
#include "start.hpp"
#include "thread.hpp"

#define HERE __builtin_return_address(0)

/// What `__builtin_frame_address(0)` would be, which makes a frame.
#define frame_of_hook (reinterpret_cast<address>(__builtin_dwarf_cfa()) - 2 * sizeof(void*))

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
  const address stack = frame_of_hook;
  // Calls that were left by a jump.
  while (t.calls->stack <= stack && t.calls > t.running->calls) --t.calls;
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

#endif
