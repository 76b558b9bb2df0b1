#include "profile_data.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nopal/scope.hpp>

#include "command_line.hpp"

namespace tool::profile {

namespace {

/// What is wrong with a member of a line.
struct unfit_member : std::runtime_error {
  using runtime_error::runtime_error;
};

const nlohmann::json& member(const nlohmann::json& from, const char* name) {
  const auto found = from.find(name);
  if (found == from.end()) throw unfit_member(fmt::format("'{}' is missing", name));
  return *found;
}

/// None that the library writes is negative, or more than 64 bits have.
double number(const nlohmann::json& from, const char* name) {
  constexpr double most = 18446744073709551616.0;
  const nlohmann::json& found = member(from, name);
  const double value = found.is_number() ? found.get<double>() : -1;
  if (value >= 0 && value <= most) return value;
  throw unfit_member(fmt::format("'{}' is no number from 0 to 2^64", name));
}

unsigned long long whole_number(const nlohmann::json& from, const char* name, unsigned long long most) {
  const nlohmann::json& found = member(from, name);
  if (found.is_number_unsigned() && found.get<unsigned long long>() <= most) {
    return found.get<unsigned long long>();
  }
  throw unfit_member(fmt::format("'{}' is no whole number from 0 to {}", name, most));
}

std::string string(const nlohmann::json& from, const char* name) {
  const nlohmann::json& found = member(from, name);
  if (!found.is_string()) throw unfit_member(fmt::format("'{}' is no string", name));
  return found.get<std::string>();
}

bool truth(const nlohmann::json& from, const char* name) {
  const nlohmann::json& found = member(from, name);
  if (!found.is_boolean()) throw unfit_member(fmt::format("'{}' is neither true nor false", name));
  return found.get<bool>();
}

work_and_span lengths_of(const nlohmann::json& from) {
  return {number(from, "work_ns"), number(from, "span_ns"), number(from, "burdened_span_ns")};
}

void read_whole(data& all, const nlohmann::json& from) {
  constexpr unsigned long long most_workers = 1'000'000;
  all.program = string(from, "program");
  all.workers = static_cast<int>(whole_number(from, "workers", most_workers));
  all.complete = truth(from, "complete");
  all.regions = lengths_of(from);
  all.seen_work = number(from, "seen_work_ns");
  all.outside = number(from, "outside_ns");
  all.wall = number(from, "wall_ns");
  all.region_count = number(from, "regions");
  all.region_wall = number(from, "regions_wall_ns");
  all.forks = number(from, "forks");
  all.unobserved = number(from, "unobserved_ns");
  all.preempted = number(from, "preempted_ns");
  all.turned_out_long = number(from, "turned_out_long");
  all.roots = number(from, "roots");
  all.burden = number(from, "burden_ns");
  all.steal = number(from, "steal_ns");
  all.wake = number(from, "wake_ns");
  all.cold_stack = number(from, "cold_stack_ns");
  if (from.contains("record_ns")) all.record = number(from, "record_ns");  // older files have none
}

site read_site(const nlohmann::json& from) {
  site result;
  result.number = static_cast<int>(whole_number(from, "site", std::numeric_limits<int>::max()));
  result.object = string(from, "object");
  result.offset = whole_number(from, "offset", std::numeric_limits<unsigned long long>::max());
  result.symbol = string(from, "symbol");
  result.forks = number(from, "forks");
  result.unobserved = number(from, "unobserved");
  result.work = number(from, "work_ns");
  result.own_work = number(from, "own_work_ns");
  result.all_work = number(from, "all_work_ns");
  result.path = number(from, "path_ns");
  result.sampled_forks = number(from, "sampled_forks");
  result.sampled_work = number(from, "sampled_work_ns");
  return result;
}

path_part read_path(const nlohmann::json& from) {
  constexpr std::size_t most_sites = 64;
  path_part result;
  const nlohmann::json& sites = member(from, "path");
  const auto is_site = [](const nlohmann::json& one) {
    return one.is_number_unsigned() &&
           one.get<unsigned long long>() <= static_cast<unsigned long long>(std::numeric_limits<int>::max());
  };
  if (!sites.is_array() || sites.empty() || sites.size() > most_sites ||
      !std::all_of(sites.begin(), sites.end(), is_site)) {
    throw unfit_member("'path' is no list of 1 to 64 sites");
  }
  for (const nlohmann::json& one : sites) result.sites.push_back(one.get<int>());
  result.ns = number(from, "ns");
  return result;
}

/// True for the line of the whole.
bool read_line(data& all, const nlohmann::json& one) {
  if (one.contains("nopal_profile")) {
    read_whole(all, one);
    return true;
  }
  if (one.contains("site")) {
    all.sites.push_back(read_site(one));
  } else if (one.contains("path")) {
    all.path.push_back(read_path(one));
  } else if (one.contains("interval")) {
    all.intervals.push_back({string(one, "interval"), number(one, "count"), lengths_of(one)});
  }
  return false;
}

}  // namespace

double site::between_forks() const {
  if (sampled_forks > 0 && unobserved > 0) return sampled_work / sampled_forks;
  return forks > 0 ? own_work / forks : 0;
}

std::string site::label() const {
  if (number == 0) return "outside of forks";
  if (number == 1) return "other sites";
  return file.empty() ? function
                      : fmt::format("{} ({}:{})", function, file.substr(file.rfind('/') + 1), line);
}

std::string data::label_of(int site_number) const {
  const auto found = std::find_if(sites.begin(), sites.end(),
                                  [site_number](const site& one) { return one.number == site_number; });
  return found == sites.end() ? fmt::format("site {}", site_number) : found->label();
}

work_and_span data::whole() const {
  return {regions.work + outside, regions.span + outside, regions.burdened_span + outside};
}

data read(const std::string& text, const std::string& file) {
  data all;
  bool has_whole = false;
  std::istringstream lines(text);
  int line_number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++line_number;
    if (line.empty() || line[0] != '{') continue;
    const nlohmann::json one = nlohmann::json::parse(line, nullptr, false);
    if (one.is_discarded() || !one.is_object()) {
      throw usage_error(fmt::format("'{}' has a line that is not understood; accepted: a file that "
                                    "NOPAL_PROFILE has made",
                                    file));
    }
    try {
      has_whole = read_line(all, one) || has_whole;
    } catch (const unfit_member& wrong) {
      throw usage_error(fmt::format("'{}', line {}: {}; accepted: a file that NOPAL_PROFILE has made", file,
                                    line_number, wrong.what()));
    }
  }
  if (!has_whole) {
    throw usage_error(fmt::format("'{}' is no profile; accepted: a file that NOPAL_PROFILE has made", file));
  }
  std::sort(all.sites.begin(), all.sites.end(), [](const site& a, const site& b) {
    return a.path != b.path ? a.path > b.path : a.work > b.work;
  });
  std::reverse(all.intervals.begin(), all.intervals.end());  // the first one first
  return all;
}

double most_speedup(const work_and_span& of, int workers) {
  const double parallelism = of.parallelism();
  return parallelism > 0 ? std::min(static_cast<double>(workers), parallelism) : workers;
}

double least_speedup(const work_and_span& of, int workers) {
  const double time = of.work / workers + of.burdened_span;
  return time > 0 ? std::min(of.work / time, most_speedup(of, workers)) : workers;
}

namespace {

struct forking {
  static void tree(int depth) {
    if (depth == 0) return;
    nopal::scope s;
    s.fork(tree, depth - 1);
    tree(depth - 1);
    s.join();
  }
};

struct calling {
  static void tree(int depth) {
    if (depth == 0) return;
    // As much as a call costs, and no less: not to be made a loop of.
    void (*volatile again)(int) = tree;
    again(depth - 1);
    again(depth - 1);
  }
};

template <class Tree>
double ns_per_node() {
  constexpr int depth = 14;
  double best = 1e18;
  for (int i = 0; i < 9; ++i) {
    const auto from = std::chrono::steady_clock::now();
    Tree::tree(depth);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - from;
    best = std::min(best, took.count() / (1 << depth));
  }
  return best;
}

}  // namespace

double measure_fork() { return std::max(1.0, ns_per_node<forking>() - ns_per_node<calling>()); }

}  // namespace tool::profile
