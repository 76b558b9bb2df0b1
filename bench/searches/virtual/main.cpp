// `searches --simulate`: a table of what searches are predicted to do on numbers of workers.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "measure/costs.hpp"
#include "predict.hpp"

namespace {

using searches::outcome;
using virtual_time::problem;

struct options {
  std::vector<int> workers{1, 2, 4, 8, 16, 32, 64};
  int seeds = 9;
  std::uint64_t seed = 1;
  double ns_per_node = 0;  ///< 0: measured
  bool quick = false;
  bool usual_costs = false;
  std::string only;
};

/// Measured in a process of its own, as the scheduler has threads.
bool measure_costs(simulate::costs& into) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    const simulate::costs measured = measure::scheduler_costs();
    _exit(write(ends[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(ends[1]);
  const bool is_told = child > 0 && read(ends[0], &into, sizeof into) == sizeof into;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return is_told;
}

/// Of each cost the median of some measurements: where others use the machine, one that yields may wait for long.
bool measure_costs_often(simulate::costs& into) {
  constexpr std::size_t times = 5;
  using values = std::array<double, sizeof(simulate::costs) / sizeof(double)>;
  std::array<values, times> measured{};
  for (values& one : measured) {
    simulate::costs costs;
    if (!measure_costs(costs)) return false;
    one = std::bit_cast<values>(costs);
  }
  values medians{};
  for (std::size_t i = 0; i < medians.size(); ++i) {
    std::array<double, times> of{};
    std::transform(measured.begin(), measured.end(), of.begin(), [i](const values& one) { return one[i]; });
    std::sort(of.begin(), of.end());
    medians[i] = of[times / 2];
  }
  into = std::bit_cast<simulate::costs>(medians);
  return true;
}

/// Whether all is right; a line for what is not.
bool is_right(const problem& of, int workers, const outcome& serial, const std::vector<outcome>& runs) {
  for (const outcome& run : runs) {
    if (run.is_right && run.answer == serial.answer && (workers != 1 || run.nodes == serial.nodes)) continue;
    fmt::print("{}: wrong on {} simulated workers: {}, {} nodes\n", of.serial.name, workers, run.answer,
               run.nodes);
    return false;
  }
  return true;
}

bool predict(const problem& of, const options& how, const simulate::costs& costs) {
  const outcome serial = virtual_time::run_serially(of, how.quick ? 1 : 5);
  virtual_time::settings with{.seed = how.seed, .costs = costs};
  with.ns_per_node = how.ns_per_node != 0
                         ? how.ns_per_node
                         : serial.processor_seconds * 1e9 / static_cast<double>(serial.nodes);
  const double serial_seconds = with.ns_per_node * static_cast<double>(serial.nodes) * 1e-9;
  bool all_right = serial.is_right;
  for (const int workers : how.workers) {
    with.workers = workers;
    // A thief has no choice where there are fewer.
    const int seeds = workers > 2 ? how.seeds : 1;
    const std::vector<outcome> runs = virtual_time::run_simulated(of, with, seeds);
    fmt::print("{}\n", virtual_time::row_of(of.serial.name,
                                            virtual_time::summarize(workers, serial, serial_seconds, runs)));
    std::fflush(stdout);
    all_right = is_right(of, workers, serial, runs) && all_right;
  }
  return all_right;
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{
      "Predicts what searches do on more workers than there are: runs them in virtual time on simulated\n"
      "workers, each node taking as long as the serial search's do on average"};
  app.add_option("--workers", how.workers, "numbers of workers (1,2,4,8,16,32,64)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  app.add_option("--seeds", how.seeds, "simulated runs of each (9)")->check(CLI::Range(1, 1000));
  app.add_option("--seed", how.seed, "the first of their seeds (1)");
  app.add_option("--ns-per-node", how.ns_per_node, "what a node takes (measured)")
      ->check(CLI::Range(0.001, 1e9));
  app.add_flag("--usual-costs", how.usual_costs, "of the scheduler, in place of those measured here");
  app.add_option("--search", how.only, "those whose name contains this");
  app.add_flag("--quick", how.quick, "small problems, to see that all works");
  CLI11_PARSE(app, argc, argv);

  simulate::costs costs;
  if (!how.usual_costs && !measure_costs_often(costs)) {
    fmt::print(stderr, "searches: the scheduler's costs could not be measured\n");
    return 1;
  }
  fmt::print(
      "PREDICTED, none of it measured: medians of {} simulated runs, and the least and most of their "
      "speedups\n"
      "over the serial search. Nodes over the serial search's; stops; and virtual microseconds from a stop "
      "to\n"
      "the end of the last strand: on average in a run, and the most in any. Nanoseconds: a fork takes "
      "{:.1f},\n"
      "a publication {:.0f}, a steal {:.0f} once it sees that after {:.0f}, a look in vain {:.0f}, a yield "
      "{:.0f},\n"
      "a child's end {:.0f}, a join's {:.0f}, a wake-up {:.0f} and {:.0f} more, a barrier {:.0f}.\n{}\n",
      how.seeds, costs.fork, costs.publish, costs.steal, costs.visible, costs.look, costs.yield, costs.leave,
      costs.resume, costs.wake, costs.wake_latency, costs.barrier, virtual_time::head_of_table());
  std::fflush(stdout);
  bool all_right = true;
  for (const problem& one : virtual_time::all_problems(how.quick)) {
    if (one.serial.name.find(how.only) == std::string::npos) continue;
    all_right = predict(one, how, costs) && all_right;
  }
  return all_right ? 0 : 1;
}
