#include "os/report_file.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include "os/os.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

constexpr mode_t everybody = 0666;  // less what the process's mask takes

bool is_open(const report_file& file) noexcept {
  struct stat found{};
  return fstat(file.number, &found) == 0 && found.st_dev == file.device && found.st_ino == file.inode;
}

/// Whether another descriptor of this process is of the same ordinary file. False where there is no /proc.
bool is_open_twice(const report_file& file) noexcept {
  struct stat own{};
  if (fstat(file.number, &own) != 0 || !S_ISREG(own.st_mode)) {
    return false;
  }
  DIR* const all = opendir("/proc/self/fd");
  if (all == nullptr) {
    return false;
  }
  bool found = false;
  while (const dirent* const one = readdir(all)) {
    struct stat other{};
    const auto number = static_cast<int>(std::strtol(one->d_name, nullptr, 10));
    found = found || (*one->d_name != '.' && number != file.number && fstat(number, &other) == 0 &&
                      other.st_dev == own.st_dev && other.st_ino == own.st_ino);
  }
  closedir(all);
  return found;
}

/// Not for ever: where another process is stopped while it has the file, both write it.
void lock_file(int number) noexcept {
  constexpr int most_tries = 500;
  for (int i = 0; i < most_tries && flock(number, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++i) {
    usleep(10'000);
  }
}

}  // namespace

int create_file(const char* path, report_file& made) noexcept {
  made.number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, everybody);
  if (made.number < 0) {
    return errno;
  }
  if (is_open_twice(made)) {
    close(made.number);
    return EBUSY;
  }
  struct stat found{};
  if (fstat(made.number, &found) == 0) {
    made.device = found.st_dev;
    made.inode = found.st_ino;
  }
  // Where the path is too long or cannot be told, the file is not opened again.
  char whole[PATH_MAX];
  if (realpath(path, whole) != nullptr && std::strlen(whole) < sizeof made.path) {
    std::memcpy(made.path, whole, std::strlen(whole) + 1);
  }
  return 0;
}

int reopen_file(report_file& file) noexcept {
  if (!is_open(file)) {
    file.number = open(file.path, O_WRONLY | O_CREAT | O_CLOEXEC, everybody);
    if (file.number < 0) {
      return errno;
    }
  }
  // Neither is there for pipes and the like.
  lock_file(file.number);
  (void)!ftruncate(file.number, 0);
  (void)lseek(file.number, 0, SEEK_SET);
  return 0;
}

void close_file(report_file& file) noexcept {
  if (is_open(file)) {
    close(file.number);
  }
  file.number = -1;
}

int write_file(int file, const char* text, std::size_t bytes) noexcept {
  while (bytes != 0) {
    const ssize_t written = write(file, text, bytes);
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    const std::size_t done = written < 0 ? 0 : static_cast<std::size_t>(written);
    text += done;
    bytes -= done;
  }
  return 0;
}

namespace {

struct loaded_code {
  std::uint64_t address;
  std::uint64_t base;
  bool is_found;
  bool is_program;
};

int find_code(dl_phdr_info* object, std::size_t, void* argument) noexcept {
  auto& wanted = *static_cast<loaded_code*>(argument);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && wanted.address - object->dlpi_addr - part.p_vaddr < part.p_memsz) {
      wanted.base = object->dlpi_addr;
      wanted.is_found = true;
      wanted.is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
      return 1;
    }
  }
  return 0;
}

}  // namespace

code_place place_of(const void* address) noexcept {
  // Of the program by its own headers: one that is linked statically has no loader that would know it, and what it was
  // called by may lie elsewhere when it has changed its directory.
  loaded_code code{reinterpret_cast<std::uint64_t>(address), 0, false, false};
  dl_iterate_phdr(find_code, &code);
  Dl_info found{};
  const bool is_known = dladdr(address, &found) != 0;
  static char path[PATH_MAX];
  if (code.is_program) {
    program_path(path, sizeof path);
  } else if (!is_known || found.dli_fname == nullptr) {
    return {"", code.address, ""};
  } else if (realpath(found.dli_fname, path) == nullptr) {
    std::snprintf(path, sizeof path, "%s", found.dli_fname);  // by a name that no longer leads there
  }
  return {path, code.address - code.base, is_known && found.dli_sname != nullptr ? found.dli_sname : ""};
}

thread_time time_of_thread() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  constexpr std::uint64_t ns_per_s = 1'000'000'000;
  return {static_cast<std::uint64_t>(time.tv_sec) * ns_per_s + static_cast<std::uint64_t>(time.tv_nsec),
          static_cast<std::uint64_t>(used.ru_nvcsw)};
}

std::uint64_t ready_ns_of_thread() noexcept {
  const int before = errno;  // the program's
  // No points of cancellation, for the thread is the program's; and no descriptor that is kept, for it may close it.
  const long file = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  char text[100];
  long bytes = 0;
  if (file >= 0) {
    bytes = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
  }
  errno = before;
  text[bytes > 0 ? bytes : 0] = '\0';
  // Its time with a processor, its time without, and how often it had one.
  unsigned long long with = 0, without = 0, turns = 0;
  const int found = std::sscanf(text, "%llu %llu %llu", &with, &without, &turns);
  // All are zero where the kernel does not count.
  return found == 3 && turns != 0 ? without : unknown_ns;
}

namespace {

void replace_handlers(void (*before)(int), void (*after)(int)) noexcept {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction found{};
    if (sigaction(number, nullptr, &found) == 0 && (found.sa_flags & SA_SIGINFO) == 0 &&
        found.sa_handler == before) {
      struct sigaction next{};
      next.sa_handler = after;
      next.sa_flags = SA_RESTART;
      sigaction(number, &next, nullptr);
    }
  }
}

}  // namespace

void when_ended_by_signal(void (*act)(int)) noexcept { replace_handlers(SIG_DFL, act); }

void leave_signals(void (*act)(int)) noexcept { replace_handlers(act, SIG_DFL); }

void end_by_signal(int number) noexcept {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  sigaction(number, &usual, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), number);
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
