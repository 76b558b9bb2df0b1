#include "support/program.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

#include "support/watchdog.hpp"

extern char** environ;

namespace support {

namespace {

constexpr const char* program_variable = "TEST_PROGRAM";
#ifdef NOPAL_TEST_EMULATOR
constexpr unsigned seconds_before_alarm = 300;  // emulated programs take ten times as long
#else
constexpr unsigned seconds_before_alarm = 60;
#endif

// A function's own static: registrations run before main in any order.
std::map<std::string, int (*)()>& programs() {
  static std::map<std::string, int (*)()> all;
  return all;
}

// A nameless file that the child writes and we read afterwards: no pipe that somebody must drain meanwhile.
class captured {
public:
  captured() : file_(std::tmpfile()) {
    if (file_ == nullptr) std::abort();
  }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() { std::fclose(file_); }

  [[nodiscard]] int descriptor() const { return fileno(file_); }
  [[nodiscard]] std::string text() const {
    std::string all;
    char part[4096];
    ssize_t length;
    while ((length = pread(descriptor(), part, sizeof part, static_cast<off_t>(all.size()))) > 0) {
      all.append(part, static_cast<std::size_t>(length));
    }
    return all;
  }

private:
  std::FILE* file_;
};

std::vector<std::string> environment_without_nopal(const environment& with) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "NOPAL_", 6) != 0) result.emplace_back(*entry);
  }
  for (const auto& [name, value] : with) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& one : strings) result.push_back(one.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

registration::registration(const char* name, int (*body)()) { programs()[name] = body; }

void no_core() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::fflush(nullptr);
  _exit(1);
}

std::string outcome::description() const {
  std::ostringstream text;
  if (signal != 0) {
    text << "ended by signal " << signal << " (" << strsignal(signal) << ")";
  } else {
    text << "exited with " << exit_code;
  }
  text << ", stdout: \"" << out << "\", stderr: \"" << err << "\"";
  return text.str();
}

outcome run_executable(const std::vector<std::string>& command, const environment& with) {
  const captured out;
  const captured err;
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment_without_nopal(with);
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> variable_pointers = pointers(variables);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out.descriptor(), STDOUT_FILENO);
    dup2(err.descriptor(), STDERR_FILENO);
    alarm(seconds_before_alarm);
    execve(argument_pointers[0], argument_pointers.data(), variable_pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.out = out.text();
  result.err = err.text();
  return result;
}

namespace {

/// What runs programs of another machine; nothing where this one does.
#ifdef NOPAL_TEST_EMULATOR
const std::vector<std::string> emulator = {NOPAL_TEST_EMULATOR};
#else
const std::vector<std::string> emulator;
#endif

/// QEMU says of each program that a signal ended it.
void leave_out_emulator(std::string& text) {
  const std::size_t line = text.rfind("qemu: uncaught target signal ");
  if (line != std::string::npos) text.erase(line, text.find('\n', line) - line + 1);
}

}  // namespace

outcome run_program(const std::string& name, const environment& with) {
  environment complete = with;
  complete.emplace_back(program_variable, name);
  std::vector<std::string> command = emulator;
  // What the link says: under Valgrind the link itself would start Valgrind.
  command.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
  outcome seen = run_executable(command, complete);
  if (!emulator.empty()) leave_out_emulator(seen.err);
  return seen;
}

testing::AssertionResult succeeds(const std::string& name, const environment& with) {
  const outcome seen = run_program(name, with);
  if (seen.exit_code == 0 && seen.err.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name << " " << seen.description();
}

environment on_workers(int count) { return {{"NOPAL_WORKERS", std::to_string(count)}}; }

}  // namespace support

int main(int argc, char** argv) {
  if (const char* const name = std::getenv("TEST_PROGRAM")) {
    const auto found = support::programs().find(name);
    if (found == support::programs().end()) {
      std::fprintf(stderr, "no program %s\n", name);
      return 127;
    }
    support::print_workers_on_alarm();
    return found->second();
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
