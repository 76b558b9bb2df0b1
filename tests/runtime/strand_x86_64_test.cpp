// What threads of x86-64 have beside what all have, for strand_test.cpp.
#include <gtest/gtest.h>

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/two_threads.hpp"

namespace {

using nopal::scope;
using two_threads::on_two_threads;
using two_threads::passes;

constexpr unsigned sse_traps_and_modes = 0xffc0;

unsigned sse_control() {
  unsigned word;
  asm volatile("stmxcsr %0" : "=m"(word));
  return word & sse_traps_and_modes;
}
void set_sse_control(unsigned word) { asm volatile("ldmxcsr %0" : : "m"(word)); }
unsigned short x87_control() {
  unsigned short word;
  asm volatile("fnstcw %0" : "=m"(word));
  return word;
}
void set_x87_control(unsigned short word) { asm volatile("fldcw %0" : : "m"(word)); }

/// Rounding down, flush-to-zero, denormals-are-zero, a trap for division by zero; x87 rounding up with 53 bits and its trap.
NOPAL_PROGRAM(float_modes) {
  const unsigned sse_before = sse_control();
  const unsigned short x87_before = x87_control();
  constexpr unsigned sse = (0x1f80 & ~0x200U) | 0x2000 | 0x8000 | 0x40;
  constexpr unsigned short x87 = (0x037f & ~0x304 & ~0xc00) | 0x200 | 0x800;
  for (int i = 0; i < 20; ++i) {
    set_sse_control(sse);
    set_x87_control(x87);
    const auto is_ours = [] { NOPAL_CHECK(sse_control() == sse && x87_control() == x87); };
    on_two_threads(is_ours, is_ours);
    is_ours();
    set_sse_control(sse_before);
    set_x87_control(x87_before);
    const auto is_usual = [&] { NOPAL_CHECK(sse_control() == sse_before && x87_control() == x87_before); };
    on_two_threads(is_usual, is_usual);
  }
  return 0;
}

/// A continuation's own are still there after its join, on another thread again.
NOPAL_PROGRAM(float_modes_at_joins) {
  const unsigned sse_before = sse_control();
  const unsigned short x87_before = x87_control();
  constexpr unsigned sse = 0x1f80 | 0x4000 | 0x8000;
  constexpr unsigned short x87 = 0x037f | 0x400;
  for (int i = 0; i < 20; ++i) {
    on_two_threads([] {},
                   [] {
                     set_sse_control(sse);
                     set_x87_control(x87);
                   });
    NOPAL_CHECK(sse_control() == sse && x87_control() == x87);
    set_sse_control(sse_before);
    set_x87_control(x87_before);
  }
  return 0;
}

/// As the ABI has it at each call; a slow push sees to it where the caller did not.
NOPAL_PROGRAM(direction_flag) {
  const auto is_clear = [] {
    unsigned long flags;
    asm volatile("pushfq\n\tpopq %0" : "=r"(flags));
    NOPAL_CHECK((flags & 0x400) == 0);
  };
  for (int i = 0; i < 20; ++i) {
    on_two_threads(is_clear, is_clear);
    if (support::watched) continue;  // a sanitizer's own calls rely on it
    // The first push of a root is a slow one.
    scope s;
    asm volatile("std" : : : "memory", "cc");
    s.fork(is_clear);
    is_clear();
    s.join();
  }
  return 0;
}

NOPAL_PROGRAM(segment_bases) {
  const auto base = [](int which) {
    unsigned long address = 0;
    NOPAL_CHECK(syscall(SYS_arch_prctl, which, &address) == 0);
    return address;
  };
  support::use_runtime();  // a thread begins with its starter's
  static int target;
  const auto own = reinterpret_cast<unsigned long>(&target);
  NOPAL_CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, own) == 0);
  const unsigned long thread_pointer = base(ARCH_GET_FS);
  on_two_threads([&] { NOPAL_CHECK(base(ARCH_GET_GS) == own && base(ARCH_GET_FS) == thread_pointer); },
                 [&] { NOPAL_CHECK(base(ARCH_GET_GS) == 0 && base(ARCH_GET_FS) != thread_pointer); });
  return 0;
}

TEST(strand_carries, floating_point_modes_and_traps) { EXPECT_TRUE(passes("float_modes")); }
TEST(strand_carries, floating_point_modes_home) { EXPECT_TRUE(passes("float_modes_at_joins")); }
TEST(strand_carries, a_clear_direction_flag) { EXPECT_TRUE(passes("direction_flag")); }
TEST(thread_keeps, segment_bases) { EXPECT_TRUE(passes("segment_bases")); }

}  // namespace
