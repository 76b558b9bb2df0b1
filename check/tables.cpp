#include "tables.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "report.hpp"
#include "start.hpp"

namespace [[gnu::visibility("hidden")]] nopal_check {

bool has_failed;

void fail(const char* line) noexcept {
  // One thread says so. Relaxed: nothing else is asked of the flag.
  while (__atomic_exchange_n(&has_failed, true, __ATOMIC_RELAXED)) pause();
  std::size_t length = 0;
  while (line[length] != 0) ++length;
  if (is_logged()) write_report({line, length});
  static_cast<void>(!write(STDERR_FILENO, line, length));
  _exit(2);
}

void* reserve(std::size_t bytes) noexcept {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fail("nopal: check: no address space for shadow memory; it needs 4.5 TiB of it, mostly unused: "
         "unlimited 'ulimit -v', and vm.overcommit_memory of 0 or 1\n");
  }
  // A dump of the shadow of all memory would be of no use.
  madvise(memory, bytes, MADV_DONTDUMP);
  return memory;
}

void* reserve_dense(std::size_t bytes) noexcept {
  constexpr std::uintptr_t large = std::uintptr_t{1} << 21;
  void* const memory = reserve(bytes);
  // What is small stays so, and large pages begin at multiples of their size.
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t from = (begin + large + large - 1) & ~(large - 1);
  if (from < begin + bytes) madvise(reinterpret_cast<void*>(from), begin + bytes - from, MADV_HUGEPAGE);
  return memory;
}

void empty(void* memory, std::size_t bytes) noexcept { madvise(memory, bytes, MADV_DONTNEED); }

void* keep(std::size_t bytes) noexcept {
  static char* next = nullptr;
  static std::size_t left = 0;
  constexpr std::size_t chunk = std::size_t{1} << 32;
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > chunk) return reserve(bytes);
  if (bytes > left) {
    next = static_cast<char*>(reserve_dense(chunk));
    left = chunk;
  }
  void* const piece = next;
  next += bytes;
  left -= bytes;
  return piece;
}

number_map::slot& number_map::find(std::uint64_t key) noexcept {
  // The highest bits: they depend on all of the key's.
  auto i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> (__builtin_clzll(size_) + 1));
  while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & (size_ - 1);
  return slots_[i];
}

void number_map::grow() noexcept {
  slot* const before = slots_;
  const std::size_t before_size = size_;
  size_ = size_ == 0 ? 1024 : 2 * size_;
  slots_ = static_cast<slot*>(reserve(size_ * sizeof(slot)));
  for (std::size_t i = 0; i < before_size; ++i) {
    if (before[i].key != 0) find(before[i].key) = before[i];
  }
  if (before != nullptr) munmap(before, before_size * sizeof(slot));
}

void number_map::release() noexcept {
  if (slots_ != nullptr) munmap(slots_, size_ * sizeof(slot));
  *this = {};
}

std::uint32_t& number_map::at(std::uint64_t key) noexcept {
  if (key == 0) key = 1;
  if (2 * (std::size_t{count_} + 1) > size_) grow();
  slot& found = find(key);
  if (found.key == 0) {
    found.key = key;
    ++count_;
  }
  return found.number;
}

}  // namespace nopal_check
