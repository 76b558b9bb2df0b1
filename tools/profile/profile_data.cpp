#include "profile_data.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nopal/scope.hpp>

#include "command_line.hpp"

namespace tool::profile {

namespace {

double number(const nlohmann::json& from, const char* name) { return from.value(name, 0.0); }

work_and_span lengths_of(const nlohmann::json& from) {
  return {number(from, "work_ns"), number(from, "span_ns"), number(from, "burdened_span_ns")};
}

void read_whole(data& all, const nlohmann::json& from) {
  all.program = from.value("program", "");
  all.workers = from.value("workers", 0);
  all.complete = from.value("complete", true);
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
}

site read_site(const nlohmann::json& from) {
  site result;
  result.number = from.value("site", 0);
  result.object = from.value("object", "");
  result.offset = from.value("offset", 0ULL);
  result.symbol = from.value("symbol", "");
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

work_and_span data::whole() const {
  return {regions.work + outside, regions.span + outside, regions.burdened_span + outside};
}

data read(const std::string& text, const std::string& file) {
  data all;
  bool has_whole = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '{') continue;
    const nlohmann::json one = nlohmann::json::parse(line, nullptr, false);
    if (one.is_discarded() || !one.is_object()) {
      throw usage_error(fmt::format("'{}' has a line that is not understood; accepted: a file that "
                                    "NOPAL_PROFILE has made",
                                    file));
    }
    if (one.contains("nopal_profile")) {
      has_whole = true;
      read_whole(all, one);
    } else if (one.contains("site")) {
      all.sites.push_back(read_site(one));
    } else if (one.contains("interval")) {
      all.intervals.push_back({one.value("interval", ""), number(one, "count"), lengths_of(one)});
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
