// Memory that the program maps begins anew, and what it unmaps is forgotten: the system gives addresses again. The
// calls of the system take the place of the C library's functions, which the checker itself uses at its start.
#include <cstdarg>
#include <cstddef>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shadow.hpp"
#include "thread.hpp"

using namespace nopal_check;

namespace {

/// As the system maps them.
std::size_t whole_pages(std::size_t bytes) noexcept {
  constexpr std::size_t page = 4096;
  return (bytes + page - 1) / page * page;
}

void forget(const void* begin, std::size_t bytes) noexcept {
  if (!notes_memory() || begin == MAP_FAILED || bytes == 0) return;
  const at_work now;
  clear_mapping(reinterpret_cast<address>(begin), whole_pages(bytes));
}

void* mapped(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t from) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system's call gives a number
  auto* const made = reinterpret_cast<void*>(syscall(SYS_mmap, wanted, bytes, protection, flags, file, from));
  forget(made, bytes);
  return made;
}

}  // namespace

extern "C" {

void* shmat(int memory, const void* wanted, int flags) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system's call gives a number
  auto* const made = reinterpret_cast<void*>(syscall(SYS_shmat, memory, wanted, flags));
  shmid_ds about{};
  if (made != MAP_FAILED && shmctl(memory, IPC_STAT, &about) == 0) forget(made, about.shm_segsz);
  return made;
}

void* mmap(void* wanted, std::size_t bytes, int protection, int flags, int file, off_t from) noexcept {
  return mapped(wanted, bytes, protection, flags, file, from);
}
void* mmap64(void* wanted, std::size_t bytes, int protection, int flags, int file, off64_t from) noexcept {
  return mapped(wanted, bytes, protection, flags, file, from);
}

int munmap(void* begin, std::size_t bytes) noexcept {
  // Before another strand may map memory there.
  if (reinterpret_cast<address>(begin) % whole_pages(1) == 0) forget(begin, bytes);
  return static_cast<int>(syscall(SYS_munmap, begin, bytes));
}

void* mremap(void* begin, std::size_t bytes, std::size_t wanted_bytes, int flags, ...) noexcept {
  void* wanted = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list rest;
    va_start(rest, flags);
    wanted = va_arg(rest, void*);
    va_end(rest);
  }
  bytes = whole_pages(bytes);
  wanted_bytes = whole_pages(wanted_bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system's call gives a number
  auto* const made = reinterpret_cast<void*>(syscall(SYS_mremap, begin, bytes, wanted_bytes, flags, wanted));
  if (made == MAP_FAILED) return made;
  if (made != begin) {
    forget(begin, bytes);
    forget(made, wanted_bytes);
  } else if (wanted_bytes > bytes) {
    forget(static_cast<char*>(made) + bytes, wanted_bytes - bytes);
  } else {
    forget(static_cast<char*>(made) + wanted_bytes, bytes - wanted_bytes);
  }
  return made;
}
}
