#include "options.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace [[gnu::visibility("hidden")]] nopal_check {

namespace {

constexpr const char* accepted = "log=FILE, suppressions=FILE, exitcode=N with N from 0 to 255, help";

[[noreturn]] void refuse(const std::string& line) {
  std::fprintf(stderr, "nopal: %s\n", line.c_str());
  std::fflush(stderr);
  _exit(2);
}

[[noreturn]] void print_help() {
  std::fputs(
      "NOPAL_CHECK has any of these, separated by commas or colons:\n"
      "  log=FILE           reports go to FILE, not to standard error\n"
      "  suppressions=FILE  races that FILE names are not reported: on each line a piece of a file's "
      "path,\n"
      "                     of 'FILE:LINE' or of a function's name; * is any text, # begins a comment\n"
      "  exitcode=N         the exit status of a program that races were found in (66)\n"
      "  help               this text\n",
      stdout);
  std::fflush(stdout);
  _exit(0);
}

int exit_code_in(std::string_view value) {
  int code = -1;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), code);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size() || code < 0 || code > 255) {
    refuse("NOPAL_CHECK: exitcode='" + std::string(value) + "' is no exit status; accepted: " + accepted);
  }
  return code;
}

void read_option(options& chosen, std::string_view option) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = equals == option.npos ? "" : option.substr(equals + 1);
  if (option == "help") print_help();
  if (name == "log" && !value.empty()) {
    chosen.log = value;
  } else if (name == "suppressions" && !value.empty()) {
    chosen.suppressions = value;
  } else if (name == "exitcode") {
    chosen.exit_code = exit_code_in(value);
  } else {
    refuse("NOPAL_CHECK: '" + std::string(option) + "' is not understood; accepted: " + accepted);
  }
}

}  // namespace

options read_options(const char* text) {
  options chosen;
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(",:");
    if (const std::string_view option = rest.substr(0, end); !option.empty()) read_option(chosen, option);
    rest = end == rest.npos ? "" : rest.substr(end + 1);
  }
  return chosen;
}

std::vector<std::string> read_suppressions(const std::string& file) {
  std::FILE* const from = std::fopen(file.c_str(), "r");
  if (from == nullptr) {
    refuse("NOPAL_CHECK: suppressions='" + file + "' cannot be read: " + std::strerror(errno));
  }
  std::vector<std::string> patterns;
  char* line = nullptr;
  std::size_t room = 0;
  errno = 0;
  for (ssize_t bytes; (bytes = getline(&line, &room, from)) >= 0;) {
    std::string_view pattern(line, static_cast<std::size_t>(bytes));
    pattern = pattern.substr(0, pattern.find_first_of("#\n"));
    while (!pattern.empty() && (pattern.back() == ' ' || pattern.back() == '\t' || pattern.back() == '\r')) {
      pattern.remove_suffix(1);
    }
    while (!pattern.empty() && (pattern.front() == ' ' || pattern.front() == '\t')) pattern.remove_prefix(1);
    if (std::any_of(pattern.begin(), pattern.end(),
                    [](char each) { return each >= 0 && each < ' ' && each != '\t'; })) {
      refuse("NOPAL_CHECK: suppressions='" + file +
             "' is no text: each line is a piece of a path, of FILE:LINE or of a function's name");
    }
    if (!pattern.empty()) patterns.emplace_back(pattern);
  }
  if (std::ferror(from) != 0) {
    refuse("NOPAL_CHECK: suppressions='" + file + "' cannot be read: " + std::strerror(errno));
  }
  std::free(line);
  std::fclose(from);
  return patterns;
}

bool has_pattern(std::string_view text, std::string_view pattern) noexcept {
  for (;;) {
    const std::size_t star = pattern.find('*');
    const std::size_t found = text.find(pattern.substr(0, star));
    if (found == text.npos) return false;
    if (star == pattern.npos) return true;
    text.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
}

}  // namespace nopal_check
