#include "doctor.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nopal/version.hpp>

#include "command_line.hpp"
#include "doctor/checks.hpp"
#include "exit_codes.hpp"
#include "format.hpp"

namespace tool::doctor {
namespace {

constexpr std::string_view names_of_verdicts[] = {"ok", "note", "problem"};

std::string_view name_of(verdict judged) { return names_of_verdicts[static_cast<int>(judged)]; }

std::vector<section> examine() {
  const int workers = worker_count();
  return {check_runtime(),       check_cpus(),          check_waiting(),
          check_memory(workers), check_system(workers), check_compilers()};
}

std::size_t count(const std::vector<section>& sections, verdict judged) {
  std::size_t total = 0;
  for (const section& part : sections) {
    total +=
        static_cast<std::size_t>(std::count_if(part.findings.begin(), part.findings.end(),
                                               [&](const finding& found) { return found.judged == judged; }));
  }
  return total;
}

std::string summary(const std::vector<section>& sections) {
  const std::size_t problems = count(sections, verdict::problem);
  const std::size_t notes = count(sections, verdict::note);
  return fmt::format("The runtime {}: {}, {}.", problems == 0 ? "can start" : "cannot start",
                     format_count(problems, "problem"), format_count(notes, "note"));
}

void print_text(const std::vector<section>& sections) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  constexpr std::size_t widest_column = 44;  // what is wider moves its own line only
  for (const section& part : sections) {
    for (const finding& found : part.findings) {
      name_width = std::max(name_width, std::min(found.name.size(), widest_column));
      value_width = std::max(value_width, std::min(found.value.size(), widest_column));
    }
  }
  for (const section& part : sections) {
    fmt::print("{}\n", part.name);
    for (const finding& found : part.findings) {
      fmt::print("  {:<{}}  {:<{}}  {}{}{}\n", found.name, name_width, found.value, value_width,
                 name_of(found.judged), found.advice.empty() ? "" : ": ", found.advice);
    }
    fmt::print("\n");
  }
  fmt::print("{}\n", summary(sections));
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

void print_json(const std::vector<section>& sections) {
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
  fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace
}  // namespace tool::doctor

int doctor_command(int argc, char** argv) {
  using namespace tool;
  CLI::App app{"Shows what this machine gives the runtime, and what to do where that is little.",
               "nopal doctor"};
  bool json = false;
  app.add_flag("--json", json, "print one JSON object");
  app.footer(
      "Each line: name, value, and a verdict: ok, note (the runtime works) or problem (it cannot start).\n"
      "Exit codes: 0 the runtime can start, 1 it cannot, 2 bad usage.");
  if (!parse(app, argc, argv)) return exit_success;
  const std::vector<doctor::section> sections = doctor::examine();
  if (json) {
    doctor::print_json(sections);
  } else {
    doctor::print_text(sections);
  }
  return doctor::count(sections, doctor::verdict::problem) == 0 ? exit_success : exit_failed_check;
}
