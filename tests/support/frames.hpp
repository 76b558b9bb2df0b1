// Functions with frames of all kinds that compilers make, for walks to go over.
#ifndef NOPAL_TESTS_SUPPORT_FRAMES_HPP
#define NOPAL_TESTS_SUPPORT_FRAMES_HPP

#include <alloca.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>

#include "support/program.hpp"

namespace support {

/// Calls `body` from within another kind of frame.
using frame = void (*)(const std::function<void()>& body);

[[gnu::noinline]] inline void plain_frame(const std::function<void()>& body) {
  body();
  asm volatile("");
}

[[gnu::noinline]] inline void frame_of_pages(const std::function<void()>& body) {
  volatile char large[100000];
  large[0] = 1;
  large[sizeof large - 1] = 2;
  body();
  NOPAL_CHECK(large[0] == 1 && large[sizeof large - 1] == 2);
}

inline volatile std::size_t allocated = 777;

[[gnu::noinline]] inline void frame_that_grows(const std::function<void()>& body) {
  auto* const memory = static_cast<volatile char*>(alloca(allocated));
  memory[0] = 1;
  memory[776] = 2;
  body();
  NOPAL_CHECK(memory[0] == 1 && memory[776] == 2);
}

struct alignas(128) aligned_object {
  volatile std::uint64_t value;
};
[[gnu::noinline]] inline void realigned_frame(const std::function<void()>& body) {
  aligned_object one{5};
  asm volatile("" : : "r"(&one) : "memory");
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(&one) % alignof(aligned_object) == 0);
  body();
  NOPAL_CHECK(one.value == 5);
}

[[gnu::noinline]] inline void realigned_frame_that_grows(const std::function<void()>& body) {
  aligned_object one{6};
  auto* const memory = static_cast<volatile char*>(alloca(allocated));
  asm volatile("" : : "r"(&one), "r"(memory) : "memory");
  memory[776] = 2;
  body();
  NOPAL_CHECK(one.value == 6 && memory[776] == 2);
}

/// Saves all registers that a call preserves, and has other things in them.
[[gnu::noinline]] inline void frame_with_all_registers(const std::function<void()>& body) {
  asm volatile("xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\txorl %%r14d, %%r14d\n\t"
               "xorl %%r15d, %%r15d"
               :
               :
               : "rbx", "r12", "r13", "r14", "r15");
  body();
  asm volatile("" : : : "rbx", "r12", "r13", "r14", "r15");
}

inline int compare_by(const void* left, const void* right);
inline const std::function<void()>* compared = nullptr;

/// The C library's code between two forks. The body runs once.
[[gnu::noinline]] inline void frame_of_the_c_library(const std::function<void()>& body) {
  int two[] = {1, 2};
  compared = &body;
  qsort(two, 2, sizeof two[0], compare_by);
}
inline int compare_by(const void*, const void*) {
  (*compared)();
  return -1;
}

[[gnu::noinline]] inline void frame_with_a_handler(const std::function<void()>& body) {
  try {
    body();
  } catch (const int) {
    std::abort();
  }
}

inline constexpr frame frames[] = {plain_frame,
                                   frame_of_pages,
                                   frame_that_grows,
                                   realigned_frame,
                                   realigned_frame_that_grows,
                                   frame_with_all_registers,
                                   frame_of_the_c_library,
                                   frame_with_a_handler};
inline constexpr int frame_kinds = static_cast<int>(std::size(frames));

}  // namespace support

#endif
