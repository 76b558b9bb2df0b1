// More functions of the C library that read or write the program's memory, and those that _FORTIFY_SOURCE puts in the
// place of some.
#include "copies.hpp"
#include "thread.hpp"

using namespace nopal_check;

#define HERE __builtin_return_address(0)

namespace {

void copy_text(char* to, const char* from, std::size_t bytes, void* returned_to) noexcept {
  note_use_by_library(from, bytes, how::read, returned_to);
  note_use_by_library(to, bytes, how::write, returned_to);
  copy(to, from, bytes);
}

/// Up to `most` bytes and a zero after them.
char* append(char* to, const char* from, std::size_t most, void* returned_to) noexcept {
  std::size_t bytes = 0;
  while (bytes < most && from[bytes] != '\0') ++bytes;
  const std::size_t before = length_of(to);
  note_use_by_library(to, before + 1, how::read, returned_to);
  note_use_by_library(from, bytes < most ? bytes + 1 : bytes, how::read, returned_to);
  note_use_by_library(to + before, bytes + 1, how::write, returned_to);
  copy(to + before, from, bytes);
  to[before + bytes] = '\0';
  return to;
}

char* copy_padded(char* to, const char* from, std::size_t room, void* returned_to) noexcept {
  std::size_t bytes = 0;
  while (bytes < room && from[bytes] != '\0') ++bytes;
  note_use_by_library(from, bytes < room ? bytes + 1 : bytes, how::read, returned_to);
  note_use_by_library(to, room, how::write, returned_to);
  copy(to, from, bytes);
  fill(to + bytes, 0, room - bytes);
  return to;
}

void trap_unless(bool holds) noexcept {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" {

void* memchr(const void* memory, int value, std::size_t most) noexcept {
  const auto* const bytes = static_cast<const unsigned char*>(memory);
  std::size_t i = 0;
  while (i < most && bytes[i] != static_cast<unsigned char>(value)) ++i;
  note_use_by_library(memory, i < most ? i + 1 : most, how::read, HERE);
  return i < most ? const_cast<unsigned char*>(bytes + i) : nullptr;
}

char* strchr(const char* text, int value) noexcept {
  std::size_t i = 0;
  while (text[i] != '\0' && text[i] != static_cast<char>(value)) ++i;
  note_use_by_library(text, i + 1, how::read, HERE);
  return text[i] == static_cast<char>(value) ? const_cast<char*>(text + i) : nullptr;
}

void* mempcpy(void* to, const void* from, std::size_t bytes) noexcept {
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  return static_cast<char*>(copy(to, from, bytes)) + bytes;
}

void bzero(void* to, std::size_t bytes) noexcept {
  note_use_by_library(to, bytes, how::write, HERE);
  fill(to, 0, bytes);
}

char* stpcpy(char* to, const char* from) noexcept {
  const std::size_t bytes = length_of(from);
  copy_text(to, from, bytes + 1, HERE);
  return to + bytes;
}

char* strncat(char* to, const char* from, std::size_t most) noexcept { return append(to, from, most, HERE); }

char* __strcpy_chk(char* to, const char* from, std::size_t room) noexcept {
  const std::size_t bytes = length_of(from) + 1;
  trap_unless(bytes <= room);
  copy_text(to, from, bytes, HERE);
  return to;
}

char* __stpcpy_chk(char* to, const char* from, std::size_t room) noexcept {
  return __strcpy_chk(to, from, room) + length_of(from);
}

char* __strcat_chk(char* to, const char* from, std::size_t room) noexcept {
  trap_unless(length_of(to) + length_of(from) < room);
  return append(to, from, ~std::size_t{0}, HERE);
}

char* __strncpy_chk(char* to, const char* from, std::size_t bytes, std::size_t room) noexcept {
  trap_unless(bytes <= room);
  return copy_padded(to, from, bytes, HERE);
}
}
