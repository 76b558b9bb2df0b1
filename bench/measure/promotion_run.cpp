#include "measure/promotion_run.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <nopal/nopal.hpp>

#include "measure/promotion_costs.hpp"
#include "runner/end_with_parent.hpp"
#include "runner/warm_up.hpp"

namespace measure {
namespace {

/// Before the runtime starts, which reads them.
void choose(const std::string& way) {
  setenv("NOPAL_FORKS", way == "eager" ? "eager" : "latent", 1);
  if (way == "poll") setenv("NOPAL_SIGNAL", "off", 1);
}

void start_runtime() {
  // Room for the deepest of the walks.
  constexpr std::size_t stack_bytes = std::size_t{256} << 20;
  nopal::configure({.workers = 2, .stack_size = stack_bytes});
  bench::warm_up<nopal::scope>(2);
}

nlohmann::json walk_report(const promotion_run& run) {
  const walk_times times = time_walks(run.depth, run.times);
  return {{"ns", times.ns}, {"fewest_promoted", times.fewest_promoted}};
}

nlohmann::json wish_report(const promotion_run& run) {
  nlohmann::json report = {{"first_ns", nlohmann::json::array()},
                           {"all_ns", nlohmann::json::array()},
                           {"stolen", nlohmann::json::array()}};
  for (const wish& each : time_wishes(run.times, run.ms * 1'000'000)) {
    report["first_ns"].push_back(each.first_ns);
    report["all_ns"].push_back(each.all_ns);
    report["stolen"].push_back(each.stolen);
  }
  return report;
}

nlohmann::json demand_report(const promotion_run& run) {
  const demand_times times = time_demand(run.times);
  return {{"fork_ns", times.fork_ns}, {"steal_ns", times.steal_ns}};
}

nlohmann::json quiet_report(const promotion_run& run) {
  const quiet_stack kind = run.kind == "quiet-cut" ? quiet_stack::cut : quiet_stack::readable;
  const quiet_time time = time_quiet_work(kind, static_cast<double>(run.ms) / 1e3);
  return {{"seconds", time.seconds}, {"lost_seconds", time.lost_seconds}, {"signals", time.signals}};
}

}  // namespace

void add_options(CLI::App& app, promotion_run& into) {
  const std::vector<std::string> kinds(promotion_kinds.begin(), promotion_kinds.end());
  const std::vector<std::string> ways(promotion_ways.begin(), promotion_ways.end());
  app.add_option("--kind", into.kind, "what is timed")->required()->check(CLI::IsMember(kinds));
  app.add_option("--way", into.way, "how thieves come by forks")->check(CLI::IsMember(ways));
  app.add_option("--depth", into.depth, "latent forks below a walk")->check(CLI::Range(0, 200'000));
  app.add_option("--times", into.times, "samples")->check(CLI::Range(1, 100'000));
  app.add_option("--ms", into.ms, "milliseconds of quiet work, or of rest before each wish")
      ->check(CLI::Range(0, 60'000));
  app.add_option("--parent", into.parent, "process that ordered the run");
}

std::string report_of(const promotion_run& run) {
  bench::end_with_parent(run.parent);
  choose(run.way);
  start_runtime();
  if (run.kind == "walk") return walk_report(run).dump();
  if (run.kind == "wish") return wish_report(run).dump();
  if (run.kind == "demand") return demand_report(run).dump();
  return quiet_report(run).dump();
}

}  // namespace measure
