// malloc and its kin in memory that processes share: the first experiment's. It takes the place of the C library's in
// the program that it is linked into, also for `new` and for what the library itself allocates. Blocks of one size
// class are in a list; the lock is a word in that memory, so it holds among processes.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "mapped_stacks/memory.hpp"

namespace {

constexpr std::size_t arena_bytes = std::size_t{1} << 28;
constexpr std::size_t classes = 28;

/// In front of each block.
struct header {
  std::size_t kind;
  header* next;
};

struct arena {
  std::atomic<int> lock;
  std::size_t used;
  std::array<header*, classes> free;
};

arena* all = nullptr;

/// The first allocation comes before the program's start, and so before its processes.
bool ready() {
  if (all != nullptr) return true;
  void* at =
      mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  all = new (at) arena{};
  all->used = (sizeof(arena) + 63) / 64 * 64;
  return true;
}

void* refuse() {
  errno = ENOMEM;
  return nullptr;
}

/// Each block as far from a multiple of its size as another, so alignment is asked for as room.
void* take(std::size_t bytes) {
  if (bytes > arena_bytes / 2 || !ready()) return refuse();
  const auto kind = static_cast<std::size_t>(std::bit_width(bytes + sizeof(header) - 1));
  const mapped::spin_lock held(all->lock);
  header* found = all->free[kind];
  if (found != nullptr) {
    all->free[kind] = found->next;
  } else {
    const std::size_t size = std::max<std::size_t>(std::size_t{1} << kind, 32);
    if (all->used + size > arena_bytes) return refuse();
    found = new (reinterpret_cast<char*>(all) + all->used) header{kind, nullptr};
    all->used += size;
  }
  // Of an aligned block others find the header by what lies here.
  found->next = found;
  return found + 1;
}

/// The word in front of a block says where its header is.
header* header_of(void* block) { return static_cast<header**>(block)[-1]; }

void* take_aligned(std::size_t alignment, std::size_t bytes) {
  char* block = static_cast<char*>(take(bytes + alignment));
  if (block == nullptr) return nullptr;
  header* of = header_of(block);
  const auto past = reinterpret_cast<std::uintptr_t>(block) % alignment;
  if (past != 0) block += alignment - past;
  reinterpret_cast<header**>(block)[-1] = of;
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) { return take(bytes); }

void free(void* block) {
  if (block == nullptr) return;
  header* of = header_of(block);
  const mapped::spin_lock held(all->lock);
  of->next = all->free[of->kind];
  all->free[of->kind] = of;
}

void* calloc(std::size_t count, std::size_t bytes) {
  if (bytes != 0 && count > arena_bytes / bytes) return refuse();
  void* block = take(count * bytes);
  // Told: the block may change, or the compiler makes a call of calloc of this.
  asm volatile("" : "+r"(block));
  return block == nullptr ? nullptr : std::memset(block, 0, count * bytes);
}

void* realloc(void* old, std::size_t bytes) {
  void* block = take(bytes);
  if (old == nullptr || block == nullptr) return block;
  const header* of = header_of(old);
  const char* end = reinterpret_cast<const char*>(of) + (std::size_t{1} << of->kind);
  std::memcpy(block, old, std::min(bytes, static_cast<std::size_t>(end - static_cast<char*>(old))));
  free(old);
  return block;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return take_aligned(alignment, bytes); }
void* memalign(std::size_t alignment, std::size_t bytes) { return take_aligned(alignment, bytes); }
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  *block = take_aligned(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}
