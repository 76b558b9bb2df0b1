#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <nopal/version.hpp>

#include "doctor/checks.hpp"

namespace tool::doctor {
namespace {

constexpr std::array<std::string_view, 12> variables = {
    "NOPAL_WORKERS",     "NOPAL_STACK_SIZE", "NOPAL_RECLAIM", "NOPAL_RECLAIM_WITH",   "NOPAL_PIN",
    "NOPAL_FORKS",       "NOPAL_SIGNAL",     "NOPAL_STATS",   "NOPAL_ON_BAD_SETTING", "NOPAL_STEAL",
    "NOPAL_SUBSTITUTES", "NOPAL_TRACE"};

std::string known_variables() {
  std::string names;
  for (const std::string_view name : variables) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

}  // namespace

section check_runtime() {
  section runtime{"Runtime", {plain_finding("version", NOPAL_VERSION_STRING)}};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("NOPAL_")) continue;
    const std::string_view name = text.substr(0, text.find('='));
    finding found =
        plain_finding(std::string(name), std::string(text.substr(std::min(name.size() + 1, text.size()))));
    if (std::find(variables.begin(), variables.end(), name) == variables.end()) {
      judge(found, verdict::note, "the runtime does not read this variable; it reads " + known_variables());
    }
    runtime.findings.push_back(std::move(found));
  }
  if (runtime.findings.size() == 1) {
    finding none = plain_finding("environment", "no NOPAL_* variable is set");
    none.data = nullptr;
    runtime.findings.push_back(std::move(none));
  }
  return runtime;
}

}  // namespace tool::doctor
