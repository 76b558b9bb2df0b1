// Tests that need a process of their own: another worker count, an exit code, a line on stderr, a crash.
//
// A test source defines named programs next to its tests. The test program re-executes itself with the name in its
// environment, which runs that program in place of the tests, and looks at how the process ended. A program that
// hangs is ended by SIGALRM.
#ifndef NOPAL_TESTS_SUPPORT_PROGRAM_HPP
#define NOPAL_TESTS_SUPPORT_PROGRAM_HPP

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace support {

using environment = std::vector<std::pair<std::string, std::string>>;

/// How a process ended.
struct outcome {
  int exit_code = -1;  ///< -1 if a signal ended it
  int signal = 0;      ///< 0 if it exited
  std::string out;
  std::string err;

  [[nodiscard]] std::string description() const;
};

/// Runs one of this executable's programs. No NOPAL_ variable is inherited; those of `with` are set.
outcome run_program(const std::string& name, const environment& with = {});

/// The same for another executable.
outcome run_executable(const std::vector<std::string>& command, const environment& with = {});

/// Passes if the program exits with 0 and wrote nothing to stderr.
testing::AssertionResult succeeds(const std::string& name, const environment& with = {});

/// The environment of a run on that many workers.
environment on_workers(int count);

/// The base of a suite whose tests run programs on that many workers.
class program_at_workers : public testing::TestWithParam<int> {
protected:
  static testing::AssertionResult run(const char* name) { return succeeds(name, on_workers(GetParam())); }
};

/// In a program that is meant to crash: it leaves no file.
void no_core();

struct registration {
  registration(const char* name, int (*body)());
};

[[noreturn]] void check_failed(const char* what, const char* file, int line);

}  // namespace support

/// Defines a program; its body returns the exit code.
#define NOPAL_PROGRAM(name)                                                                                  \
  static int program_##name();                                                                               \
  static const support::registration registration_of_##name(#name, program_##name);                          \
  static int program_##name()

/// In a program: ends the process with exit code 1 and a line on stderr if `condition` does not hold.
#define NOPAL_CHECK(condition)                                                                               \
  ((condition) ? static_cast<void>(0) : support::check_failed(#condition, __FILE__, __LINE__))

#endif
