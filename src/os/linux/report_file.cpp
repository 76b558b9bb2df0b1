#include "os/report_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <initializer_list>

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

int create_file(const char* path) noexcept {
  constexpr mode_t everybody = 0666;  // less what the process's mask takes
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, everybody);
  return file < 0 ? -errno : file;
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

code_place place_of(const void* address) noexcept {
  Dl_info found{};
  void* map = nullptr;
  if (dladdr1(address, &found, &map, RTLD_DL_LINKMAP) == 0 || found.dli_fname == nullptr || map == nullptr) {
    return {"", reinterpret_cast<std::uint64_t>(address), ""};
  }
  return {found.dli_fname, reinterpret_cast<std::uint64_t>(address) - static_cast<link_map*>(map)->l_addr,
          found.dli_sname != nullptr ? found.dli_sname : ""};
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
