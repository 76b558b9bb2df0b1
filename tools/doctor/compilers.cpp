#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "doctor/checks.hpp"

namespace tool::doctor {
namespace {

namespace fs = std::filesystem;

struct compiler_family {
  std::string_view program;
  std::string_view name;
  int least_version;
  const char* version_option;
};

constexpr compiler_family families[] = {
    {"g++", "GCC", 12, "-dumpfullversion"},
    {"clang++", "Clang", 16, "-dumpversion"},
};

std::string this_compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

// "g++" and "g++-12", not "g++-mapper".
bool is_named_after(std::string_view file, std::string_view program) {
  if (!file.starts_with(program)) return false;
  file.remove_prefix(program.size());
  if (file.empty()) return true;
  if (file.front() != '-' || file.size() == 1) return false;
  return std::all_of(file.begin() + 1, file.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The first line that the compiler prints; empty if it does not run.
std::string ask_version(const fs::path& compiler, const char* option) {
  const std::string command =
      fmt::format("{} {} 2>/dev/null </dev/null", shell_quoted(compiler.string()), option);
  const auto close_pipe = [](FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close_pipe)> pipe(popen(command.c_str(), "r"), close_pipe);
  char line[128] = "";
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe.get()) == nullptr) return {};
  std::string version = line;
  version.erase(std::min(version.find('\n'), version.size()));
  return version;
}

finding compiler_finding(const fs::path& path, const compiler_family& family) {
  const std::string version = ask_version(path, family.version_option);
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major == 0) {
    finding silent = plain_finding(path.string(), "of unknown version");
    silent.data = nullptr;
    judge(silent, verdict::note, fmt::format("it does not answer {}", family.version_option));
    return silent;
  }
  finding found = plain_finding(path.string(), fmt::format("{} {}", family.name, version));
  if (major < family.least_version) {
    judge(found, verdict::note,
          fmt::format("cannot build Nopal: {} {} is the oldest that can", family.name, family.least_version));
  }
  return found;
}

std::vector<fs::path> directories_of_path() {
  std::vector<fs::path> directories;
  const char* const value = std::getenv("PATH");
  for (std::string_view rest = value == nullptr ? "" : value; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (colon != 0) directories.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return directories;
}

// Ordered by name; a compiler that is reached by several names or directories is met again each time.
std::vector<fs::path> files_of(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ignored;  // an unreadable directory holds nothing for us
  for (fs::directory_iterator entry(directory, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

section check_compilers() {
  section compilers{"Compilers", {plain_finding("built by", this_compiler())}};
  std::set<fs::path> seen;
  bool usable = false;
  for (const fs::path& directory : directories_of_path()) {
    for (const fs::path& file : files_of(directory)) {
      for (const compiler_family& family : families) {
        if (!is_named_after(file.filename().string(), family.program)) continue;
        std::error_code failure;
        if (!seen.insert(fs::canonical(file, failure)).second || failure) continue;
        compilers.findings.push_back(compiler_finding(file, family));
        usable = usable || compilers.findings.back().judged == verdict::ok;
      }
    }
  }
  if (!usable) {
    finding none{"in PATH", "none that can build Nopal", nullptr, verdict::ok, {}};
    judge(none, verdict::note,
          "install GCC 12 or Clang 16, or a newer one (Debian and Ubuntu: apt install g++)");
    compilers.findings.push_back(std::move(none));
  }
  return compilers;
}

}  // namespace tool::doctor
