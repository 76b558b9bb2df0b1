#include "program_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command_line.hpp"

namespace tool {

std::vector<const bench::program_family*> choose_programs(const std::vector<std::string>& names) {
  std::vector<const bench::program_family*> chosen;
  for (const std::string& name : names) {
    const bench::program_family* const family = bench::find_program(name);
    if (family == nullptr) {
      throw usage_error(fmt::format("unknown program '{}'; known: {}", name, bench::program_names()));
    }
    if (std::find(chosen.begin(), chosen.end(), family) == chosen.end()) chosen.push_back(family);
  }
  if (names.empty()) {
    for (const bench::program_family& family : bench::all_programs()) chosen.push_back(&family);
  }
  return chosen;
}

std::vector<const bench::program_family*>
only_of_suite(const std::vector<const bench::program_family*>& chosen, bool by_name) {
  std::vector<const bench::program_family*> kept;
  for (const bench::program_family* const family : chosen) {
    if (family->elided->size.suite >= 0) {
      kept.push_back(family);
    } else if (by_name) {
      throw usage_error(fmt::format("--suite: {} is none of its programs; see --list", family->name()));
    }
  }
  return kept;
}

}  // namespace tool
