#include "report.hpp"

#include <algorithm>
#include <ctime>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "format.hpp"
#include "machine.hpp"

namespace tool {
namespace {

std::string time_cell(const series* column) {
  if (column == nullptr) return "-";
  return fmt::format("{} +-{:.0f}%", format_seconds(column->median_seconds()), column->spread() * 100);
}

bool any_has_plain(const std::vector<program_measurement>& measurements) {
  return std::any_of(measurements.begin(), measurements.end(),
                     [](auto& of) { return of.find("plain") != nullptr; });
}

std::vector<std::string> heading(bool with_plain, const std::vector<int>& workers) {
  std::vector<std::string> cells = {"program", "size", "Ts"};
  if (with_plain) cells.push_back("Ts plain");
  for (const int count : workers) {
    cells.push_back(fmt::format("T{}", count));
    cells.push_back(count == 1 ? "T1/Ts" : fmt::format("Ts/T{}", count));
  }
  for (const char* name : {"steals", "suspensions", "stacks", "pages", "P(S1+D)"}) cells.emplace_back(name);
  return cells;
}

std::vector<std::string> row(const program_measurement& of, bool with_plain,
                             const std::vector<int>& workers) {
  std::vector<std::string> cells = {std::string(of.family->name()), std::to_string(of.input.size),
                                    time_cell(of.find("elided"))};
  if (with_plain) cells.push_back(time_cell(of.find("plain")));
  const double serial = std::max(of.serial_seconds(), 1e-9);
  for (const int count : workers) {
    const series* const column = of.find("parallel", count);
    const double parallel = std::max(column->median_seconds(), 1e-9);
    cells.push_back(time_cell(column));
    cells.push_back(fmt::format("{:.2f}", count == 1 ? parallel / serial : serial / parallel));
  }
  const int most_workers = *std::max_element(workers.begin(), workers.end());
  const series& most = *of.find("parallel", most_workers);
  for (const auto count : {&run_record::steals, &run_record::suspensions, &run_record::stacks_peak}) {
    cells.push_back(std::to_string(most.largest(count)));
  }
  cells.push_back(std::to_string(of.most_stack_pages(most_workers)));
  cells.push_back(std::to_string(of.page_bound(most_workers)));
  return cells;
}

nlohmann::json samples(const program_measurement& of) {
  nlohmann::json all = nlohmann::json::array();
  for (const series& column : of.columns) {
    for (std::size_t round = 0; round < column.runs.size(); ++round) {
      nlohmann::json sample = column.runs[round];
      sample["variant"] = column.variant;
      sample["workers"] = column.workers;
      if (column.of_peer != nullptr) sample["peer"] = column.of_peer->name;
      sample["round"] = round + 1;
      all.push_back(std::move(sample));
    }
  }
  return all;
}

double median(const series& column, std::int64_t run_record::* field) {
  std::vector<double> values;
  values.reserve(column.runs.size());
  for (const run_record& run : column.runs) values.push_back(static_cast<double>(run.*field));
  return quantile(std::move(values), 0.5);
}

// What tables and plots take from the samples.
nlohmann::json columns(const program_measurement& of) {
  nlohmann::json all = nlohmann::json::array();
  for (const series& column : of.columns) {
    all.push_back({{"variant", column.variant},
                   {"peer", column.of_peer == nullptr ? "" : column.of_peer->name},
                   {"workers", column.workers},
                   {"median_seconds", column.median_seconds()},
                   {"least_seconds", column.least_seconds()},
                   {"spread", column.spread()},
                   {"page_faults", median(column, &run_record::page_faults)},
                   {"resident_growth_kib", median(column, &run_record::resident_growth_kib)},
                   {"steals", column.largest(&run_record::steals)},
                   {"suspensions", column.largest(&run_record::suspensions)},
                   {"forced_publishes", column.largest(&run_record::forced_publishes)},
                   {"pages_reclaimed", column.largest(&run_record::pages_reclaimed)},
                   {"stacks", column.largest(&run_record::stacks_peak)}});
  }
  return all;
}

}  // namespace

std::string table_report(const std::vector<program_measurement>& measurements,
                         const std::vector<int>& workers) {
  const bool with_plain = any_has_plain(measurements);
  text_table table(heading(with_plain, workers));
  for (const program_measurement& of : measurements) table.add_row(row(of, with_plain, workers));
  std::string text = table.str();
  text += fmt::format(
      "\nTimes: median of the repeats and half the distance between the quartiles. Ts: the serial "
      "elision.{}\n"
      "Counts: largest of the repeats on {}; pages: the most stack pages resident at once, the root's\n"
      "included, which P(S1+D) bounds but for what lazy reclaim keeps.\n",
      with_plain
          ? "\nTs plain: a serial function with one real call per node; where there is one, ratios take it."
          : "",
      format_count(static_cast<std::uint64_t>(*std::max_element(workers.begin(), workers.end())), "worker"));
  return text;
}

namespace {

// What the variants differ in, beside time.
std::string variant_counts(const std::vector<program_measurement>& measurements, int workers,
                           const std::vector<const peer*>& variants) {
  const auto counts = [](const series* of) {
    if (of == nullptr) return std::string("-");
    return fmt::format("{}/{}/{:.0f}", of->largest(&run_record::steals),
                       of->largest(&run_record::pages_reclaimed), median(*of, &run_record::page_faults));
  };
  std::vector<std::string> cells = {"counts", "nopal"};
  for (const peer* variant : variants) cells.push_back(variant->name);
  text_table table(std::move(cells));
  for (const program_measurement& of : measurements) {
    cells = {std::string(of.family->name()), counts(of.find("parallel", workers))};
    for (const peer* variant : variants) cells.push_back(counts(of.find(*variant, workers)));
    table.add_row(std::move(cells));
  }
  return fmt::format(
      "\n{}\nSteals, stack pages given back to the system, page faults: the most in a repeat, the median of "
      "faults, on {}.\n",
      table.str(), format_count(static_cast<std::uint64_t>(workers), "worker"));
}

}  // namespace

std::string peer_table(const std::vector<program_measurement>& measurements, const bench_options& options,
                       bool variants) {
  std::vector<const peer*> others;
  for (const peer& other : options.peers) {
    if (other.is_variant == variants) others.push_back(&other);
  }
  if (others.empty()) return "";
  std::vector<std::string> cells = {"time / Ts"};
  for (const int workers : options.workers) {
    cells.push_back(fmt::format("nopal {}", workers));
    for (const peer* other : others) cells.push_back(fmt::format("{} {}", other->name, workers));
  }
  text_table table(std::move(cells));
  for (const program_measurement& of : measurements) {
    const double serial = std::max(of.serial_seconds(), 1e-9);
    const auto ratio = [&](const series* column) {
      return column == nullptr ? "-" : fmt::format("{:.2f}", column->median_seconds() / serial);
    };
    cells = {std::string(of.family->name())};
    for (const int workers : options.workers) {
      cells.push_back(ratio(of.find("parallel", workers)));
      for (const peer* other : others) cells.push_back(ratio(of.find(*other, workers)));
    }
    table.add_row(std::move(cells));
  }
  std::string text =
      table.str() + "\nMedians of the repeats; the number is that of workers. Less is better.\n";
  for (const peer* other : others) {
    text += fmt::format("{}: {} {}, {}; {}\n", other->name, other->title, other->version, other->idiom,
                        other->compiler);
  }
  if (variants) {
    const int most_workers = *std::max_element(options.workers.begin(), options.workers.end());
    text += variant_counts(measurements, most_workers, others);
  }
  return "\n" + text;
}

nlohmann::json json_report(const std::vector<program_measurement>& measurements,
                           const bench_options& options) {
  const int most_workers = *std::max_element(options.workers.begin(), options.workers.end());
  nlohmann::json programs = nlohmann::json::array();
  for (const program_measurement& of : measurements) {
    programs.push_back(
        {{"name", of.family->name()},
         {"size", of.input.size},
         {"rounds", of.rounds()},
         {"grain", of.input.grain},
         {"grain_is_calibrated", of.family->elided->grain.calibrate != nullptr && options.chosen_grain < 0},
         {"seed", of.input.seed},
         {"matrix", of.input.matrix_file},
         {"serial_stack_pages", of.serial_stack_pages},
         {"fork_depth", of.fork_depth},
         {"serial_seconds", of.serial_seconds()},
         {"page_bound", of.page_bound(most_workers)},
         {"most_stack_pages", of.most_stack_pages(most_workers)},
         {"columns", columns(of)},
         {"samples", samples(of)}});
  }
  nlohmann::json peers = nlohmann::json::array();
  for (const peer& other : options.peers) {
    peers.push_back({{"name", other.name},
                     {"title", other.title},
                     {"version", other.version},
                     {"idiom", other.idiom},
                     {"compiler", other.compiler},
                     {"is_variant", other.is_variant}});
  }
  return {{"machine", describe_machine()},
          {"build", describe_build()},
          {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
          {"workers", options.workers},
          {"repeats", options.repeats},
          {"peers", std::move(peers)},
          {"programs", std::move(programs)}};
}

}  // namespace tool
