#include "measure/stack_watch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

namespace measure {
namespace {

/// A region of address space from which the runtime cuts its stacks.
struct region {
  unsigned char* first;
  std::size_t bytes;
};

// Called from within the runtime: nothing here allocates.
std::mutex mutex;  // guards all that follows but `watching`
std::array<region, 64> regions;
std::size_t region_count = 0;
std::size_t most_pages = 0;
std::atomic<bool> watching{false};  // relaxed: set before and cleared after the runs that it is for

std::size_t resident_pages(const region& of) {
  static const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  static std::array<unsigned char, 32768> resident;
  std::size_t count = 0;
  for (std::size_t done = 0; done < of.bytes; done += resident.size() * page_bytes) {
    const std::size_t chunk = std::min(resident.size() * page_bytes, of.bytes - done);
    if (mincore(of.first + done, chunk, resident.data()) != 0) continue;
    count += static_cast<std::size_t>(
        std::count_if(resident.begin(), resident.begin() + static_cast<std::ptrdiff_t>(chunk / page_bytes),
                      [](unsigned char flags) { return (flags & 1) != 0; }));
  }
  return count;
}

void count_now() {
  std::size_t pages = 0;
  for (std::size_t i = 0; i < region_count; ++i) pages += resident_pages(regions[i]);
  most_pages = std::max(most_pages, pages);
}

}  // namespace

void begin_stack_watch() noexcept {
  const std::lock_guard lock(mutex);
  most_pages = 0;
  watching.store(true, std::memory_order_relaxed);
}

std::size_t end_stack_watch() noexcept {
  const std::lock_guard lock(mutex);
  watching.store(false, std::memory_order_relaxed);
  count_now();
  return most_pages;
}

}  // namespace measure

// What the linker puts in place of the runtime's calls.
extern "C" {
void* __real_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset);
int __real_madvise(void* address, std::size_t bytes, int advice);
void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_madvise(void* address, std::size_t bytes, int advice);

void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  void* const mapped = __real_mmap(address, bytes, protection, flags, file, offset);
  constexpr int flags_of_stacks = MAP_NORESERVE | MAP_STACK;
  if (mapped != MAP_FAILED && (flags & flags_of_stacks) == flags_of_stacks) {
    const std::lock_guard lock(measure::mutex);
    if (measure::region_count < measure::regions.size())
      measure::regions[measure::region_count++] = {static_cast<unsigned char*>(mapped), bytes};
  }
  return mapped;
}

int __wrap_madvise(void* address, std::size_t bytes, int advice) {
  if ((advice != MADV_DONTNEED && advice != MADV_FREE) || !measure::watching.load(std::memory_order_relaxed))
    return __real_madvise(address, bytes, advice);
  // The pages go while the count is held: a page that another worker touches meanwhile counts at the next.
  const std::lock_guard lock(measure::mutex);
  measure::count_now();
  return __real_madvise(address, bytes, advice);
}
}
