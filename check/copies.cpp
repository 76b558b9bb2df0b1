// Functions of the C library that read or write the program's memory: they say so, and do it.
#include "copies.hpp"

#include <link.h>
#include <unwind.h>

#include "shadow.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

address code_begin;
address code_end;

/// The first object is the program itself.
int note_code(dl_phdr_info* program, std::size_t, void*) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const auto& part = program->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    code_begin = program->dlpi_addr + part.p_vaddr;
    code_end = code_begin + part.p_memsz;
  }
  return 1;
}

}  // namespace

bool is_in_program(address at) noexcept {
  if (code_end == 0) dl_iterate_phdr(note_code, nullptr);
  return at >= code_begin && at < code_end;
}

namespace {

struct walk {
  address found;
  int steps;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  walk& on_the_way = *static_cast<walk*>(data);
  const address at = _Unwind_GetIP(context);
  // The first two are the checker's own.
  if (++on_the_way.steps > 3 && is_in_program(at)) {
    on_the_way.found = at;
    return _URC_END_OF_STACK;
  }
  return on_the_way.steps < 40 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

void note_use_by_library(const void* memory, std::size_t bytes, how kind, void* returned_to) noexcept {
  if (self.is_heeding == 0 || bytes == 0) return;
  const at_work now;
  look(reinterpret_cast<address>(memory), bytes, kind,
       place_in_program(reinterpret_cast<address>(returned_to)));
}

void* move(void* to, const void* from, std::size_t bytes) noexcept {
  auto* const target = static_cast<unsigned char*>(to);
  const auto* const source = static_cast<const unsigned char*>(from);
  if (reinterpret_cast<address>(to) - reinterpret_cast<address>(from) >= bytes) return copy(to, from, bytes);
  std::size_t left = bytes;
  while (left >= sizeof(std::uint64_t)) {
    left -= sizeof(std::uint64_t);
    std::uint64_t word;
    __builtin_memcpy(&word, source + left, sizeof word);
    __builtin_memcpy(target + left, &word, sizeof word);
  }
  while (left != 0) {
    --left;
    target[left] = source[left];
  }
  return to;
}

address place_in_program(address returned_to) noexcept {
  if (is_in_program(returned_to)) return returned_to;
  walk found{returned_to, 0};
  _Unwind_Backtrace(step, &found);
  return found.found;
}

}  // namespace nopal_check

using namespace nopal_check;

#define HERE __builtin_return_address(0)

extern "C" {

void* memcpy(void* to, const void* from, std::size_t bytes) {
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  return copy(to, from, bytes);
}

void* memmove(void* to, const void* from, std::size_t bytes) {
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  return move(to, from, bytes);
}

void* memset(void* to, int value, std::size_t bytes) {
  note_use_by_library(to, bytes, how::write, HERE);
  return fill(to, value, bytes);
}

void* __memcpy_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  return copy(to, from, bytes);
}

void* __memmove_chk(void* to, const void* from, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  return move(to, from, bytes);
}

void* __memset_chk(void* to, int value, std::size_t bytes, std::size_t room) {
  if (bytes > room) __builtin_trap();
  note_use_by_library(to, bytes, how::write, HERE);
  return fill(to, value, bytes);
}

int memcmp(const void* a, const void* b, std::size_t bytes) {
  note_use_by_library(a, bytes, how::read, HERE);
  note_use_by_library(b, bytes, how::read, HERE);
  const auto* const one = static_cast<const unsigned char*>(a);
  const auto* const other = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  }
  return 0;
}

int bcmp(const void* a, const void* b, std::size_t bytes) {
  note_use_by_library(a, bytes, how::read, HERE);
  note_use_by_library(b, bytes, how::read, HERE);
  const auto* const one = static_cast<const unsigned char*>(a);
  const auto* const other = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (one[i] != other[i]) return 1;
  }
  return 0;
}

std::size_t strlen(const char* text) noexcept {
  const std::size_t bytes = length_of(text);
  note_use_by_library(text, bytes + 1, how::read, HERE);
  return bytes;
}

char* strcpy(char* to, const char* from) noexcept {
  const std::size_t bytes = length_of(from) + 1;
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to, bytes, how::write, HERE);
  copy(to, from, bytes);
  return to;
}

char* strcat(char* to, const char* from) noexcept {
  const std::size_t before = length_of(to);
  const std::size_t bytes = length_of(from) + 1;
  note_use_by_library(to, before + 1, how::read, HERE);
  note_use_by_library(from, bytes, how::read, HERE);
  note_use_by_library(to + before, bytes, how::write, HERE);
  copy(to + before, from, bytes);
  return to;
}

char* strncpy(char* to, const char* from, std::size_t room) noexcept {
  std::size_t bytes = 0;
  while (bytes < room && from[bytes] != '\0') ++bytes;
  note_use_by_library(from, bytes < room ? bytes + 1 : bytes, how::read, HERE);
  note_use_by_library(to, room, how::write, HERE);
  copy(to, from, bytes);
  fill(to + bytes, 0, room - bytes);
  return to;
}

int strcmp(const char* a, const char* b) noexcept {
  std::size_t i = 0;
  while (a[i] != '\0' && a[i] == b[i]) ++i;
  note_use_by_library(a, i + 1, how::read, HERE);
  note_use_by_library(b, i + 1, how::read, HERE);
  return static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]);
}

int strncmp(const char* a, const char* b, std::size_t most) noexcept {
  std::size_t i = 0;
  while (i < most && a[i] != '\0' && a[i] == b[i]) ++i;
  const std::size_t bytes = i < most ? i + 1 : most;
  note_use_by_library(a, bytes, how::read, HERE);
  note_use_by_library(b, bytes, how::read, HERE);
  return i < most ? static_cast<unsigned char>(a[i]) - static_cast<unsigned char>(b[i]) : 0;
}
}
