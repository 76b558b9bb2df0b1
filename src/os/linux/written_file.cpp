// Files that the process writes by storing to its memory, and what it tells of itself there.
#include "os/os.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

/// Takes room on the disk: a store to a page without would be a signal. 0 or an errno value.
int take_room(int file, std::uint64_t offset, std::size_t bytes) noexcept {
  if (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  static constexpr char zeros[4096] = {};
  for (std::size_t done = 0; done < bytes; done += sizeof zeros) {
    const ssize_t wrote = pwrite(file, zeros, sizeof zeros, static_cast<off_t>(offset + done));
    if (wrote != static_cast<ssize_t>(sizeof zeros)) return wrote < 0 ? errno : ENOSPC;
  }
  return 0;
}

}  // namespace

int find_or_make_file(const char* path) noexcept {
  const not_cancelled whole;
  const int saved_errno = errno;
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  struct stat status{};
  const int refused = file < 0 || fstat(file, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : ENOTSUP;
  if (file >= 0) (void)close(file);
  errno = saved_errno;
  return refused;
}

void* map_file(const char* path, std::uint64_t offset, std::size_t bytes, int& refused) noexcept {
  const not_cancelled whole;
  const int saved_errno = errno;
  void* memory = nullptr;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  refused = file < 0 ? errno : take_room(file, offset, bytes);
  if (refused == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    if (memory == MAP_FAILED) {
      refused = errno;
      memory = nullptr;
    }
  }
  if (file >= 0) (void)close(file);
  errno = saved_errno;
  return memory;
}

std::size_t read_beginning(const char* path, void* to, std::size_t bytes) noexcept {
  const not_cancelled whole;
  const int saved_errno = errno;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const ssize_t got = file < 0 ? 0 : read(file, to, bytes);
  if (file >= 0) (void)close(file);
  errno = saved_errno;
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::size_t current_directory(char* to, std::size_t bytes) noexcept {
  const int saved_errno = errno;
  if (bytes < 2 || getcwd(to, bytes - 1) == nullptr) {
    errno = saved_errno;
    return 0;
  }
  const std::size_t length = std::strlen(to);
  to[length] = '/';
  return length + 1;
}

void remove_file(const char* path) noexcept {
  const int saved_errno = errno;
  (void)unlink(path);
  errno = saved_errno;
}

bool rename_file(const char* path, const char* to) noexcept {
  const int saved_errno = errno;
  const bool is_done = renameat2(AT_FDCWD, path, AT_FDCWD, to, RENAME_NOREPLACE) == 0;
  errno = saved_errno;
  return is_done;
}

// Where the system put the random bytes for this program, not these themselves: they are secret.
std::uint64_t image_number() noexcept { return getauxval(AT_RANDOM); }

int process_number() noexcept { return getpid(); }

bool process_is_there(int number) noexcept {
  const int saved_errno = errno;
  const bool there = kill(number, 0) == 0 || errno == EPERM;
  errno = saved_errno;
  return there;
}

std::uint64_t program_headers() noexcept { return getauxval(AT_PHDR); }

void program_path(char* to, std::size_t bytes) noexcept {
  const int saved_errno = errno;
  const ssize_t length = readlink("/proc/self/exe", to, bytes - 1);
  to[length > 0 ? length : 0] = '\0';
  errno = saved_errno;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
