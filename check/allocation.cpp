// The allocator's functions: memory that is allocated begins anew, and to free it is to write it.
#include "allocation.hpp"

#include <cerrno>
#include <malloc.h>
#include <unistd.h>

#include "copies.hpp"
#include "heap.hpp"
#include "races.hpp"
#include "shadow.hpp"

#include <nopal/detail/check.h>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace [[gnu::visibility("hidden")]] nopal_check {

void* allocated(void* memory, std::size_t bytes, void* returned_to) noexcept {
  if (!notes_memory() || memory == nullptr) return memory;
  const at_work now;
  const auto begin = reinterpret_cast<address>(memory);
  if (bytes != 0) {
    clear(begin, malloc_usable_size(memory));
    note_block(begin, bytes, site_at(reinterpret_cast<address>(returned_to)));
  }
  return memory;
}

namespace {

/// To free is to write. Gives back how many bytes there were, as far as they are known.
std::size_t was_freed(void* memory, void* returned_to) noexcept {
  if (!notes_memory() || memory == nullptr) return 0;
  const at_work now;
  const auto begin = reinterpret_cast<address>(memory);
  const std::size_t bytes = forget_block(begin);
  if (bytes == 0 || !now.was_heeding()) return bytes;
  if (held_races != 0) forget_held_races(begin, bytes);
  // After an atomic operation it may be the last reference that went. Others have let go theirs by such operations, too:
  // what they did until then is over.
  if (self.running->has_counted) {
    const atomic_change& latest = self.changes->latest;
    self.excused_end = (latest.strand == self.strand ? self.changes->before : latest).records_end;
  }
  look(begin, bytes, how::write, place_in_program(reinterpret_cast<address>(returned_to)));
  self.excused_end = 0;
  return bytes;
}

/// A block is as it was, after all.
void keeps_on(void* memory, std::size_t bytes, void* returned_to) noexcept {
  if (!notes_memory()) return;
  const at_work now;
  note_block(reinterpret_cast<address>(memory), bytes, site_at(reinterpret_cast<address>(returned_to)));
}

/// A block has another size now. It could have moved, so it is written; what it has more is new.
void goes_on(void* memory, std::size_t before, std::size_t bytes, void* returned_to) noexcept {
  if (!notes_memory()) return;
  const at_work now;
  const auto begin = reinterpret_cast<address>(memory);
  const std::size_t room = malloc_usable_size(memory);
  if (room > before) clear(begin + before, room - before);
  note_block(begin, bytes, site_at(reinterpret_cast<address>(returned_to)));
}

}  // namespace

void will_be_freed(void* memory, void* returned_to) noexcept { was_freed(memory, returned_to); }

void* take_memory(std::size_t bytes, std::size_t alignment) noexcept {
  return alignment <= 16 ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
}

void give_memory(void* memory) noexcept { __libc_free(memory); }

}  // namespace nopal_check

using namespace nopal_check;

#define HERE __builtin_return_address(0)

namespace {

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

extern "C" {

void* nopal_check_allocate(std::size_t bytes, std::size_t alignment) {
  return allocated(take_memory(bytes != 0 ? bytes : 1, alignment), bytes, HERE);
}

void* malloc(std::size_t bytes) { return allocated(__libc_malloc(bytes), bytes, HERE); }

void free(void* memory) {
  will_be_freed(memory, HERE);
  __libc_free(memory);
}

void* calloc(std::size_t count, std::size_t bytes) {
  return allocated(__libc_calloc(count, bytes), count * bytes, HERE);
}

void* realloc(void* memory, std::size_t bytes) {
  // Where there are threads, before another one may get what this gives back; else only once it is given.
  const bool is_early = has_threads;
  std::size_t before = is_early ? was_freed(memory, HERE) : 0;
  void* const made = __libc_realloc(memory, bytes);
  if (made == nullptr && bytes != 0) {  // the memory is as it was
    if (before != 0) keeps_on(memory, before, HERE);
    return nullptr;
  }
  if (!is_early) before = was_freed(memory, HERE);
  if (made == memory && before != 0) {
    goes_on(made, before, bytes, HERE);
    return made;
  }
  return allocated(made, bytes, HERE);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, HERE);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, HERE);
}

void* valloc(std::size_t bytes) { return allocated(__libc_memalign(page_bytes(), bytes), bytes, HERE); }

void* pvalloc(std::size_t bytes) {
  const std::size_t page = page_bytes();
  if (bytes > ~std::size_t{0} - page) {
    errno = ENOMEM;
    return nullptr;
  }
  const std::size_t whole = (bytes + page - 1) / page * page;
  return allocated(__libc_memalign(page, whole), whole, HERE);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  void* const made = __libc_memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *memory = allocated(made, bytes, HERE);
  return 0;
}
}
