#include "trace/run_traced.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "command_line.hpp"
#include "interrupt.hpp"
#include "temporary.hpp"
#include "trace/raw_file.hpp"

namespace tool::tracing {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& each : texts) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::string& setting) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "NOPAL_TRACE=", 12) != 0) result.emplace_back(*entry);
  }
  result.push_back("NOPAL_TRACE=" + setting);
  return result;
}

/// What somebody wants who names such a file as a program.
const char* hint_for(const std::string& path) {
  return is_raw(path) ? "; it is a trace, which --read reads" : "";
}

pid_t start(std::vector<std::string> command, const std::string& setting, const sigset_t& mask) {
  std::vector<std::string> environment = environment_with(setting);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int refused = posix_spawnp(&child, command[0].c_str(), nullptr, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (refused != 0) {
    throw usage_error(
        fmt::format("cannot run '{}': {}{}", command[0], std::strerror(refused), hint_for(command[0])));
  }
  return child;
}

std::optional<program_end> end_of(pid_t child) {
  int status = 0;
  const pid_t ended = waitpid(child, &status, WNOHANG);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return program_end{1, 0};
  if (WIFSIGNALED(status)) return program_end{128 + WTERMSIG(status), WTERMSIG(status)};
  return program_end{WEXITSTATUS(status), 0};
}

/// A descriptor that becomes readable as the child ends; -1 where the system has none.
int descriptor_of(pid_t child) { return static_cast<int>(syscall(SYS_pidfd_open, child, 0)); }

}  // namespace

raw_directory::raw_directory() {
  std::string name = temporary_template("nopal-trace");
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(fmt::format("cannot make a directory '{}': {}", name, std::strerror(errno)));
  }
  path_ = name;
}

raw_directory::~raw_directory() {
  std::error_code refused;
  std::filesystem::remove_all(path_, refused);
}

std::string raw_directory::setting(std::int64_t ring_bytes) const {
  return fmt::format("{},size={}", (path_ / "%p.raw").string(), ring_bytes);
}

std::vector<std::string> raw_directory::files() const {
  std::vector<std::string> result;
  for (const auto& each : std::filesystem::directory_iterator(path_)) result.push_back(each.path().string());
  std::sort(result.begin(), result.end());
  return result;
}

program_end run_traced(const std::vector<std::string>& command, const std::string& setting) {
  const interrupt_watch watch;
  const pid_t child = start(command, setting, watch.mask_before());
  const int ended = descriptor_of(child);
  std::optional<program_end> end;
  while (!(end = end_of(child))) {
    pollfd watched[] = {{watch.descriptor(), POLLIN, 0}, {ended, POLLIN, 0}};
    poll(watched, 2, ended < 0 ? 10 : -1);  // a negative descriptor is left alone
    try {
      watch.check();
    } catch (const interrupted& signal) {
      // What a terminal sends goes to both; a second signal of that kind does no harm before the first is taken.
      kill(child, signal.signal_number());
    }
  }
  if (ended >= 0) close(ended);
  return *end;
}

}  // namespace tool::tracing
