// Memory: small objects of tasks, which are kept for the next ones of the thread, and memory on lines of its own.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "in_place/contexts.hpp"

namespace tbb::detail::r1 {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t most_lines = 8;
constexpr std::size_t batch_length = 64;

void* memory_of(std::size_t lines) { return ::operator new(lines * line, std::align_val_t(line)); }

/// A free one, which leads to the next of its batch.
struct block {
  block* next;
  block* next_batch;   // of the first of a batch
  std::size_t length;  // the same
};

/// Batches that threads had no use for. Nobody waits for the lock: it may be that of a thread that a child of fork(2) has not.
class spare_batches {
public:
  /// False: somebody else is at it.
  bool give(block* batch) noexcept {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (lock) {
      batch->next_batch = first_;
      first_ = batch;
    }
    return lock.owns_lock();
  }
  /// Null: there is none, or somebody else is at it.
  block* take() noexcept {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    block* const batch = lock ? first_ : nullptr;
    if (batch != nullptr) {
      first_ = batch->next_batch;
    }
    return batch;
  }

private:
  std::mutex mutex_;
  block* first_ = nullptr;  // under the lock
};
constinit std::array<spare_batches, most_lines> spares;

/// All memory that was cut into blocks, for those who look for leaks. It is kept for the next tasks.
struct slab {
  slab* next;
};
constinit std::atomic<slab*> slabs{nullptr};

/// Throws std::bad_alloc.
block* make_batch(std::size_t lines) {
  auto* const memory = static_cast<char*>(memory_of(1 + batch_length * lines));
  auto* const whole = new (memory) slab{slabs.load(std::memory_order_relaxed)};
  // Release pairs with no acquire of the program: a tool that reads the list, as one that looks for leaks, finds what is
  // in it.
  while (!slabs.compare_exchange_weak(whole->next, whole, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
  block* first = nullptr;
  for (std::size_t i = batch_length; i != 0; --i) {
    first = new (memory + (1 + (i - 1) * lines) * line) block{first, nullptr, 0};
  }
  first->length = batch_length;
  return first;
}

/// Free blocks of one size: at most one batch and the beginning of another.
struct stock {
  block* first = nullptr;
  std::size_t count = 0;
  block* whole = nullptr;
};

/// What the thread has freed, by its number of lines.
class kept_blocks {
public:
  kept_blocks() = default;
  kept_blocks(const kept_blocks&) = delete;
  kept_blocks& operator=(const kept_blocks&) = delete;
  /// What comes later in the thread's end is kept again, and lost to others.
  ~kept_blocks() {
    for (std::size_t i = 0; i != most_lines; ++i) {
      stock& one = stocks_[i];
      if (one.first != nullptr) {
        one.first->length = one.count;
        give_at_end(spares[i], one.first);
      }
      if (one.whole != nullptr) {
        give_at_end(spares[i], one.whole);
      }
      one = {};
    }
  }
  void* take(std::size_t lines) {
    stock& one = stocks_[lines - 1];
    if (one.first == nullptr) [[unlikely]] {
      refill(one, lines);
    }
    block* const result = one.first;
    one.first = result->next;
    --one.count;
    return result;
  }
  void keep(void* memory, std::size_t lines) noexcept {
    stock& one = stocks_[lines - 1];
    if (one.count >= batch_length && (one.whole == nullptr || spares[lines - 1].give(one.whole)))
        [[unlikely]] {
      one.first->length = one.count;
      one.whole = one.first;
      one.first = nullptr;
      one.count = 0;
    }
    one.first = new (memory) block{one.first, nullptr, 0};
    ++one.count;
  }

private:
  static void give_at_end(spare_batches& to, block* batch) noexcept {
    constexpr int tries = 1000;
    for (int i = 0; i != tries && !to.give(batch); ++i) {
      std::this_thread::yield();
    }
  }
  static void refill(stock& one, std::size_t lines) {
    block* batch = std::exchange(one.whole, nullptr);
    if (batch == nullptr) {
      batch = spares[lines - 1].take();
    }
    if (batch == nullptr) {
      batch = make_batch(lines);
    }
    one.first = batch;
    one.count = batch->length;
  }

  std::array<stock, most_lines> stocks_{};
};

thread_local kept_blocks kept;

/// Inlined code wants a pool's address, and hands it back.
struct the_pool final : d1::small_object_pool {};

}  // namespace

void* take_block(std::size_t bytes) {
  const std::size_t lines = (bytes + line - 1) / line;
  return lines == 0 || lines > most_lines ? memory_of(lines) : kept.take(lines);
}
void give_block(void* memory, std::size_t bytes) noexcept {
  const std::size_t lines = (bytes + line - 1) / line;
  if (lines == 0 || lines > most_lines) {
    ::operator delete(memory, std::align_val_t(line));
  } else {
    kept.keep(memory, lines);
  }
}

void* allocate(d1::small_object_pool*& pool, std::size_t bytes) {
  static the_pool one;
  pool = &one;
  has_begun = true;  // with a task that it is about to spawn
  return take_block(bytes);
}
void* allocate(d1::small_object_pool*& pool, std::size_t bytes, const d1::execution_data&) {
  return allocate(pool, bytes);
}
void deallocate(d1::small_object_pool&, void* memory, std::size_t bytes) { give_block(memory, bytes); }
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
// Whatever its name says: whether memory is malloc's, as here, and as programs ask.
bool is_tbbmalloc_used() { return true; }

void* allocate_interleaved(std::size_t bytes, const int* nodes, std::size_t nodes_count,
                           std::size_t bytes_per_chunk) {
  return nopal_map_interleaved(bytes, nodes, nodes_count, bytes_per_chunk);
}
void deallocate_interleaved(void* memory, std::size_t bytes) { nopal_unmap_interleaved(memory, bytes); }

}  // namespace tbb::detail::r1
