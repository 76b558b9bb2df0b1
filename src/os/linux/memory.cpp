// Memory: mmap, mprotect, madvise, mincore.
#include "os/os.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "os/linux/loaded_objects.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

int rights_of_stacks() noexcept {
  return PROT_READ | PROT_WRITE | (asks_for_executable_stacks() ? PROT_EXEC : 0);
}

/// Whether MAP_STACK keeps huge pages away, as Linux does since 6.7; 6.8 is sure. A private build's name may begin otherwise.
bool maps_stacks_in_small_pages() noexcept {
  static const bool whether = [] {
    utsname system{};
    int major = 0;
    int minor = 0;
    return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 8));
  }();
  return whether;
}

void* map_with(int rights, std::size_t bytes, int more_flags) noexcept {
  void* const memory =
      mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | more_flags, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (maps_stacks_in_small_pages()) return memory;
  // With transparent huge pages set to `always`, the first touch of a stack would take 2 MiB. A
  // kernel without them refuses the advice, which is as good.
  const int saved_errno = errno;
  (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
  errno = saved_errno;
  return memory;
}

/// Bytes of address space that the process has in use; 0 if the system does not tell.
std::size_t mapped_bytes() noexcept {
  const not_cancelled whole;  // the calls below are points of cancellation
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[32] = "";  // pages, and what they hold
  const ssize_t got = read(file, text, sizeof text - 1);
  (void)close(file);
  return got > 0 ? std::strtoul(text, nullptr, 10) * page_size() : 0;
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map_stack_memory(std::size_t bytes) noexcept {
  return map_with(rights_of_stacks(), bytes, MAP_NORESERVE);
}

void* map_memory(std::size_t bytes) noexcept { return map_with(PROT_READ | PROT_WRITE, bytes, 0); }

void* reserve_stack_memory(std::size_t bytes) noexcept { return map_with(PROT_NONE, bytes, MAP_NORESERVE); }

bool allow_stack_memory(void* address, std::size_t bytes) noexcept {
  return mprotect(address, bytes, rights_of_stacks()) == 0;
}

std::size_t address_space_left() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0) return 0;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<std::size_t>::max();
  const int saved_errno = errno;
  const std::size_t mapped = mapped_bytes();
  errno = saved_errno;
  return mapped != 0 && mapped < limit.rlim_cur ? limit.rlim_cur - mapped : 0;
}

std::size_t lock_limit_on(void* reserved) noexcept {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  const int saved_errno = errno;
  // Refused for locked pages alone, and there is nothing in it to lose.
  const bool locked = madvise(reserved, page_size(), MADV_DONTNEED) != 0 && errno == EINVAL;
  errno = saved_errno;
  return locked ? limit.rlim_cur : none;
}

bool protect_none(void* address, std::size_t bytes) noexcept {
  return mprotect(address, bytes, PROT_NONE) == 0;
}

void prepare_allocation() noexcept {
  thread_local bool done;
  if (done) return;
  done = true;
  const int saved_errno = errno;
  void* volatile allocated = std::malloc(1);  // volatile: compilers leave pairs out
  std::free(allocated);
  errno = saved_errno;
}

void unmap(void* address, std::size_t bytes) noexcept { (void)munmap(address, bytes); }

bool discard_pages(void* address, std::size_t bytes, bool free_lazily) noexcept {
  if (bytes == 0) return true;
  if (free_lazily && madvise(address, bytes, MADV_FREE) == 0) return true;
  return madvise(address, bytes, MADV_DONTNEED) == 0;
}

std::size_t resident_pages(const void* address, std::size_t bytes) noexcept {
  constexpr std::size_t chunk_pages = 256;
  // One byte per page, whose lowest bit says that it is in memory.
  unsigned char resident[chunk_pages];
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
