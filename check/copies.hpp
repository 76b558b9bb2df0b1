// The C library's copies, which programs of the checker find here.
#ifndef NOPAL_CHECK_COPIES_HPP
#define NOPAL_CHECK_COPIES_HPP

#include <cstddef>

#include "made.hpp"
#include "thread.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

inline void* copy(void* to, const void* from, std::size_t bytes) noexcept {
  void* const begin = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return begin;
}

void* move(void* to, const void* from, std::size_t bytes) noexcept;

inline void* fill(void* to, int value, std::size_t bytes) noexcept {
  void* const begin = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
  return begin;
}

/// Whether it is code of the program and not of a shared library.
bool is_in_program(address at) noexcept;

/// Where the program called a library from that came to `returned_to`; that itself if it is the
/// program's.
address place_in_program(address returned_to) noexcept;

/// A function of the C library that was called from `returned_to` does that.
void note_use_by_library(const void* memory, std::size_t bytes, how kind, void* returned_to) noexcept;

inline std::size_t length_of(const char* text) noexcept {
  std::size_t bytes = 0;
  while (text[bytes] != '\0') ++bytes;
  return bytes;
}

}  // namespace nopal_check

#endif
