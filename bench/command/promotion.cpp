#include "promotion.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "child_process.hpp"
#include "interrupt.hpp"
#include "measurement.hpp"
#include "ordered_runs.hpp"

namespace tool {
namespace {

constexpr std::array walk_depths = {10, 100, 1'000, 10'000, 100'000};

/// How much a run of each kind does.
struct promotion_sizes {
  int walks;
  int deep_walks;  ///< from so many frames on that the forks below the walk take longer than the walk
  int wishes;      ///< each after 20 ms in which nobody asks in vain
  int waits;       ///< for a whole leaf: without signals nobody has anything before
  int steals;
  int quiet_ms;
};
promotion_sizes promotion_sizes_of(bool quick) {
  return quick ? promotion_sizes{6, 3, 10, 1, 500, 100} : promotion_sizes{21, 6, 40, 3, 3000, 1000};
}

ordered_run promotion_run(const std::string& kind, const way& by, std::vector<std::string> with) {
  ordered_run run{fmt::format("promotion: {}, {}", kind, by),
                  this_program,
                  {"bench-promotion", "--kind=" + kind, "--way=" + by, fmt::format("--parent={}", getpid())}};
  std::move(with.begin(), with.end(), std::back_inserter(run.arguments));
  return run;
}

std::vector<double> microseconds(const nlohmann::json& ns) {
  std::vector<double> us;
  us.reserve(ns.size());
  for (const auto& each : ns) us.push_back(each.get<double>() / 1e3);
  return us;
}

void append_to(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

promotion_measurement plan_promotion() {
  promotion_measurement planned;
  for (const int depth : walk_depths) planned.walks.push_back({depth});
  for (const char* const by : {"signal", "poll", "eager"}) planned.wishes.push_back({by});
  for (const char* const by : {"signal", "eager"}) planned.demands.push_back({by});
  for (const bool cut : {false, true}) {
    for (const char* const by : {"signal", "poll"}) planned.quiets.push_back({cut, by});
  }
  return planned;
}

void take_walk(walk_series& of, promotion_measurement& all, ordered_runs& runs,
               const promotion_sizes& sizes) {
  constexpr int deep = 10'000;
  const int times = of.depth > deep ? sizes.deep_walks : sizes.walks;
  const nlohmann::json result = runs.take(promotion_run(
      "walk", "signal", {fmt::format("--depth={}", of.depth), fmt::format("--times={}", times)}));
  const std::vector<double> us = microseconds(result.at("ns"));
  of.first_us.push_back(us.front());
  of.later_us.insert(of.later_us.end(), us.begin() + 1, us.end());
  all.is_latent = all.is_latent && result.at("fewest_promoted").get<std::int64_t>() >= of.depth;
}

void take_wishes(wish_series& of, ordered_runs& runs, const promotion_sizes& sizes) {
  const int times = of.way == "poll" ? sizes.waits : sizes.wishes;
  const nlohmann::json result =
      runs.take(promotion_run("wish", of.way, {fmt::format("--times={}", times), "--ms=20"}));
  append_to(of.first_us, microseconds(result.at("first_ns")));
  append_to(of.all_us, microseconds(result.at("all_ns")));
  for (const auto& each : result.at("stolen")) {
    of.stolen += each.get<int>();
    ++of.wishes;
  }
}

void take_demand(demand_series& of, ordered_runs& runs, const promotion_sizes& sizes) {
  const nlohmann::json result =
      runs.take(promotion_run("demand", of.way, {fmt::format("--times={}", sizes.steals)}));
  append_to(of.fork_us, microseconds(result.at("fork_ns")));
  append_to(of.steal_us, microseconds(result.at("steal_ns")));
}

void take_quiet(quiet_series& of, ordered_runs& runs, const promotion_sizes& sizes) {
  const nlohmann::json result = runs.take(
      promotion_run(of.cut ? "quiet-cut" : "quiet", of.way, {fmt::format("--ms={}", sizes.quiet_ms)}));
  const double seconds = std::max(result.at("seconds").get<double>(), 1e-9);
  of.lost_share.push_back(result.at("lost_seconds").get<double>() / seconds);
  of.signals_per_second.push_back(result.at("signals").get<double>() / seconds);
}

const quiet_series* quiet_of(const std::vector<quiet_series>& in, bool cut, const way& by) {
  const auto at =
      std::find_if(in.begin(), in.end(), [&](const quiet_series& q) { return q.cut == cut && q.way == by; });
  return at == in.end() ? nullptr : &*at;
}

}  // namespace

double walk_series::ns_per_frame() const { return quantile(later_us, 0.5) * 1e3 / std::max(depth, 1); }

std::vector<promotion_bar> promotion_measurement::bars() const {
  constexpr double wish_us = 200;
  constexpr double steal_ratio = 1.1;
  constexpr double lost_percent = 0.1;
  std::vector<promotion_bar> bars;
  if (repeats == 0 || !is_latent) return bars;
  bars.push_back({"all below a leaf, us from the wish", quantile(wishes[0].all_us, 0.5), wish_us});
  bars.push_back({"a steal in the loop, over that of eager forks",
                  quantile(demands[0].steal_us, 0.5) / std::max(quantile(demands[1].steal_us, 0.5), 1e-9),
                  steal_ratio});
  for (const bool cut : {false, true}) {
    const double lost = quantile(quiet_of(quiets, cut, "signal")->lost_share, 0) -
                        quantile(quiet_of(quiets, cut, "poll")->lost_share, 0);
    bars.push_back(
        {cut ? "lost to signals below code without tables, %" : "lost to signals by serial work, %",
         lost * 100, lost_percent});
  }
  return bars;
}

promotion_measurement measure_promotion(const promotion_options& options) {
  const promotion_sizes sizes = promotion_sizes_of(options.quick);
  promotion_measurement result = plan_promotion();
  const std::size_t in_round =
      result.walks.size() + result.wishes.size() + result.demands.size() + result.quiets.size();
  ordered_runs runs(options.time_limit, in_round * static_cast<std::size_t>(options.repeats));
  try {
    for (int round = 1; round <= options.repeats; ++round) {
      // A round that a signal cuts short is dropped.
      promotion_measurement longer = result;
      for (walk_series& each : longer.walks) take_walk(each, longer, runs, sizes);
      for (wish_series& each : longer.wishes) take_wishes(each, runs, sizes);
      for (demand_series& each : longer.demands) take_demand(each, runs, sizes);
      for (quiet_series& each : longer.quiets) take_quiet(each, runs, sizes);
      longer.repeats = round;
      result = std::move(longer);
      runs.note(fmt::format("promotion: round {} of {}", round, options.repeats));
    }
  } catch (const interrupted& e) {
    result.interrupted_by = e.signal_number();
  }
  return result;
}

}  // namespace tool
