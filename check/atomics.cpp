// Atomic operations of 8 to 128 bits, as compilers emit them under -fsanitize=thread: looked at as
// accesses that hold the one lock of all atomic operations, and done.
#include <cstddef>
#include <cstdint>

#include "locks.hpp"
#include "races.hpp"
#include "records.hpp"
#include "shadow.hpp"
#include "thread.hpp"

using namespace nopal_check;

namespace {

void note(const volatile void* memory, std::size_t bytes, how kind, void* at) noexcept {
  if (self.is_heeding == 0) return;
  const auto begin = reinterpret_cast<address>(memory);
  const auto from = reinterpret_cast<address>(at);
  if (!has_threads && self.lock_set == 0) {
    begin_quick_work();
    look_atomically(begin, bytes, kind, from);
    end_quick_work();
    return;
  }
  const at_work now;
  if (self.lock_set == 0) return look_atomically(begin, bytes, kind, from);
  look_locked(begin, bytes, kind, from, with_lock(self.lock_set, atomic_lock, false));
}

/// What was there may be another's from now on.
void note_store(const volatile void* memory, std::size_t bytes, void* at) noexcept {
  if (self.is_heeding == 0) return;
  note(memory, bytes, how::write, at);
  const at_work now;
  atomic_changes& all = *self.changes;
  if (all.latest.strand != self.strand) all.before = all.latest;
  leave_records();
  all.latest = {self.strand, next_record()};
  // Later accesses have records of their own, also where the strand has made the same before.
  self.first_own = next_record();
  start_segment();
}

/// An operation that changes what it reads: it may count references.
void note_change(const volatile void* memory, std::size_t bytes, void* at) noexcept {
  if (self.is_heeding == 0) return;
  note_store(memory, bytes, at);
  self.running->has_counted = true;
}

/// What was brought down to zero may have counted references, this strand's the last.
void note_count(bool is_zero) noexcept {
  if (self.is_heeding != 0 && is_zero) note_last_user();
}

using a8 = std::uint8_t;
using a16 = std::uint16_t;
using a32 = std::uint32_t;
using a64 = std::uint64_t;
__extension__ using a128 = unsigned __int128;

/// Where libstdc++ finds this in a shared pointer's two counts, it changes them no more.
constexpr std::uint64_t both_are_one = (std::uint64_t{1} << 32) + 1;

/// By compare and swap for the width that has nothing else.
template <class T, class Change>
T change(volatile T* a, Change with) noexcept {
  if constexpr (sizeof(T) == 16) {
    T before = *a;
    for (;;) {
      const T seen = __sync_val_compare_and_swap(a, before, with(before));
      if (seen == before) return before;
      before = seen;
    }
  } else {
    T before = __atomic_load_n(a, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(a, &before, with(before), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    return before;
  }
}

template <class T>
T load(const volatile T* a) noexcept {
  if constexpr (sizeof(T) == 16) {
    return __sync_val_compare_and_swap(const_cast<volatile T*>(a), T{0}, T{0});
  } else {
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);
  }
}

/// The plain access to what is expected, of which compilers that hand its address tell nothing.
void note_expected(const void* expected, std::size_t bytes, how kind, void* at) noexcept {
  if (self.is_heeding == 0) return;
  const at_work now;
  look(reinterpret_cast<address>(expected), bytes, kind, reinterpret_cast<address>(at));
}

template <class T>
int exchange_if(volatile T* a, T* expected, T desired, void* at) noexcept {
  bool is_done;
  if constexpr (sizeof(T) == 16) {
    const T seen = __sync_val_compare_and_swap(a, *expected, desired);
    is_done = seen == *expected;
    if (!is_done) *expected = seen;
  } else {
    is_done = __atomic_compare_exchange_n(a, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  if (is_done) {
    note_change(a, sizeof(T), at);
  } else {
    note(a, sizeof(T), how::read, at);
  }
  return is_done ? 1 : 0;
}

template <class T>
int exchange_if_as_at(volatile T* a, T* expected, T desired, void* at) noexcept {
  note_expected(expected, sizeof(T), how::read, at);
  const int is_done = exchange_if(a, expected, desired, at);
  if (is_done == 0) note_expected(expected, sizeof(T), how::write, at);
  return is_done;
}

}  // namespace

#define HERE __builtin_return_address(0)

#define CHANGE(bits, name, expression)                                                                       \
  a##bits __tsan_atomic##bits##_##name(volatile a##bits* a, a##bits v, int) {                                \
    note_change(a, sizeof *a, HERE);                                                                         \
    const auto made = [v]([[maybe_unused]] a##bits old) { return static_cast<a##bits>(expression); };        \
    const a##bits before = change(a, made);                                                                  \
    note_count(made(before) == 0);                                                                           \
    return before;                                                                                           \
  }

#define ATOMICS_OF_BITS(bits)                                                                                \
  a##bits __tsan_atomic##bits##_load(const volatile a##bits* a, int) {                                       \
    note(a, sizeof *a, how::read, HERE);                                                                     \
    const a##bits seen = load(a);                                                                            \
    note_count(bits == 64 && seen == both_are_one);                                                          \
    return seen;                                                                                             \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile a##bits* a, a##bits v, int) {                                    \
    note_store(a, sizeof *a, HERE);                                                                          \
    change(a, [v](a##bits) { return v; });                                                                   \
  }                                                                                                          \
  CHANGE(bits, exchange, v)                                                                                  \
  CHANGE(bits, fetch_add, old + v)                                                                           \
  CHANGE(bits, fetch_sub, old - v)                                                                           \
  CHANGE(bits, fetch_and, old& v)                                                                            \
  CHANGE(bits, fetch_or, old | v)                                                                            \
  CHANGE(bits, fetch_xor, old ^ v)                                                                           \
  CHANGE(bits, fetch_nand, ~(old & v))                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits* a, a##bits* c, a##bits v, int, int) {  \
    return exchange_if_as_at(a, c, v, HERE);                                                                 \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* a, a##bits* c, a##bits v, int, int) {    \
    return exchange_if_as_at(a, c, v, HERE);                                                                 \
  }                                                                                                          \
  a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits* a, a##bits c, a##bits v, int, int) {  \
    exchange_if(a, &c, v, HERE);                                                                             \
    return c;                                                                                                \
  }

extern "C" {

ATOMICS_OF_BITS(8)
ATOMICS_OF_BITS(16)
ATOMICS_OF_BITS(32)
ATOMICS_OF_BITS(64)
ATOMICS_OF_BITS(128)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
}
