#include "profile_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "format.hpp"

namespace tool::profile {

namespace {

constexpr double second = 1e9;
constexpr std::size_t most_rows = 20;
/// Forks that take more than this of the work are worth a hint.
constexpr double noticed_share = 0.03;
/// A grain of so many times a fork leaves one in so many of the work to forks.
constexpr double grain_in_forks = 50;
constexpr double wanted_grain = 1000;
/// So many times as much parallelism as workers is enough: the rest is for balance.
constexpr double enough = 5;

std::string time_of(double ns) { return format_seconds(ns / second); }
std::string times(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}
std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }
double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string lines_of_whole(const data& all) {
  std::string text;
  const bool has_tasks_alone = all.region_count == 0 && all.regions.work > 0;
  text += fmt::format("work           {:>10}   as one worker takes it, in {}\n", time_of(all.regions.work),
                      has_tasks_alone ? "tasks outside of regions"
                                      : format_count(static_cast<std::uint64_t>(all.region_count), "region"));
  text += fmt::format("span           {:>10}   parallelism {}\n", time_of(all.regions.span),
                      times(all.regions.parallelism()));
  text +=
      fmt::format("burdened span  {:>10}   parallelism {}, if each continuation of the path were stolen\n",
                  time_of(all.regions.burdened_span), times(all.regions.burdened_parallelism()));
  text +=
      fmt::format("  a steal costs {} here: {} for the steal, {} to wake its worker, {} for a cold stack\n",
                  time_of(all.burden), time_of(all.steal), time_of(all.wake), time_of(all.cold_stack));
  text += fmt::format(
      "outside        {:>10}   before, between and after regions; with it the parallelism is {}\n",
      time_of(all.outside), times(all.whole().parallelism()));
  if (all.region_wall > 0) {
    text +=
        fmt::format("this run       {:>10}   in regions, on {}, profiled: {} times the speed of its work\n",
                    time_of(all.region_wall), format_count(static_cast<std::uint64_t>(all.workers), "worker"),
                    times(share(all.regions.work, all.region_wall)));
  }
  return text;
}

std::string lines_of_quality(const data& all) {
  std::string text;
  if (!all.complete) {
    text += fmt::format("A signal, or exit() in a region, ended the program, which had done {} of work; what "
                        "is above is of the regions that were over\n",
                        time_of(all.seen_work));
  }
  if (share(all.unobserved, all.regions.work) > 0.01) {
    text += fmt::format(
        "{} of the work is in short children that were not looked into: their span is estimated\n",
        percent(share(all.unobserved, all.regions.work)));
  }
  if (all.preempted > 0.01 * all.regions.work) {
    text +=
        fmt::format("other programs had the processors for {}, which is left out\n", time_of(all.preempted));
  }
  if (all.roots > 1) {
    text += fmt::format("{} threads of the program forked: they count as running beside one another\n",
                        all.roots);
  }
  return text;
}

std::string bounds_table(const data& all) {
  text_table table({"workers", "speedup at most", "at least about"});
  for (int workers = 1; workers <= 256; workers *= 2) {
    table.add_row({fmt::format("{}", workers), times(most_speedup(all.regions, workers)),
                   times(least_speedup(all.regions, workers))});
  }
  return table.str();
}

/// At least: another path may be as long.
double span_at_half(const data& all, const site& one) {
  return std::max(0.0, all.regions.span - one.path / 2);
}
/// At most: all that the site's children do may come on top, where the path was beside them.
double span_without(const data& all, const site& one) {
  return std::min(all.regions.work, all.regions.span + one.work);
}

std::string sites_table(const data& all) {
  text_table table(
      {"forked at", "forks", "work", "mean child", "of the path", "span if twice as fast", "if serial"});
  std::size_t rows = 0;
  for (const site& each : all.sites) {
    if (++rows > most_rows) break;
    const bool is_fork = each.number > 1;
    table.add_row({each.label(), is_fork ? fmt::format("{:.0f}", each.forks) : "",
                   is_fork ? time_of(each.work) : "", is_fork ? time_of(each.mean_grain()) : "",
                   percent(std::min(1.0, share(each.path, all.regions.span))),
                   fmt::format(">= {}", time_of(span_at_half(all, each))),
                   is_fork ? fmt::format("<= {}", time_of(span_without(all, each))) : ""});
  }
  return table.str();
}

/// The part of the site's own work that its forks take.
double fork_share(const site& one, double fork_ns) {
  const double between = one.between_forks();
  return between > 0 ? std::min(1.0, fork_ns / between) * 1.0 : 0;
}

/// In samples a fork takes most of the time between two. Many are in children too short to be recorded.
bool are_too_close(const data& all, const site& one) {
  return one.unobserved > 0 && one.sampled_forks > 0 && one.between_forks() < all.record;
}

std::string hints(const data& all, double fork_ns) {
  std::string text;
  for (const site& each : all.sites) {
    const double of_work = fork_share(each, fork_ns) * share(each.own_work, all.regions.work);
    if (each.number <= 1) continue;
    if (are_too_close(all, each) && share(each.own_work, all.regions.work) >= noticed_share) {
      text += fmt::format(
          "{}: forks are less than {} apart, closer than can be measured; to fork above {} alone, "
          "and call below, may save much of the work: see what the serial program takes\n",
          each.label(), time_of(each.between_forks()), time_of(wanted_grain));
      continue;
    }
    if (of_work < noticed_share) continue;
    const double grain = grain_in_forks * fork_ns;
    const work_and_span with_grain{all.regions.work, all.regions.span + grain,
                                   all.regions.burdened_span + grain};
    text +=
        fmt::format("{}: forks are {} apart and take {} each; a grain of {} here would save about {} of the "
                    "work, and leave a parallelism of {}\n",
                    each.label(), time_of(each.between_forks()), time_of(fork_ns), time_of(grain),
                    percent(of_work), times(with_grain.parallelism()));
  }
  return text;
}

}  // namespace

std::string advice(const data& all, double fork_ns) {
  const double workers = std::max(all.workers, 2);
  const site* longest = nullptr;
  for (const site& each : all.sites) {
    if (longest == nullptr || each.path > longest->path) longest = &each;
  }
  const std::string where = longest == nullptr ? "the longest path" : longest->label();
  const double part = longest == nullptr ? 0 : share(longest->path, all.regions.span);
  if (all.regions.work <= 0) return "Next: fork something that takes longer; nothing was measured.";
  if (all.outside > 0.5 * (all.outside + all.regions.work)) {
    return fmt::format("Next: most of the time, {}, is outside of all regions: make that parallel first.",
                       time_of(all.outside));
  }
  if (all.regions.parallelism() < enough * workers) {
    return fmt::format(
        "Next: the parallelism of {} is little for {:.0f} workers: shorten the longest path. {} of it "
        "is here: {}.",
        times(all.regions.parallelism()), workers, percent(std::min(1.0, part)), where);
  }
  if (all.regions.burdened_parallelism() < enough * workers) {
    return fmt::format(
        "Next: steals may cost more than they bring, for the burdened parallelism is {}: have larger "
        "children on the path, {} of which is here: {}.",
        times(all.regions.burdened_parallelism()), percent(part), where);
  }
  if (!hints(all, fork_ns).empty()) {
    return "Next: there is more parallelism than workers can use, and forks cost something: take the grain "
           "above.";
  }
  return fmt::format(
      "Next: nothing about forks: there is parallelism for {:.0f} workers. If more workers do not "
      "help, look at memory, locks and allocation.",
      std::floor(all.regions.burdened_parallelism() / enough));
}

std::string words(const data& all, double fork_ns) {
  std::string text = lines_of_whole(all) + lines_of_quality(all);
  text.append("\n").append(bounds_table(all));
  if (!all.sites.empty()) text.append("\n").append(sites_table(all));
  if (!all.intervals.empty()) {
    text_table table({"interval", "times", "work", "span", "parallelism", "burdened"});
    for (const interval& each : all.intervals) {
      table.add_row({each.name, fmt::format("{:.0f}", each.count), time_of(each.lengths.work),
                     time_of(each.lengths.span), times(each.lengths.parallelism()),
                     times(each.lengths.burdened_parallelism())});
    }
    text.append("\n").append(table.str());
  }
  const std::string found = hints(all, fork_ns);
  if (!found.empty()) text.append("\n").append(found);
  return text.append("\n").append(advice(all, fork_ns)).append("\n");
}

std::string csv(const data& all) {
  std::string text = "tag,work,span,parallelism,burdened_span,burdened_parallelism\n";
  const auto row = [&text](std::string tag, const work_and_span& of) {
    // A tag with a comma, a quotation mark or a line's end is quoted.
    if (tag.find_first_of(",\"\n\r") != std::string::npos) {
      std::string doubled;
      for (const char c : tag) doubled.append(c == '"' ? 2 : 1, c);
      tag = fmt::format("\"{}\"", doubled);
    }
    text += fmt::format("{},{:.9f},{:.9f},{:.6g},{:.9f},{:.6g}\n", tag, of.work / second, of.span / second,
                        of.parallelism(), of.burdened_span / second, of.burdened_parallelism());
  };
  for (const interval& each : all.intervals) row(each.name, each.lengths);
  row("", all.regions);
  text.pop_back();
  return text;
}

namespace {

nlohmann::json in_json(const work_and_span& of) {
  return {{"work_s", of.work / second},
          {"span_s", of.span / second},
          {"parallelism", of.parallelism()},
          {"burdened_span_s", of.burdened_span / second},
          {"burdened_parallelism", of.burdened_parallelism()}};
}

}  // namespace

std::string json(const data& all, double fork_ns) {
  nlohmann::json report = {{"program", all.program},
                           {"workers", all.workers},
                           {"complete", all.complete},
                           {"regions", in_json(all.regions)},
                           {"whole", in_json(all.whole())},
                           {"outside_s", all.outside / second},
                           {"seen_work_s", all.seen_work / second},
                           {"region_count", all.region_count},
                           {"region_wall_s", all.region_wall / second},
                           {"wall_s", all.wall / second},
                           {"recorded_forks", all.forks},
                           {"unobserved_s", all.unobserved / second},
                           {"turned_out_long", all.turned_out_long},
                           {"preempted_s", all.preempted / second},
                           {"burden_s", all.burden / second},
                           {"steal_s", all.steal / second},
                           {"wake_s", all.wake / second},
                           {"cold_stack_s", all.cold_stack / second},
                           {"fork_s", fork_ns / second},
                           {"record_s", all.record / second},
                           {"advice", advice(all, fork_ns)}};
  report["speedup"] = nlohmann::json::array();
  for (int workers = 1; workers <= 256; ++workers) {
    report["speedup"].push_back({{"workers", workers},
                                 {"at_most", most_speedup(all.regions, workers)},
                                 {"at_least", least_speedup(all.regions, workers)}});
  }
  report["sites"] = nlohmann::json::array();
  for (const site& each : all.sites) {
    report["sites"].push_back({{"function", each.label()},
                               {"file", each.file},
                               {"line", each.line},
                               {"object", each.object},
                               {"offset", each.offset},
                               {"forks", each.forks},
                               {"unobserved_forks", each.unobserved},
                               {"work_s", each.work / second},
                               {"own_work_s", each.own_work / second},
                               {"mean_child_s", each.mean_grain() / second},
                               {"between_forks_s", each.between_forks() / second},
                               {"path_s", each.path / second},
                               {"span_at_least_if_twice_as_fast_s", span_at_half(all, each) / second},
                               {"span_at_most_if_serial_s", span_without(all, each) / second}});
  }
  report["path"] = nlohmann::json::array();
  for (const path_part& each : all.path) {
    nlohmann::json sites = nlohmann::json::array();
    for (const int number : each.sites) sites.push_back(all.label_of(number));
    report["path"].push_back({{"functions", sites}, {"path_s", each.ns / second}});
  }
  report["intervals"] = nlohmann::json::array();
  for (const interval& each : all.intervals) {
    nlohmann::json one = in_json(each.lengths);
    one["tag"] = each.name;
    one["count"] = each.count;
    report["intervals"].push_back(one);
  }
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tool::profile
