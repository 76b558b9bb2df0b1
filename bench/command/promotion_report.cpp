// What promotions cost, as tables and as JSON.
#include <fmt/format.h>

#include "format.hpp"
#include "measurement.hpp"
#include "promotion.hpp"

namespace tool {
namespace {

/// Three digits or so whatever the magnitude.
std::string us_cell(double us) {
  return us < 10    ? fmt::format("{:.2f}", us)
         : us < 100 ? fmt::format("{:.1f}", us)
                    : fmt::format("{:.0f}", us);
}

std::string us_cell(const std::vector<double>& us, double q) {
  return us.empty() ? "-" : us_cell(quantile(us, q));
}

std::string told(const way& by) {
  if (by == "eager") return "eager";
  return by == "signal" ? "latent" : "latent, no signals";
}

std::string walk_table(const promotion_measurement& of) {
  text_table table({"latent forks", "first, us", "later, us", "later, ns/fork"});
  for (const walk_series& each : of.walks) {
    table.add_row({std::to_string(each.depth), us_cell(each.first_us, 0.5), us_cell(each.later_us, 0.5),
                   fmt::format("{:.0f}", each.ns_per_frame())});
  }
  return fmt::format(
      "{}\nA fork that a thief asks for, below so many latent ones, which are all promoted. First: "
      "in a process.\n",
      table.str());
}

std::string wish_table(const promotion_measurement& of) {
  text_table table(
      {"below a leaf", "first, us", "95%", "most", "all, us", "95%", "most", "wishes", "stolen"});
  for (const wish_series& each : of.wishes) {
    table.add_row({told(each.way), us_cell(each.first_us, 0.5), us_cell(each.first_us, 0.95),
                   us_cell(each.first_us, 1), us_cell(each.all_us, 0.5), us_cell(each.all_us, 0.95),
                   us_cell(each.all_us, 1), std::to_string(each.wishes), std::to_string(each.stolen)});
  }
  return fmt::format(
      "\n{}\nFrom a thief's wish to the first and to all of the 20 continuations below a leaf of 100 "
      "ms. Stolen:\nhad by the thief before the leaf ended.\n",
      table.str());
}

std::string demand_table(const promotion_measurement& of) {
  text_table table({"stolen at each fork", "fork, us", "95%", "steal, us", "95%", "steals"});
  for (const demand_series& each : of.demands) {
    table.add_row({told(each.way), us_cell(each.fork_us, 0.5), us_cell(each.fork_us, 0.95),
                   us_cell(each.steal_us, 0.5), us_cell(each.steal_us, 0.95),
                   std::to_string(each.steal_us.size())});
  }
  return fmt::format(
      "\n{}\nA loop of leaves of 3 us. Fork: until its child runs. Steal: from a child's end to the "
      "continuation that\nits worker takes next. The clock is in both.\n",
      table.str());
}

std::string quiet_table(const promotion_measurement& of) {
  text_table table({"nothing to give", "forks", "signals/s", "lost, %"});
  for (const quiet_series& each : of.quiets) {
    table.add_row({each.cut ? "below code without tables" : "serial work", told(each.way),
                   fmt::format("{:.1f}", quantile(each.signals_per_second, 0.5)),
                   fmt::format("{:.3f}", quantile(each.lost_share, 0) * 100)});
  }
  return fmt::format(
      "\n{}\nSerial work beside a hungry thief. Lost: to whatever interrupts it, the least of the "
      "rounds; what signals take\nis the difference.\n",
      table.str());
}

std::string promotion_bar_table(const promotion_measurement& of) {
  text_table table({"bar", "measured", "wanted", ""});
  for (const promotion_bar& each : of.bars()) {
    table.add_row({each.what, fmt::format("{:.3g}", each.measured), fmt::format("<= {}", each.at_most),
                   each.holds() ? "holds" : "does not hold"});
  }
  return fmt::format("\n{}", table.str());
}

nlohmann::json quantiles_of(const std::vector<double>& us) {
  return {{"median", quantile(us, 0.5)}, {"p95", quantile(us, 0.95)}, {"most", quantile(us, 1)}};
}

}  // namespace

std::string table_report(const promotion_measurement& of) {
  std::string text = walk_table(of) + wish_table(of) + demand_table(of) + quiet_table(of);
  if (of.is_latent) {
    text += promotion_bar_table(of);
  } else {
    text += "\nNo fork was latent here: see `nopal doctor`.\n";
  }
  return text + fmt::format("\nMedians of {}, each kind in processes of its own on two workers.\n",
                            format_count(static_cast<std::uint64_t>(of.repeats), "round"));
}

void to_json(nlohmann::json& json, const promotion_measurement& from) {
  json = {{"repeats", from.repeats}, {"forks_are_latent", from.is_latent}};
  json["walks"] = nlohmann::json::array();
  for (const walk_series& each : from.walks) {
    json["walks"].push_back({{"depth", each.depth},
                             {"first_us", quantile(each.first_us, 0.5)},
                             {"later_us", quantile(each.later_us, 0.5)},
                             {"ns_per_frame", each.ns_per_frame()},
                             {"first_samples_us", each.first_us},
                             {"later_samples_us", each.later_us}});
  }
  json["wishes"] = nlohmann::json::array();
  for (const wish_series& each : from.wishes) {
    json["wishes"].push_back({{"way", each.way},
                              {"first_us", quantiles_of(each.first_us)},
                              {"all_us", quantiles_of(each.all_us)},
                              {"wishes", each.wishes},
                              {"stolen", each.stolen}});
  }
  json["demand"] = nlohmann::json::array();
  for (const demand_series& each : from.demands) {
    json["demand"].push_back({{"way", each.way},
                              {"fork_us", quantiles_of(each.fork_us)},
                              {"steal_us", quantiles_of(each.steal_us)},
                              {"steals", each.steal_us.size()}});
  }
  json["quiet"] = nlohmann::json::array();
  for (const quiet_series& each : from.quiets) {
    json["quiet"].push_back({{"cut", each.cut},
                             {"way", each.way},
                             {"lost_share", quantile(each.lost_share, 0)},
                             {"signals_per_second", quantile(each.signals_per_second, 0.5)},
                             {"lost_share_samples", each.lost_share}});
  }
  json["bars"] = nlohmann::json::array();
  for (const promotion_bar& each : from.bars()) {
    json["bars"].push_back({{"what", each.what},
                            {"measured", each.measured},
                            {"at_most", each.at_most},
                            {"holds", each.holds()}});
  }
}

}  // namespace tool
