#include "doctor/report.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nopal/version.hpp>

#include "command_line.hpp"
#include "format.hpp"

namespace tool::doctor {
namespace {

constexpr std::string_view names_of_verdicts[] = {"ok", "note", "problem"};

std::string_view name_of(verdict judged) { return names_of_verdicts[static_cast<int>(judged)]; }

std::string summary(const std::vector<section>& sections) {
  const std::size_t problems = count(sections, verdict::problem);
  const std::size_t notes = count(sections, verdict::note);
  return fmt::format("The runtime {}: {}, {}.", problems == 0 ? "can start" : "cannot start",
                     format_count(problems, "problem"), format_count(notes, "note"));
}

// "L2 caches" becomes "l2_caches"; paths and variables stay as they are.
std::string key_of(const std::string& name) {
  if (name.starts_with('/') || name.starts_with("NOPAL_") || name.starts_with("RLIMIT_") ||
      name.starts_with("MADV_")) {
    return name;
  }
  std::string key;
  for (const char c : name) {
    if (c == ',') continue;
    key += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

}  // namespace

std::size_t count(const std::vector<section>& sections, verdict judged) {
  std::size_t total = 0;
  for (const section& part : sections) {
    total +=
        static_cast<std::size_t>(std::count_if(part.findings.begin(), part.findings.end(),
                                               [&](const finding& found) { return found.judged == judged; }));
  }
  return total;
}

std::string text_report(const std::vector<section>& sections) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  constexpr std::size_t widest_column = 44;  // what is wider moves its own line only
  for (const section& part : sections) {
    for (const finding& found : part.findings) {
      name_width = std::max(name_width, std::min(found.name.size(), widest_column));
      value_width = std::max(value_width, std::min(found.value.size(), widest_column));
    }
  }
  std::string text;
  for (const section& part : sections) {
    text += part.name + '\n';
    for (const finding& found : part.findings) {
      // Variables, control groups and paths may have any bytes in their names.
      text += fmt::format("  {:<{}}  {:<{}}  {}{}{}\n", one_line(found.name), name_width,
                          one_line(found.value), value_width, name_of(found.judged),
                          found.advice.empty() ? "" : ": ", one_line(found.advice));
    }
    text += '\n';
  }
  return text + summary(sections) + '\n';
}

std::string json_report(const std::vector<section>& sections) {
  nlohmann::ordered_json report;
  report["version"] = NOPAL_VERSION_STRING;
  report["able_to_start"] = count(sections, verdict::problem) == 0;
  for (const section& part : sections) {
    nlohmann::ordered_json& findings = report["sections"][key_of(part.name)];
    for (const finding& found : part.findings) {
      findings[key_of(found.name)] = {{"value", found.data},
                                      {"text", found.value},
                                      {"verdict", name_of(found.judged)},
                                      {"advice", found.advice}};
    }
  }
  // Bytes that are not UTF-8, in a path or a variable, must not end the report.
  return report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace tool::doctor
