// The `nopal` command: finds the subcommand, and turns what it throws into one line and an exit code.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nopal/version.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "doctor.hpp"
#include "exit_codes.hpp"
#include "interrupt.hpp"

namespace {

struct subcommand {
  std::string_view name;
  std::string_view summary;  ///< empty: not listed
  int (*run)(int argc, char** argv);
};

constexpr std::array subcommands = {
    subcommand{"bench", "measure programs serially and on several numbers of workers", bench_command},
    subcommand{"check", "run a program that was compiled for the race detector", check_command},
    subcommand{"cilk", "compile programs written in Cilk with a stock compiler, or print them translated",
               cilk_command},
    subcommand{"cilk++", "the same for C++, as a compiler", cilk_command},
    subcommand{"demo", "sort the lines and count the words of real text files, serially and in parallel",
               demo_command},
    subcommand{"doctor", "show what this machine gives the runtime", doctor_command},
    subcommand{"profile", "measure work, span and parallelism of a program as it was built", profile_command},
    subcommand{"simulate", "predict programs' speedups on more workers than there are", simulate_command},
    subcommand{"trace", "run a program and write what its workers did, for viewers and browsers",
               trace_command},
    subcommand{"bench-one", "", bench_one_command},
    subcommand{"bench-steps", "", bench_steps_command},
    subcommand{"bench-promotion", "", bench_promotion_command},
    subcommand{"bench-reducers", "", bench_reducers_command},
    subcommand{"simulate-one", "", simulate_one_command},
    subcommand{"simulate-costs", "", simulate_costs_command},
};

void print_help() {
  fmt::print(
      "nopal {}: fork-join parallelism for C and C++\n\nUsage: nopal SUBCOMMAND [OPTIONS]\n\nSubcommands:\n",
      NOPAL_VERSION_STRING);
  for (const subcommand& each : subcommands) {
    if (!each.summary.empty()) fmt::print("  {:<10}{}\n", each.name, each.summary);
  }
  fmt::print("\nOptions:\n  -h, --help  this text; 'nopal SUBCOMMAND --help' for a subcommand's\n"
             "  --version   the version\n\n"
             "Exit codes: 0 success, 1 a failed check, 2 bad usage.\n");
}

std::string accepted() {
  std::string names;
  for (const subcommand& each : subcommands) {
    if (!each.summary.empty()) names += fmt::format("{}, ", each.name);
  }
  return names + "help, --help, --version";
}

int fail(std::string_view where, const std::string& message, int exit_code) {
  fmt::print(stderr, "{}: {}\n", where, tool::one_line(message));
  return exit_code;
}

/// What has been printed may still lie in memory, and find no room where it goes.
int end_output(std::string_view where, int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  const int refused =
      fail(where, fmt::format("cannot write the output: {}", std::strerror(errno)), tool::exit_failed_check);
  return exit_code == tool::exit_success ? refused : exit_code;
}

int run(const subcommand& chosen, int argc, char** argv) {
  const std::string where = fmt::format("nopal {}", chosen.name);
  try {
    return end_output(where, chosen.run(argc, argv));
  } catch (const tool::usage_error& e) {
    return fail(where, e.what(), tool::exit_bad_usage);
  } catch (const tool::interrupted& e) {
    return 128 + e.signal_number();
  } catch (const std::bad_alloc&) {
    return fail(where, "not enough memory for this size", tool::exit_failed_check);
  } catch (const std::exception& e) {
    return fail(where, e.what(), tool::exit_failed_check);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return fail("nopal", "a subcommand is missing; accepted: " + accepted(), tool::exit_bad_usage);
  std::string_view first = argv[1];
  // 'nopal help SUBCOMMAND' is 'nopal SUBCOMMAND --help'.
  std::string flag = "--help";
  char* helped[] = {nullptr, flag.data(), nullptr};
  int count = argc - 1;
  char** words = argv + 1;
  if (first == "help" && argc == 3) {
    first = argv[2];
    helped[0] = argv[2];
    count = 2;
    words = helped;
  }
  const bool asks_for_help = first == "--help" || first == "-h" || first == "help";
  if (asks_for_help || first == "--version") {
    if (argc > 2) {
      return fail("nopal",
                  fmt::format("{} takes {}, not '{}'", first,
                              first == "help" ? "one subcommand" : "nothing behind it", argv[argc - 1]),
                  tool::exit_bad_usage);
    }
    if (asks_for_help) {
      print_help();
    } else {
      fmt::print("nopal {}\n", NOPAL_VERSION_STRING);
    }
    return end_output("nopal", tool::exit_success);
  }
  for (const subcommand& each : subcommands) {
    if (each.name == first) return run(each, count, words);
  }
  return fail("nopal", fmt::format("unknown subcommand '{}'; accepted: {}", first, accepted()),
              tool::exit_bad_usage);
}
