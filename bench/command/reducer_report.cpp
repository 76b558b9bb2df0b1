// The measurements of reducers as tables and as JSON.
#include <fmt/format.h>

#include "format.hpp"
#include "measure/reducer_costs.hpp"
#include "reducers.hpp"

namespace tool {
namespace {

std::string ns_cell(const update_series* of) {
  if (of == nullptr) return "-";
  return fmt::format("{:.2f} +-{:.0f}%", of->median_ns(), of->spread() * 100);
}

std::string ratio_cell(const update_series* dividend, const update_series* divisor) {
  if (dividend == nullptr || divisor == nullptr) return "-";
  return fmt::format("{:.2f}", dividend->median_ns() / divisor->median_ns());
}

std::string update_table(const reducer_measurement& of) {
  const int most = of.workers.back();
  text_table table({"n", "array", "add", "min", "max", "add / array", "add hashed", "hashed / add",
                    fmt::format("add T1/T{}", most)});
  for (const int places : measure::place_counts) {
    const update_series* const array = of.find(false, "array", places, 1);
    const update_series* const add = of.find(false, "add", places, 1);
    const update_series* const hashed = of.find(true, "add", places, 1);
    table.add_row({std::to_string(places), ns_cell(array), ns_cell(add),
                   ns_cell(of.find(false, "min", places, 1)), ns_cell(of.find(false, "max", places, 1)),
                   ratio_cell(add, array), ns_cell(hashed), ratio_cell(hashed, add),
                   ratio_cell(add, of.find(false, "add", places, most))});
  }
  return table.str();
}

std::string bar_table(const reducer_measurement& of) {
  text_table table({"bar", "measured", "wanted", ""});
  for (const reducer_bar& each : bars_of(of)) {
    table.add_row({each.what, fmt::format("{:.2f}", each.measured),
                   fmt::format("{} {}", each.at_most ? "<=" : ">=", each.bar),
                   each.holds() ? "holds" : "does not hold"});
  }
  return fmt::format("\n{}\nOf the least times.\n", table.str());
}

std::string overhead_table(const reducer_measurement& of) {
  if (of.overheads.empty()) return "";
  text_table table({"n", "views", "steals", "creation", "insertion", "transfer", "merge"});
  for (const overhead_series& each : of.overheads) {
    std::vector<std::string> cells = {std::to_string(each.places), each.hashed ? "hashed" : "slots",
                                      std::to_string(each.steals)};
    for (const overhead_series::activity& one : each.activities)
      cells.push_back(one.us.empty() ? "-" : fmt::format("{:.2f}", one.median_us()));
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}\nMicroseconds per steal of add-n on {}, in libraries that take the time.\n",
                     table.str(), format_count(static_cast<std::uint64_t>(of.workers.back()), "worker"));
}

const search_measurement::time* time_of(const search_measurement& of, bool hashed, int workers) {
  for (const search_measurement::time& each : of.times) {
    if (each.hashed == hashed && each.workers == workers) return &each;
  }
  return nullptr;
}

std::string search_table(const reducer_measurement& of) {
  std::vector<std::string> heading = {"graph", "|V|", "|E|", "layers", "lookups", "Ts"};
  for (const int workers : of.workers) {
    heading.push_back(fmt::format("T{}", workers));
    heading.push_back(fmt::format("T{} / hashed", workers));
  }
  text_table table(std::move(heading));
  for (const search_measurement& each : of.searches) {
    const bench::search_facts& facts = each.facts;
    std::vector<std::string> cells = {each.graph,
                                      std::to_string(facts.vertices),
                                      std::to_string(facts.edges),
                                      std::to_string(facts.layers),
                                      std::to_string(facts.lookups),
                                      format_seconds(each.serial_seconds)};
    for (const int workers : of.workers) {
      const auto* const slots = time_of(each, false, workers);
      const auto* const hashed = time_of(each, true, workers);
      cells.push_back(slots == nullptr ? "-" : format_seconds(slots->seconds));
      cells.push_back(slots == nullptr || hashed == nullptr
                          ? "-"
                          : fmt::format("{:.2f}", slots->seconds / hashed->seconds));
    }
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}\nParallel breadth-first search with bags as reducers.\n", table.str());
}

}  // namespace

std::string table_report(const reducer_measurement& of) {
  std::string text = update_table(of);
  text += fmt::format("\nNanoseconds per update on one worker: medians of {} and half the distance between "
                      "the quartiles. Of 4\n"
                      "places: {} by atomic addition, {} under a spin lock.\n",
                      format_count(static_cast<std::uint64_t>(of.repeats), "run"),
                      ns_cell(of.find(false, "atomic", 4, 1)), ns_cell(of.find(false, "lock", 4, 1)));
  if (!of.has_hashed) {
    text += "There is no hash map of views to compare with, nor what steals cost: built with "
            "NOPAL_BUILD_VARIANTS=ON only.\n";
  }
  return text + bar_table(of) + overhead_table(of) + search_table(of);
}

void to_json(nlohmann::json& json, const reducer_measurement& from) {
  const auto views = [](bool hashed) { return hashed ? "hashed" : "slots"; };
  json = {{"workers", from.workers},
          {"repeats", from.repeats},
          {"updates_per_run", from.updates},
          {"has_hashed", from.has_hashed}};
  json["updates"] = nlohmann::json::array();
  for (const update_series& each : from.series) {
    json["updates"].push_back({{"views", views(each.hashed)},
                               {"kind", each.kind},
                               {"places", each.places},
                               {"workers", each.workers},
                               {"median_ns", each.median_ns()},
                               {"least_ns", each.least_ns()},
                               {"spread", each.spread()},
                               {"samples_ns", each.ns}});
  }
  json["bars"] = nlohmann::json::array();
  for (const reducer_bar& each : bars_of(from)) {
    json["bars"].push_back({{"what", each.what},
                            {"measured", each.measured},
                            {"bar", each.bar},
                            {"at_most", each.at_most},
                            {"holds", each.holds()}});
  }
  json["overheads"] = nlohmann::json::array();
  for (const overhead_series& each : from.overheads) {
    nlohmann::json activities = nlohmann::json::array();
    for (const overhead_series::activity& one : each.activities)
      activities.push_back({{"name", one.name}, {"us_per_steal", one.median_us()}, {"samples_us", one.us}});
    json["overheads"].push_back({{"views", views(each.hashed)},
                                 {"places", each.places},
                                 {"steals", each.steals},
                                 {"activities", std::move(activities)}});
  }
  json["searches"] = nlohmann::json::array();
  for (const search_measurement& each : from.searches) {
    nlohmann::json times = nlohmann::json::array();
    for (const search_measurement::time& one : each.times) {
      times.push_back({{"views", views(one.hashed)},
                       {"workers", one.workers},
                       {"median_seconds", one.seconds},
                       {"spread", one.spread}});
    }
    json["searches"].push_back({{"graph", each.graph},
                                {"vertices", each.facts.vertices},
                                {"edges", each.facts.edges},
                                {"reached", each.facts.reached},
                                {"layers", each.facts.layers},
                                {"lookups", each.facts.lookups},
                                {"serial_seconds", each.serial_seconds},
                                {"times", std::move(times)}});
  }
}

}  // namespace tool
