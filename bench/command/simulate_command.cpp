// `nopal simulate`: reads what to simulate, has it recorded and simulated, reports.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "knary_curve.hpp"
#include "machine.hpp"
#include "output_file.hpp"
#include "program_choice.hpp"
#include "simulation.hpp"

namespace {

using tool::simulation_options;
using tool::usage_error;

/// The command line as given.
struct simulate_arguments {
  std::vector<std::string> programs;
  std::optional<std::string> workers;
  std::string json_file;
  std::int64_t size = -1;
  std::int64_t grain = -1;
  std::int64_t seed = 1;
  std::int64_t seeds = 5;
  std::int64_t repeats = 0;
  std::int64_t most_events = 0;
  std::int64_t time_limit_s = 600;
  bool knary = false;
  bool quick = false;
};

bool read_simulate_arguments(simulate_arguments& given, int argc, char** argv) {
  CLI::App app(
      "Predicts programs' speedups on more workers than there are: records their forks and joins, measures "
      "what the scheduler's steps cost here, and simulates it.",
      "nopal simulate");
  app.add_option("PROGRAM", given.programs, "programs to simulate; all without any (see nopal bench --list)");
  app.add_option("--workers", given.workers, "numbers of workers to simulate (1 to 256 in powers of two)")
      ->type_name("LIST");
  app.add_option("--json", given.json_file, "also write everything to FILE")->type_name("FILE");
  tool::add_whole_number(
      app, "--size", given.size, {0},
      "size of the input of the one PROGRAM named (the largest up to the usual one that fits)");
  tool::add_whole_number(app, "--grain", given.grain, {1},
                         "serial work at the leaves of the one PROGRAM named");
  tool::add_whole_number(app, "--seed", given.seed, {0}, "start of random inputs (1)");
  tool::add_whole_number(app, "--seeds", given.seeds, {1, 1000}, "simulated runs of each (5)");
  tool::add_whole_number(app, "--repeats", given.repeats, {1, 1000}, "measured runs of each (5; quick 1)");
  tool::add_whole_number(app, "--events", given.most_events,
                         {1, static_cast<std::int64_t>(tool::most_recorded_events)},
                         "most forks, ends of children and joins to record (2000000; quick 100000)");
  tool::add_whole_number(app, "--time-limit", given.time_limit_s, {1, 1'000'000},
                         "seconds that a single run, or all simulations of a program, may take (600)");
  app.add_flag("--knary", given.knary, "the normalized speedup curve of knary instead");
  app.add_flag("--quick", given.quick, "small inputs, to see that all works");
  return tool::parse(app, argc, argv);
}

simulation_options choose(const simulate_arguments& given) {
  simulation_options options;
  options.programs = tool::choose_programs(given.programs);
  if (given.knary && !given.programs.empty()) throw usage_error("--knary takes no PROGRAM");
  if ((given.size >= 0 || given.grain >= 0) && options.programs.size() != 1) {
    throw usage_error("--size and --grain need exactly one PROGRAM");
  }
  if (given.size >= 0 && given.size > options.programs.front()->elided->size.largest) {
    throw usage_error(fmt::format("--size of {} is from 0 to {}, not {}", given.programs.front(),
                                  options.programs.front()->elided->size.largest, given.size));
  }
  if (given.workers) options.workers = tool::parse_worker_list(*given.workers);
  const int available = tool::available_workers();
  std::erase_if(options.measured_workers, [&](int count) {
    return count > available ||
           std::find(options.workers.begin(), options.workers.end(), count) == options.workers.end();
  });
  options.size = given.size;
  options.grain = given.grain;
  options.seed = static_cast<std::uint64_t>(given.seed);
  options.seeds = static_cast<int>(given.seeds);
  options.repeats = given.repeats > 0 ? static_cast<int>(given.repeats) : given.quick ? 1 : 5;
  if (given.quick) options.most_events = 100'000;
  if (given.most_events > 0) options.most_events = static_cast<std::uint64_t>(given.most_events);
  options.time_limit = std::chrono::seconds(given.time_limit_s);
  return options;
}

void write_json(tool::output_file& file, nlohmann::json report) {
  if (!file.is_wanted()) return;
  report["machine"] = tool::describe_machine();
  report["build"] = tool::describe_build();
  file.write(report.dump(2));
}

}  // namespace

int simulate_command(int argc, char** argv) {
  simulate_arguments given;
  if (!read_simulate_arguments(given, argc, argv)) return tool::exit_success;
  const simulation_options options = choose(given);
  tool::output_file json("--json", given.json_file);
  if (given.knary) {
    const tool::knary_curve curve =
        tool::take_knary_curve(given.quick ? tool::quick_knary_shapes() : tool::usual_knary_shapes(), options,
                               tool::measure_costs(options.time_limit));
    fmt::print("{}", tool::table_report(curve));
    write_json(json, {{"knary", curve}});
  } else {
    const tool::simulation result = tool::simulate_programs(options);
    fmt::print("{}", tool::table_report(result));
    write_json(json, {{"simulation", result}});
  }
  return tool::exit_success;
}
