// `nopal profile`: runs a program with NOPAL_PROFILE and says what it has left, or reads such a file.

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "profile_data.hpp"
#include "profile_report.hpp"
#include "temporary.hpp"
#include "utf8.hpp"

extern char** environ;

namespace {

using tool::profile::data;

struct profile_arguments {
  std::string csv;
  std::string json;
  std::string html;
  std::string read;
  std::vector<std::string> program;
};

bool read_arguments(profile_arguments& given, int argc, char** argv) {
  CLI::App app("Measures the work, the span and the parallelism of a program as it was built.",
               "nopal profile");
  app.add_option("--csv", given.csv, "file for a table of comma-separated values")->type_name("FILE");
  app.add_option("--json", given.json, "file for everything, as JSON")->type_name("FILE");
  app.add_option("--html", given.html, "file for a page")->type_name("FILE");
  app.add_option("--read", given.read, "read what NOPAL_PROFILE has made, and run nothing")
      ->type_name("FILE");
  app.add_option("PROGRAM", given.program, "program and its arguments, behind --")->type_name("");
  app.positionals_at_end();
  if (!tool::parse(app, argc, argv)) return false;
  if (given.program.empty() == given.read.empty()) {
    throw tool::usage_error(given.program.empty()
                                ? "a program is missing; accepted: -- PROGRAM ARGUMENT..., or --read FILE"
                                : "--read and a program exclude each other");
  }
  return true;
}

/// A file of its own, which goes with this.
class temporary_file {
public:
  temporary_file() {
    name_ = tool::temporary_template("nopal-profile");
    const int file = mkstemp(name_.data());
    if (file < 0) throw std::runtime_error(fmt::format("cannot make '{}': {}", name_, std::strerror(errno)));
    close(file);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { unlink(name_.c_str()); }
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  std::string name_;
};

std::string text_of(const std::string& name) {
  std::ifstream in(name);
  if (!in) throw tool::usage_error(fmt::format("--read: cannot read '{}': {}", name, std::strerror(errno)));
  std::string text;
  std::array<char, 65536> part;
  while (in.read(part.data(), part.size()), in.gcount() > 0) {
    const auto bytes = static_cast<std::size_t>(in.gcount());
    text.append(part.data(), bytes);
    // Of a device that has no end no more: no text goes on behind a zero.
    if (std::memchr(part.data(), 0, bytes) != nullptr) break;
  }
  return text;
}

/// Waits for the program's end. What would interrupt the command goes to it.
int status_of(pid_t process, const tool::interrupt_watch& watch) {
  const int ended = static_cast<int>(syscall(SYS_pidfd_open, process, 0));  // -1 where the system has none
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    pollfd watched[] = {{watch.descriptor(), POLLIN, 0}, {ended, POLLIN, 0}};
    poll(watched, 2, ended < 0 ? 10 : -1);  // a negative descriptor is left alone
    try {
      watch.check();
    } catch (const tool::interrupted& signal) {
      kill(process, signal.signal_number());
    }
  }
  if (ended >= 0) close(ended);
  return status;
}

/// Its status, as waitpid has it.
int run(const std::vector<std::string>& program, const std::string& file) {
  setenv("NOPAL_PROFILE", file.c_str(), 1);
  std::vector<char*> words;
  words.reserve(program.size() + 1);
  for (const std::string& each : program) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const tool::interrupt_watch watch;
  posix_spawnattr_setsigmask(&attributes, &watch.mask_before());
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t process = 0;
  const int refused = posix_spawnp(&process, words[0], nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (refused != 0) {
    throw tool::usage_error(fmt::format("cannot run '{}': {}", program[0], std::strerror(refused)));
  }
  return status_of(process, watch);
}

/// They were the program's.
void forget_settings() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.starts_with("NOPAL_")) names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& each : names) unsetenv(each.c_str());
}

std::string end_of(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

/// The profile's text, and whether the program went well.
std::string profile_of(const profile_arguments& given, bool& went_well) {
  const temporary_file file;
  const int status = run(given.program, file.name());
  went_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  std::string text = text_of(file.name());
  if (text.empty()) {
    throw std::runtime_error(
        fmt::format("'{}' {} and has left no profile; accepted: a program that forks, is "
                    "linked with this version of the library, and ends by exit or its "
                    "main function, or by SIGINT, SIGTERM or SIGHUP",
                    given.program[0], end_of(status)));
  }
  if (!went_well) fmt::print(stderr, "nopal profile: '{}' {}\n", given.program[0], end_of(status));
  return text;
}

}  // namespace

int profile_command(int argc, char** argv) {
  profile_arguments given;
  if (!read_arguments(given, argc, argv)) return tool::exit_success;
  tool::output_file csv("--csv", given.csv);
  tool::output_file json("--json", given.json);
  tool::output_file html("--html", given.html);
  bool went_well = true;
  const std::string text = given.read.empty() ? profile_of(given, went_well) : text_of(given.read);
  data all = tool::profile::read(text, given.read.empty() ? given.program[0] : given.read);
  tool::profile::find_source_lines(all);
  forget_settings();
  const double fork_ns = tool::profile::measure_fork();
  fmt::print("{}", tool::profile::words(all, fork_ns));
  if (csv.is_wanted()) csv.write(tool::profile::csv(all));
  if (json.is_wanted()) json.write(tool::profile::json(all, fork_ns));
  if (html.is_wanted()) html.write(tool::valid_utf8(tool::profile::page(all, fork_ns)));
  return went_well ? tool::exit_success : tool::exit_failed_check;
}
