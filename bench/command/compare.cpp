#include "compare.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "command_line.hpp"
#include "format.hpp"
#include "measurement.hpp"

namespace tool {
namespace {

using nlohmann::json;
using samples_by_column = std::map<std::string, std::vector<double>>;

/// Parts and members of a report.
constexpr std::array<std::pair<const char*, const char*>, 5> told_differences = {{{"machine", "cpu"},
                                                                                  {"machine", "kernel"},
                                                                                  {"build", "compiler"},
                                                                                  {"build", "flags"},
                                                                                  {"build", "commit"}}};

std::string column_name(const json& sample) {
  const auto variant = sample.at("variant").get<std::string>();
  const int workers = sample.at("workers").get<int>();
  if (const auto peer = sample.find("peer"); peer != sample.end())
    return fmt::format("{} {}", peer->get<std::string>(), workers);
  return workers == 0 ? variant : fmt::format("T{}", workers);
}

samples_by_column samples_of(const json& program) {
  samples_by_column columns;
  for (const json& sample : program.at("samples")) {
    if (sample.at("variant") == "space") continue;
    columns[column_name(sample)].push_back(sample.at("seconds").get<double>());
  }
  return columns;
}

change change_of(std::string program, std::string column, const std::vector<double>& before,
                 const std::vector<double>& after) {
  const auto middle = [](const std::vector<double>& of) {
    return std::pair(quantile(of, 0.25), quantile(of, 0.75));
  };
  const auto [old_low, old_high] = middle(before);
  const auto [new_low, new_high] = middle(after);
  change result{std::move(program), std::move(column), quantile(before, 0.5), quantile(after, 0.5)};
  result.noise = (old_high - old_low + new_high - new_low) / 2 / std::max(result.old_seconds, 1e-9);
  result.is_certain = old_high < new_low || new_high < old_low;
  return result;
}

// A calibrated grain differs from run to run and is meant to.
bool same_input(const json& a, const json& b) {
  for (const char* const key : {"size", "seed"}) {
    if (a.at(key) != b.at(key)) return false;
  }
  if (a.value("matrix", "") != b.value("matrix", "")) return false;
  const bool calibrated = a.value("grain_is_calibrated", false) && b.value("grain_is_calibrated", false);
  return calibrated || a.at("grain") == b.at("grain");
}

void compare_program(const json& before, const json& after, std::vector<change>& changes) {
  const samples_by_column old_columns = samples_of(before);
  const samples_by_column new_columns = samples_of(after);
  for (const auto& [name, new_samples] : new_columns) {
    const auto old_samples = old_columns.find(name);
    if (old_samples == old_columns.end()) continue;
    changes.push_back(change_of(after.at("name"), name, old_samples->second, new_samples));
  }
}

/// The member of that name, or null.
const json& member(const json& from, const char* name) {
  static const json none;
  const auto found = from.find(name);
  return found == from.end() ? none : *found;
}

bool is_text_if_there(const json& from, const char* name) {
  return !from.contains(name) || from.at(name).is_string();
}

bool is_sample(const json& sample) {
  return member(sample, "variant").is_string() && member(sample, "workers").is_number_integer() &&
         member(sample, "seconds").is_number() && is_text_if_there(sample, "peer");
}

bool is_program(const json& program) {
  const json& samples = member(program, "samples");
  return member(program, "name").is_string() && member(program, "size").is_number_integer() &&
         member(program, "seed").is_number_integer() && member(program, "grain").is_number_integer() &&
         is_text_if_there(program, "matrix") &&
         (!program.contains("grain_is_calibrated") || program.at("grain_is_calibrated").is_boolean()) &&
         samples.is_array() && std::all_of(samples.begin(), samples.end(), is_sample);
}

/// Whether all that a comparison reads is there and of its type: afterwards, when the programs have run, is too late to
/// find that it is not.
bool is_report(const json& report) {
  const json& programs = member(report, "programs");
  if (!programs.is_array() || !std::all_of(programs.begin(), programs.end(), is_program)) return false;
  return std::all_of(told_differences.begin(), told_differences.end(), [&](const auto& told) {
    const json& part = member(report, told.first);
    return part.is_object() && is_text_if_there(part, told.second);
  });
}

}  // namespace

std::vector<change> compare(const json& old_report, const json& new_report,
                            std::vector<std::string>& left_out) {
  std::vector<change> changes;
  for (const json& after : new_report.at("programs")) {
    for (const json& before : old_report.at("programs")) {
      if (before.at("name") != after.at("name")) continue;
      if (same_input(before, after)) {
        compare_program(before, after, changes);
      } else {
        left_out.push_back(after.at("name"));
      }
    }
  }
  return changes;
}

std::string comparison_table(const json& old_report, const json& new_report) {
  std::vector<std::string> left_out;
  text_table table({"program", "column", "before", "now", "change", "noise", ""});
  for (const change& one : compare(old_report, new_report, left_out)) {
    const char* verdict = !one.is_certain ? "" : one.fraction() < 0 ? "faster" : "slower";
    table.add_row({one.program, one.column, format_seconds(one.old_seconds), format_seconds(one.new_seconds),
                   fmt::format("{:+.1f}%", one.fraction() * 100), fmt::format("{:.1f}%", one.noise * 100),
                   verdict});
  }
  std::string text = table.str();
  text += "\nMedians. Noise: half the distance between the quartiles, of both added. A verdict is given "
          "where the\n"
          "middle halves of the samples do not overlap.\n";
  for (const std::string& name : left_out) text += fmt::format("{} left out: its input differs.\n", name);
  for (const auto& [part, key] : told_differences) {
    const std::string before = old_report.at(part).value(key, "");
    const std::string now = new_report.at(part).value(key, "");
    if (before != now)
      text += one_line(fmt::format("{} differs: '{}' before, '{}' now", key, before, now)) + '\n';
  }
  return text;
}

json read_report(const std::string& file) {
  std::ifstream input(file);
  if (!input) throw usage_error(fmt::format("--compare: cannot read '{}': {}", file, std::strerror(errno)));
  json report = json::parse(input, nullptr, false);
  if (!is_report(report))
    throw usage_error(fmt::format("--compare: '{}' is no report of nopal bench --json", file));
  return report;
}

}  // namespace tool
