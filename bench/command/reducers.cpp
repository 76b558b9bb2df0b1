#include "reducers.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nopal/bag.hpp>

#include "child_process.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "measure/reducer_costs.hpp"
#include "measurement.hpp"
#include "ordered_runs.hpp"
#include "peers.hpp"

namespace tool {
namespace {

double spread_of(const std::vector<double>& values) {
  const double between = quantile(values, 0.75) - quantile(values, 0.25);
  return between / 2 / std::max(quantile(values, 0.5), 1e-9);
}

ordered_run run_of(const std::string& program, std::string_view kind, int places, int workers,
                   std::int64_t updates, int passes = 1) {
  const std::string label =
      fmt::format("{}-{}, {}", kind, places, format_count(static_cast<std::uint64_t>(workers), "worker"));
  ordered_run run{label, program, {}};
  if (program == this_program) run.arguments.emplace_back("bench-reducers");
  for (std::string& each :
       std::vector<std::string>{fmt::format("--kind={}", kind), fmt::format("--places={}", places),
                                fmt::format("--workers={}", workers), fmt::format("--updates={}", updates),
                                fmt::format("--passes={}", passes), fmt::format("--parent={}", getpid())})
    run.arguments.push_back(std::move(each));
  return run;
}

nlohmann::json take_verified(ordered_runs& runs, const ordered_run& run) {
  nlohmann::json result = runs.take(run);
  if (!result.value("verified", false)) throw failed_run(fmt::format("{}: the result is wrong", run.label));
  return result;
}

/// Updates per run, and per pass and passes where steals are counted: each pass has at least one, if a worker is free.
struct run_sizes {
  std::int64_t updates;
  std::int64_t pass_updates;
  int passes;
};

run_sizes sizes_of(bool quick) {
  return quick ? run_sizes{10'000'000, 500'000, 40} : run_sizes{200'000'000, 2'000'000, 40};
}

std::vector<update_series> plan_updates(const reducer_options& options, bool has_hashed) {
  std::vector<update_series> planned = {{false, "atomic", 4}, {false, "lock", 4}};
  const int most = options.workers.back();
  for (const int places : measure::place_counts) {
    planned.push_back({false, "array", places});
    for (const std::string kind : {"add", "min", "max"}) {
      for (const int workers : options.workers) {
        if (kind != "add" && workers != 1 && workers != most) continue;
        planned.push_back({false, kind, places, workers});
        if (has_hashed && (workers == 1 || workers == most)) planned.push_back({true, kind, places, workers});
      }
    }
  }
  return planned;
}

std::vector<overhead_series> plan_overheads(bool has_hashed) {
  std::vector<overhead_series> planned;
  if (!has_hashed) return planned;
  for (const int places : measure::place_counts) {
    for (const bool hashed : {false, true}) planned.push_back({hashed, places});
  }
  return planned;
}

void add_sample(overhead_series& to, const nlohmann::json& result) {
  const auto steals = result.at("steals").get<std::uint64_t>();
  to.steals += steals;
  if (to.activities.empty()) {
    for (const auto& each : result.at("view_times")) to.activities.push_back({each.at("name")});
  }
  if (steals == 0) return;
  std::size_t i = 0;
  for (const auto& each : result.at("view_times")) {
    to.activities[i++].us.push_back(each.at("seconds").get<double>() * 1e6 / static_cast<double>(steals));
  }
}

void measure_updates(const reducer_options& options, reducer_measurement& into) {
  const run_sizes sizes = sizes_of(options.quick);
  const int most = options.workers.back();
  into.updates = sizes.updates;
  into.series = plan_updates(options, into.has_hashed);
  into.overheads = plan_overheads(into.has_hashed && most > 1);
  const std::string alternatives = usual_reducer_directory();
  const auto repeats = static_cast<std::size_t>(options.repeats);
  ordered_runs runs(options.time_limit, (into.series.size() + into.overheads.size()) * repeats);
  for (int round = 1; round <= options.repeats; ++round) {
    // A round that a signal cuts short is dropped.
    reducer_measurement longer = into;
    for (update_series& each : longer.series) {
      const nlohmann::json result =
          take_verified(runs, run_of(each.hashed ? alternatives + "/hashed" : this_program, each.kind,
                                     each.places, each.workers, sizes.updates));
      each.ns.push_back(result.at("seconds").get<double>() * 1e9 / static_cast<double>(sizes.updates));
    }
    for (overhead_series& each : longer.overheads) {
      add_sample(each,
                 take_verified(runs, run_of(alternatives + (each.hashed ? "/hashed_timed" : "/slots_timed"),
                                            "add", each.places, most, sizes.pass_updates, sizes.passes)));
    }
    longer.repeats = round;
    into = std::move(longer);
    runs.note(fmt::format("updates of reducers: round {} of {}", round, options.repeats));
  }
}

search_measurement measure_search(std::string name, const bench::program_family& family,
                                  const bench::graph& graph, const bench_options& with) {
  constexpr std::size_t block = nopal::bag<bench::graph::vertex>::block_elements;
  const program_measurement measured = measure_all_programs(with).front();
  search_measurement result{std::move(name), bench::facts_of(graph, family.elided->grain.usual, block),
                            measured.find("elided")->median_seconds()};
  for (const series& column : measured.columns) {
    if (column.workers == 0) continue;
    result.times.push_back(
        {column.of_peer != nullptr, column.workers, column.median_seconds(), column.spread()});
  }
  return result;
}

void measure_searches(const reducer_options& options, reducer_measurement& into) {
  bench_options with;
  with.workers = options.workers;
  with.repeats = options.repeats;
  with.times_only = true;
  with.seed = options.seed;
  with.time_limit = options.time_limit;
  if (into.has_hashed) {
    const interrupt_watch watch;
    for (peer& variant : find_peers(usual_variant_directory(), watch)) {
      if (variant.name == "hashed_views") with.peers.push_back(std::move(variant));
    }
  }
  for (const char* const name : {"pbfs", "pbfs-rmat"}) {
    const bench::program_family* const family = bench::find_program(name);
    if (family == nullptr) continue;
    const bench::size_range& sizes = family->elided->size;
    const std::int64_t size = options.quick ? sizes.quick : sizes.usual;
    const bool grid = family->name() == "pbfs";
    with.programs = {family};
    with.chosen_size = size;
    into.searches.push_back(
        measure_search(fmt::format("{}{}", grid ? "grid3d" : "rmat", size), *family,
                       grid ? bench::grid_graph(size) : bench::rmat_graph(size, options.seed), with));
    if (!grid || options.graph_file.empty()) continue;
    const bench::graph graph(bench::read_graph(options.graph_file));
    with.chosen_size = static_cast<std::int64_t>(graph.vertices());
    with.matrix_file = options.graph_file;
    const std::string file = options.graph_file.substr(options.graph_file.find_last_of('/') + 1);
    into.searches.push_back(measure_search(file, *family, graph, with));
    with.matrix_file.clear();
  }
}

}  // namespace

double update_series::median_ns() const { return quantile(ns, 0.5); }
double update_series::least_ns() const { return quantile(ns, 0); }
double update_series::spread() const { return spread_of(ns); }
double overhead_series::activity::median_us() const { return quantile(us, 0.5); }

const update_series* reducer_measurement::find(bool hashed, std::string_view kind, int places,
                                               int on_workers) const {
  for (const update_series& each : series) {
    if (each.hashed == hashed && each.kind == kind && each.places == places && each.workers == on_workers)
      return &each;
  }
  return nullptr;
}

std::vector<reducer_bar> bars_of(const reducer_measurement& of) {
  const auto quotients = [&of](bool hashed, std::string_view kind, int workers, bool inverse) {
    std::vector<double> all;
    for (const int places : measure::place_counts) {
      const update_series* const add = of.find(false, "add", places, 1);
      const update_series* const other = of.find(hashed, kind, places, workers);
      if (other == nullptr) continue;
      const double quotient = add->least_ns() / std::max(other->least_ns(), 1e-9);
      all.push_back(inverse ? 1 / std::max(quotient, 1e-9) : quotient);
    }
    return all;
  };
  std::vector<double> times;
  times.reserve(measure::place_counts.size());
  for (const int places : measure::place_counts)
    times.push_back(of.find(false, "add", places, 1)->least_ns());
  std::vector<reducer_bar> bars = {
      {"add-n over add-base-n, the greatest", quantile(quotients(false, "array", 1, false), 1), 3, true},
      {"the slowest add-n over the fastest", quantile(times, 1) / std::max(quantile(times, 0), 1e-9), 1.1,
       true}};
  if (of.has_hashed)
    bars.push_back({"a hash map of views over add-n, the least", quantile(quotients(true, "add", 1, true), 0),
                    4, false});
  if (std::find(of.workers.begin(), of.workers.end(), 2) != of.workers.end())
    bars.push_back({"speedup of add-n on 2 workers, the least",
                    quantile(quotients(false, "add", 2, false), 0), 1.9, false});
  return bars;
}

std::vector<int> workers_with_one(std::vector<int> workers) {
  workers.push_back(1);
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

reducer_measurement measure_reducers(const reducer_options& options) {
  reducer_measurement result;
  result.workers = options.workers;
  result.has_hashed = access((usual_reducer_directory() + "/hashed").c_str(), X_OK) == 0;
  try {
    measure_updates(options, result);
    measure_searches(options, result);
  } catch (const interrupted& e) {
    result.interrupted_by = e.signal_number();
  }
  return result;
}

}  // namespace tool
