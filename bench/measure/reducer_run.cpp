#include "measure/reducer_run.hpp"

#include <vector>

#include <nlohmann/json.hpp>
#include <nopal/nopal.hpp>

#include "runner/end_with_parent.hpp"
#include "runner/warm_up.hpp"

#ifdef NOPAL_VIEW_TIMES
#include <chrono>

#include "view/times.hpp"
#endif

namespace measure {
namespace {

#ifdef NOPAL_VIEW_TIMES

double ticks_per_second() {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t first = nopal::internal::processor_ticks();
  std::chrono::duration<double> elapsed{};
  while (elapsed.count() < 0.02) elapsed = std::chrono::steady_clock::now() - start;
  return static_cast<double>(nopal::internal::processor_ticks() - first) / elapsed.count();
}

/// Of one run, less what the timers show of themselves.
nlohmann::json net_times(const nopal_view_times& before, const nopal_view_times& after) {
  constexpr const char* names[] = {"creation", "insertion", "transfer", "merge"};
  const double rate = ticks_per_second();
  nlohmann::json times = nlohmann::json::array();
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t count = after.count[i] - before.count[i];
    const auto gross = static_cast<double>(after.ticks[i] - before.ticks[i]);
    const double own = static_cast<double>(count * after.empty_ticks);
    times.push_back({{"name", names[i]}, {"seconds", std::max(0.0, gross - own) / rate}, {"count", count}});
  }
  return times;
}

nopal_view_times times_now() {
  nopal_view_times times;
  nopal_read_view_times(&times);
  return times;
}

#endif

}  // namespace

void add_options(CLI::App& app, reducer_run& into) {
  std::vector<std::string> kinds(update_kinds.begin(), update_kinds.end());
  std::vector<int> counts(place_counts.begin(), place_counts.end());
  app.add_option("--kind", into.updates.kind, "what is updated")->required()->check(CLI::IsMember(kinds));
  app.add_option("--places", into.updates.places, "how many of them")
      ->required()
      ->check(CLI::IsMember(counts));
  app.add_option("--updates", into.updates.updates, "updates in each pass")->check(CLI::PositiveNumber);
  app.add_option("--passes", into.updates.passes, "loops")->check(CLI::Range(1, 1'000'000));
  app.add_option("--workers", into.workers, "workers")->check(CLI::Range(1, 1024));
  app.add_option("--parent", into.parent, "process that ordered the run");
}

std::string report_of(const reducer_run& run) {
  bench::end_with_parent(run.parent);
  nopal::configure({.workers = run.workers});
  bench::warm_up<nopal::scope>(run.workers);
  const std::uint64_t steals_before = nopal::stats().total.steals;
#ifdef NOPAL_VIEW_TIMES
  const nopal_view_times before = times_now();
#endif
  const update_result result = time_updates(run.updates);
  nlohmann::json report = {{"seconds", result.seconds},
                           {"verified", result.verified},
                           {"steals", nopal::stats().total.steals - steals_before}};
#ifdef NOPAL_VIEW_TIMES
  report["view_times"] = net_times(before, times_now());
#endif
  return report.dump();
}

}  // namespace measure
