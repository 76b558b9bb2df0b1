// `nopal check`: runs a program that was compiled for the race detector, and says so where one was not.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"

namespace {

struct check_arguments {
  std::string log;
  std::string suppressions;
  std::int64_t exit_code = -1;
  std::vector<std::string> program;
};

/// An option for the name of a file, which is given. `--log= -- ./program` has none: the words are taken for one.
void add_file(CLI::App& app, const std::string& name, std::string& target, const std::string& description) {
  const auto read = [name, &target](const CLI::results_t& given) {
    target = given.front();
    if (target.empty() || target == "--") {
      throw tool::usage_error(fmt::format("{} takes the name of a file, not '{}'", name, target));
    }
    return true;
  };
  app.add_option(name, read, description)->type_name("FILE");
}

bool read_check_arguments(check_arguments& given, int argc, char** argv) {
  CLI::App app(
      "Runs a program that was compiled with the flags of 'pkg-config --cflags --libs nopal-check' or of "
      "nopal-check-parallel, and reports its determinacy races. The exit status is the program's, or 66 "
      "where there are races.",
      "nopal check");
  add_file(app, "--log", given.log, "write reports to this file (standard error)");
  add_file(app, "--suppressions", given.suppressions, "do not report races that this file names");
  tool::add_whole_number(app, "--exit-code", given.exit_code, {0, 255},
                         "exit status where there are races (66)");
  app.add_option("PROGRAM", given.program, "the program and its arguments, after '--'")->type_name("");
  app.positionals_at_end();
  if (!tool::parse(app, argc, argv)) return false;
  if (given.program.empty()) {
    throw tool::usage_error(
        "a program is missing; accepted: -- PROGRAM ARGUMENT..., as in 'nopal check -- ./program 10'");
  }
  return true;
}

/// The file that the shell would run.
std::string find_program(const std::string& name) {
  if (name.find('/') != name.npos) return name;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    // An empty entry is the current folder.
    const std::string_view folder = rest.substr(0, end);
    const std::string file = std::string(folder.empty() ? "." : folder) + "/" + name;
    struct stat about{};
    if (stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(file.c_str(), X_OK) == 0)
      return file;
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  throw tool::usage_error(fmt::format("'{}' is not found in PATH", name));
}

/// What the checking library leaves in a program: a note, or its own name where it is shared.
bool is_checked(const std::string& file) {
  const int from = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (from < 0 || fstat(from, &about) != 0) {
    throw tool::usage_error(fmt::format("'{}' cannot be read: {}", file, std::strerror(errno)));
  }
  const auto bytes = static_cast<std::size_t>(about.st_size);
  void* const text = bytes != 0 ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, from, 0) : MAP_FAILED;
  close(from);
  if (text == MAP_FAILED) return false;
  constexpr unsigned note[] = {6, 4, 0x4e43};
  std::string mark(reinterpret_cast<const char*>(note), sizeof note);
  mark += "nopal";
  const auto has = [text, bytes](const std::string& part) {
    return memmem(text, bytes, part.data(), part.size()) != nullptr;
  };
  const std::string library = "libnopal_check";
  const bool found = has(mark) || has(library + ".so") || has(library + "_parallel.so");
  munmap(text, bytes);
  return found;
}

void add_option(std::string& options, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  if (value.find_first_of(",:") != value.npos) {
    throw tool::usage_error(
        fmt::format("--{} '{}': a name with a comma or a colon is not accepted", name, value));
  }
  options +=
      fmt::format("{}{}={}", options.empty() ? "" : ",", name == "exit-code" ? "exitcode" : name, value);
}

}  // namespace

int check_command(int argc, char** argv) {
  check_arguments given;
  if (!read_check_arguments(given, argc, argv)) return tool::exit_success;
  const std::string file = find_program(given.program.front());
  if (!is_checked(file)) {
    throw tool::usage_error(fmt::format(
        "'{}' is not linked with the checking library; accepted: programs compiled and "
        "linked with the flags of 'pkg-config --cflags --libs nopal-check' or of nopal-check-parallel",
        given.program.front()));
  }
  const char* const before = std::getenv("NOPAL_CHECK");
  std::string options = before != nullptr ? before : "";
  add_option(options, "log", given.log);
  add_option(options, "suppressions", given.suppressions);
  add_option(options, "exit-code", given.exit_code < 0 ? "" : std::to_string(given.exit_code));
  setenv("NOPAL_CHECK", options.c_str(), 1);
  // In place of this process: signals and the exit status are the program's.
  std::vector<char*> arguments;
  arguments.reserve(given.program.size() + 1);
  for (std::string& each : given.program) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  execv(file.c_str(), arguments.data());
  throw tool::usage_error(fmt::format("'{}' cannot be run: {}", file, std::strerror(errno)));
}
