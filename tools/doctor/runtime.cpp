#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nopal/runtime.hpp>
#include <nopal/version.hpp>

#include "doctor/checks.hpp"
#include "scheduler/setting_names.hpp"

namespace tool::doctor {
namespace {

using nopal::internal::setting_names;

std::string known_variables() {
  std::string names;
  for (const std::string_view name : setting_names) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

/// What the runtime says of the first variable that it does not understand; empty: it understands all.
std::string refusal() {
  nopal::configuration asked;
  asked.on_bad_setting = nopal::bad_setting::refuse;
  try {
    nopal::configure(asked);
  } catch (const nopal::error& e) {
    return e.what();
  }
  return {};
}

/// Takes the variables that are not understood out of the environment, and judges what was found of them.
void judge_refused(std::vector<finding>& findings) {
  const char* const choice = std::getenv("NOPAL_ON_BAD_SETTING");
  const bool is_lenient = choice != nullptr && std::string_view(choice) == "default";
  for (std::string line = refusal(); !line.empty(); line = refusal()) {
    const auto refused = std::find_if(findings.begin(), findings.end(), [&](const finding& each) {
      return line.starts_with("nopal: " + each.name + '=');
    });
    if (refused == findings.end() || unsetenv(refused->name.c_str()) != 0) throw nopal::error(line);
    const std::string reason = line.substr(line.find(": not understood; ") + 2);
    if (is_lenient) {
      judge(*refused, verdict::note, reason + "; taken as unset");
    } else {
      judge(*refused, verdict::problem, reason + "; programs that use the runtime end with exit code 2");
    }
  }
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
    if (std::find(setting_names.begin(), setting_names.end(), name) == setting_names.end()) {
      judge(found, verdict::note, "the runtime does not read this variable; it reads " + known_variables());
    }
    runtime.findings.push_back(std::move(found));
  }
  judge_refused(runtime.findings);
  if (runtime.findings.size() == 1) {
    finding none = plain_finding("environment", "no NOPAL_* variable is set");
    none.data = nullptr;
    runtime.findings.push_back(std::move(none));
  }
  return runtime;
}

}  // namespace tool::doctor
