#include "child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace tool {
namespace {

void check(int error_number, const char* what) {
  if (error_number != 0) throw std::system_error(error_number, std::generic_category(), what);
}

/// A child process with a pipe from its standard output; killed when it goes out of scope unreaped.
class child {
public:
  child(const std::string& program, const std::vector<std::string>& arguments, const sigset_t& signal_mask) {
    std::array<int, 2> ends{};
    check(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe");
    output_ = ends[0];
    const int error_number = spawn(program, arguments, signal_mask, ends[1]);
    close(ends[1]);
    if (error_number != 0) close(output_);
    check(error_number, "cannot start a child process");
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    close(output_);
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    wait();
  }

  [[nodiscard]] int output() const { return output_; }

  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

private:
  int spawn(const std::string& program, const std::vector<std::string>& arguments,
            const sigset_t& signal_mask, int output_end) {
    std::vector<char*> pointers;
    std::string name = program == this_program ? "nopal" : program;
    pointers.push_back(name.data());
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output_end, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &signal_mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const int error_number =
        posix_spawn(&process_, program.c_str(), &actions, &attributes, pointers.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error_number;
  }

  pid_t process_ = 0;
  int output_ = -1;
};

void check_end(int status) {
  if (WIFSIGNALED(status)) {
    throw std::runtime_error(
        fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  if (WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("exited with code {}", WEXITSTATUS(status)));
}

}  // namespace

std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                      const interrupt_watch& watch, const child_limits& limits) {
  constexpr int tick_ms = 200;
  constexpr std::size_t most_output_bytes = std::size_t{1} << 20;
  const auto deadline = std::chrono::steady_clock::now() + limits.time;
  child running(program, arguments, watch.mask_before());
  std::string output;
  for (;;) {
    std::array<pollfd, 2> ready = {pollfd{running.output(), POLLIN, 0},
                                   pollfd{watch.descriptor(), POLLIN, 0}};
    poll(ready.data(), ready.size(), tick_ms);
    watch.check();
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(fmt::format("took more than {} s and was stopped", limits.time.count()));
    }
    limits.tick();
    if (ready[0].revents == 0) continue;
    std::array<char, 4096> chunk;
    const ssize_t length = read(running.output(), chunk.data(), chunk.size());
    if (length == 0) break;
    if (length > 0 && output.size() + static_cast<std::size_t>(length) > most_output_bytes) {
      throw std::runtime_error(fmt::format("printed more than {} bytes and was stopped", most_output_bytes));
    }
    if (length > 0) output.append(chunk.data(), static_cast<std::size_t>(length));
  }
  const int status = running.wait();
  // A terminal's ^C ends the child too, perhaps first.
  watch.check();
  check_end(status);
  return output;
}

}  // namespace tool
