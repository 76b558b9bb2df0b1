// The measurements of reducers: what their lookups, steals and joins cost, beside a hash map of views, which is the usual way
// to find them, and breadth-first search with a reducer. After I-T. A. Lee, A. Shafi and C. E. Leiserson, "Memory-mapping
// support for reducer hyperobjects", SPAA 2012, whose figures the report has.
#ifndef NOPAL_TOOLS_BENCH_REDUCERS_HPP
#define NOPAL_TOOLS_BENCH_REDUCERS_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "programs/graph.hpp"

namespace tool {

struct reducer_options {
  std::vector<int> workers;  ///< ascending; the first is 1
  int repeats = 5;
  bool quick = false;
  std::uint64_t seed = 1;
  std::string graph_file;                ///< searched beside the graphs that are made; empty: none
  std::chrono::seconds time_limit{600};  ///< for each run
};

/// Repeated runs of the updates in bench/measure/reducer_costs.hpp.
struct update_series {
  bool hashed = false;  ///< views in a hash map; else each reducer has its slot
  std::string kind;
  int places = 0;
  int workers = 1;
  std::vector<double> ns{};  ///< per update

  [[nodiscard]] double median_ns() const;
  [[nodiscard]] double least_ns() const;
  /// Half the distance between the quartiles, as a fraction of the median.
  [[nodiscard]] double spread() const;
};

/// What steals cost add-n on the most workers: each activity's microseconds per steal in every run that had steals.
struct overhead_series {
  bool hashed = false;
  int places = 0;
  struct activity {
    std::string name;
    std::vector<double> us{};
    [[nodiscard]] double median_us() const;
  };
  std::vector<activity> activities{};
  std::uint64_t steals = 0;  ///< in all runs
};

/// Breadth-first search of one graph; medians.
struct search_measurement {
  std::string graph;
  bench::search_facts facts;
  double serial_seconds = 0;
  struct time {
    bool hashed;
    int workers;
    double seconds;
    double spread;
  };
  std::vector<time> times{};
};

/// Something that is to hold on every machine, and what was measured.
struct reducer_bar {
  std::string what;
  double measured;
  double bar;
  bool at_most;  ///< else at least

  [[nodiscard]] bool holds() const { return at_most ? measured <= bar : measured >= bar; }
};

struct reducer_measurement {
  std::vector<int> workers;
  int repeats = 0;           ///< finished rounds of updates
  std::int64_t updates = 0;  ///< in each run
  bool has_hashed = false;   ///< this build has the hash map to compare with
  std::vector<update_series> series;
  std::vector<overhead_series> overheads;  ///< empty where it has not
  std::vector<search_measurement> searches;
  /// A signal's number; then only finished rounds and searches are here, perhaps none
  int interrupted_by = 0;

  /// Null where it was not measured.
  [[nodiscard]] const update_series* find(bool hashed, std::string_view kind, int places, int workers) const;
};

/// Those of which all was measured, by the least times: whatever else the machine does makes a run longer only.
[[nodiscard]] std::vector<reducer_bar> bars_of(const reducer_measurement& of);

/// 1, and the numbers of workers given.
[[nodiscard]] std::vector<int> workers_with_one(std::vector<int> workers);

/// Takes all runs, interleaved, each in a process of its own.
[[nodiscard]] reducer_measurement measure_reducers(const reducer_options& options);

void to_json(nlohmann::json& json, const reducer_measurement& from);

[[nodiscard]] std::string table_report(const reducer_measurement& of);

}  // namespace tool

#endif
