// The program behind `nopal cilk` and `nopal cilk++`: prints a translated file, or compiles translated files.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cilk/compile.hpp"
#include "cilk/source.hpp"
#include "command_line.hpp"
#include "exit_codes.hpp"

namespace {

constexpr std::string_view help =
    "Compiles programs written in Cilk with a stock compiler: translates Cilk's keywords to Nopal's "
    "interface.\n"
    "\n"
    "Usage: nopal cilk COMPILER WORD...   compile and link as 'COMPILER WORD...', as in 'nopal cilk cc -O2 "
    "x.c -o x'\n"
    "       nopal cilk++ WORD...          the same with c++, or with the compiler that NOPAL_CILK_CXX names\n"
    "       nopal cilk [FLAG...] FILE     print the translated file\n"
    "\n"
    "Words are the compiler's own. In a build name 'nopal cilk gcc' as CC and 'nopal cilk++' as CXX.\n"
    "\n"
    "Options:\n"
    "  -h, --help  this text\n"
    "\n"
    "Exit codes: the compiler's; 1 where something is an error or not translated, with its place; 2 bad "
    "usage.\n";

int print_translation(const std::vector<std::string>& words) {
  std::string file;
  std::vector<std::string> flags;
  for (const std::string& each : words) {
    if (tool::cilk::is_source(each)) {
      if (!file.empty()) throw tool::usage_error("more than one file to print");
      file = each;
    } else {
      flags.push_back(each);
    }
  }
  if (file.empty()) {
    throw tool::usage_error(fmt::format(
        "'{}' without a file; accepted: --help, COMPILER WORD..., or FLAG... FILE", words.front()));
  }
  fmt::print("{}", tool::cilk::translate(file, tool::cilk::names_cxx(file), flags));
  return tool::exit_success;
}

int run(bool as_cxx, std::vector<std::string> words) {
  if (words.empty())
    throw tool::usage_error("a compiler or a file is missing; --help shows what is accepted");
  if (words.front() == "--help" || words.front() == "-h") {
    fmt::print("{}", help);
    return tool::exit_success;
  }
  if (as_cxx) {
    const char* const named = std::getenv("NOPAL_CILK_CXX");
    return tool::cilk::compile(named != nullptr ? named : "c++", words);
  }
  if (words.front().front() == '-' || tool::cilk::is_source(words.front())) return print_translation(words);
  const std::string compiler = words.front();
  words.erase(words.begin());
  return tool::cilk::compile(compiler, words);
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_cxx = argc > 0 && std::string_view(argv[0]).ends_with("cilk++");
  const std::string_view where = as_cxx ? "nopal cilk++" : "nopal cilk";
  const auto fail = [where](const std::exception& e, int exit_code) {
    fmt::print(stderr, "{}: {}\n", where, tool::one_line(e.what()));
    return exit_code;
  };
  try {
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    for (const std::string& each : words) {
      if (each.empty()) throw tool::usage_error("an empty word");
    }
    return run(as_cxx, std::move(words));
  } catch (const tool::usage_error& e) {
    return fail(e, tool::exit_bad_usage);
  } catch (const tool::cilk::refused& e) {
    const std::string lines = e.what();
    for (std::size_t begin = 0; begin <= lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      fmt::print(stderr, "{}: {}\n", where, tool::one_line(lines.substr(begin, end - begin)));
      begin = end + 1;
    }
    return tool::exit_failed_check;
  } catch (const std::exception& e) {
    return fail(e, tool::exit_failed_check);
  }
}
