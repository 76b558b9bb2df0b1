// Memory: small objects of tasks, which are kept for the next ones of the thread, and memory on lines of its own.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "in_place/both.hpp"

namespace tbb::detail::r1 {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t most_lines = 8;
constexpr int most_kept = 64;

void* memory_of(std::size_t lines) { return ::operator new(lines * line, std::align_val_t(line)); }
void free_memory(void* memory) noexcept { ::operator delete(memory, std::align_val_t(line)); }

/// What the thread has freed, by its number of lines.
class kept_blocks {
public:
  kept_blocks() = default;
  kept_blocks(const kept_blocks&) = delete;
  kept_blocks& operator=(const kept_blocks&) = delete;
  ~kept_blocks() {
    is_over_ = true;
    for (block*& first : first_) {
      while (block* const one = first) {
        first = one->next;
        free_memory(one);
      }
    }
  }
  void* take(std::size_t lines) noexcept {
    block*& first = first_[lines - 1];
    block* const one = first;
    if (one != nullptr) {
      first = one->next;
      --count_[lines - 1];
    }
    return one;
  }
  /// False: it has enough of these, or the thread ends.
  bool keep(void* memory, std::size_t lines) noexcept {
    if (is_over_ || count_[lines - 1] == most_kept) {
      return false;
    }
    ++count_[lines - 1];
    first_[lines - 1] = new (memory) block{first_[lines - 1]};
    return true;
  }

private:
  struct block {
    block* next;
  };
  std::array<block*, most_lines> first_{};
  std::array<int, most_lines> count_{};
  bool is_over_ = false;
};

thread_local kept_blocks kept;

/// Inlined code wants a pool's address, and hands it back.
struct the_pool final : d1::small_object_pool {};

}  // namespace

void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  static the_pool one;
  pool = &one;
  const std::size_t lines = (bytes + line - 1) / line;
  void* const again = lines == 0 || lines > most_lines ? nullptr : kept.take(lines);
  return again != nullptr ? again : memory_of(lines);
}
void* allocate(d1::small_object_pool*& pool, std::size_t bytes, const d1::execution_data&) {
  return allocate(pool, bytes);
}
void deallocate(d1::small_object_pool&, void* memory, std::size_t bytes) {
  const std::size_t lines = (bytes + line - 1) / line;
  if (lines == 0 || lines > most_lines || !kept.keep(memory, lines)) {
    free_memory(memory);
  }
}
void deallocate(d1::small_object_pool& pool, void* memory, std::size_t bytes, const d1::execution_data&) {
  deallocate(pool, memory, bytes);
}

std::size_t cache_line_size() { return 2 * line; }
void* cache_aligned_allocate(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) ||
      ::posix_memalign(&memory, 2 * line, bytes != 0 ? bytes : 1) != 0) {
    throw_exception(d0::exception_id::bad_alloc);
  }
  return memory;
}
void cache_aligned_deallocate(void* memory) { std::free(memory); }
void* allocate_memory(std::size_t bytes) {
  void* const memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) {
    throw_exception(d0::exception_id::bad_alloc);
  }
  return memory;
}
void deallocate_memory(void* memory) { std::free(memory); }
bool is_tbbmalloc_used() { return false; }

}  // namespace tbb::detail::r1
