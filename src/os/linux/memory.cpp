// Stack memory: mmap, madvise, mincore.
#include "os/os.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/linux/loaded_objects.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

std::size_t page_size() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map_stack_memory(std::size_t bytes) noexcept {
  const int executable = asks_for_executable_stacks() ? PROT_EXEC : 0;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE | executable,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // With transparent huge pages set to `always`, the first touch of a stack would take 2 MiB. A kernel
  // without them refuses the advice, which is as good.
  const int saved_errno = errno;
  (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
  errno = saved_errno;
  return memory;
}

bool protect_none(void* address, std::size_t bytes) noexcept {
  return mprotect(address, bytes, PROT_NONE) == 0;
}

void unmap(void* address, std::size_t bytes) noexcept { (void)munmap(address, bytes); }

bool discard_pages(void* address, std::size_t bytes, bool free_lazily) noexcept {
  if (bytes == 0) return true;
  if (free_lazily && madvise(address, bytes, MADV_FREE) == 0) return true;
  return madvise(address, bytes, MADV_DONTNEED) == 0;
}

std::size_t resident_pages(const void* address, std::size_t bytes) noexcept {
  constexpr std::size_t chunk_pages = 256;
  unsigned char resident[chunk_pages];  // one byte per page, whose lowest bit says that it is in memory
  const std::size_t pages = bytes / page_size();
  char* const first = static_cast<char*>(const_cast<void*>(address));  // mincore reads only
  std::size_t count = 0;
  for (std::size_t done = 0; done < pages; done += chunk_pages) {
    const std::size_t chunk = std::min(chunk_pages, pages - done);
    if (mincore(first + done * page_size(), chunk * page_size(), resident) != 0) break;
    count += static_cast<std::size_t>(
        std::count_if(resident, resident + chunk, [](unsigned char page) { return (page & 1) != 0; }));
  }
  return count;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
