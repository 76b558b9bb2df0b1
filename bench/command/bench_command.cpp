// `nopal bench`: reads what to measure, has it measured, reports.
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "compare.hpp"
#include "exit_codes.hpp"
#include "format.hpp"
#include "interrupt.hpp"
#include "knary_curve.hpp"
#include "measurement.hpp"
#include "output_file.hpp"
#include "page.hpp"
#include "program_choice.hpp"
#include "programs/matrix_market.hpp"
#include "programs/registry.hpp"
#include "promotion.hpp"
#include "reducers.hpp"
#include "report.hpp"
#include "simulation.hpp"

namespace {

using tool::bench_options;
using tool::usage_error;

/// The command line as given.
struct arguments {
  std::vector<std::string> programs;
  std::optional<std::string> workers;
  std::string peers;
  std::string peer_directory;
  std::string variants;
  std::string json_file;
  std::string compared_file;
  std::string page_file;
  std::optional<std::string> matrix_file;
  std::optional<std::string> graph_file;
  std::int64_t size = -1;
  std::int64_t grain = -1;
  std::int64_t seed = 1;
  std::int64_t repeats = 0;
  std::int64_t time_limit_s = 600;
  bool quick = false;
  bool paper = false;
  bool suite = false;
  bool list = false;
  bool reducers = false;
  bool promotion = false;

  /// What is measured in place of programs, if anything: the option.
  [[nodiscard]] const char* instead() const {
    return reducers ? "--reducers" : promotion ? "--promotion" : nullptr;
  }
};

bool read_arguments(arguments& given, int argc, char** argv) {
  CLI::App app("Measures programs serially and on several numbers of workers, interleaved.", "nopal bench");
  app.add_option("PROGRAM", given.programs, "programs to measure; all without any (see --list)");
  app.add_option("--workers", given.workers,
                 "numbers of workers, such as 1,2 (1 to all available in powers of two)")
      ->type_name("LIST");
  app.add_option("--peers", given.peers,
                 "other libraries to measure beside: all, none, or names such as tbb,rayon (with "
                 "--report all, else none)")
      ->type_name("LIST");
  app.add_option("--peer-directory", given.peer_directory,
                 "where the peers' programs are (peers, beside this program)")
      ->type_name("DIR");
  app.add_option("--variants", given.variants,
                 "other forms of this library to measure beside: all, none, or names such as eager (with "
                 "--report and all peers all, else none)")
      ->type_name("LIST");
  app.add_option("--json", given.json_file, "also write every sample to FILE")->type_name("FILE");
  app.add_option("--report", given.page_file, "also write one page of HTML with all tables and plots to FILE")
      ->type_name("FILE");
  app.add_option("--compare", given.compared_file, "compare with the FILE an earlier --json wrote")
      ->type_name("FILE");
  tool::add_whole_number(app, "--size", given.size, {0}, "size of the input of the one PROGRAM named");
  tool::add_whole_number(app, "--grain", given.grain, {1},
                         "serial work at the leaves of the one PROGRAM named");
  app.add_option("--matrix", given.matrix_file,
                 "input of the one PROGRAM named, which reads matrices: a Matrix Market file")
      ->type_name("FILE");
  app.add_option(
         "--graph", given.graph_file,
         "with --reducers or --report: a graph to search beside those that are made, a Matrix Market file")
      ->type_name("FILE");
  tool::add_whole_number(app, "--seed", given.seed, {0}, "start of random inputs (1)");
  tool::add_whole_number(app, "--repeats", given.repeats, {1, 1000}, "runs of each (5; quick 3)");
  tool::add_whole_number(app, "--time-limit", given.time_limit_s, {1, 1'000'000},
                         "seconds a single run may take (600)");
  app.add_flag("--quick", given.quick, "small inputs, to see that all works");
  app.add_flag("--paper", given.paper, "the inputs of the papers");
  app.add_flag("--suite", given.suite,
               "the inputs of a public suite of task libraries, and its programs alone: fib, nqueens, "
               "skynet, intmul");
  app.add_flag(
      "--promotion", given.promotion,
      "in place of programs: what it costs to make latent forks stealable, and how long thieves wait for it");
  app.add_flag(
      "--reducers", given.reducers,
      "in place of programs: what updates of reducers, steals and joins cost, beside a hash map of views; "
      "and breadth-first search");
  app.add_flag("--list", given.list, "list the programs and their sizes");
  return tool::parse(app, argc, argv);
}

std::vector<int> usual_workers(int available) {
  std::vector<int> counts;
  for (int count = 1; count < available; count *= 2) counts.push_back(count);
  counts.push_back(available);
  return counts;
}

// Sizes mean different things to different programs, so only one may be given its own.
void choose_size_and_grain(const arguments& given, bench_options& options) {
  if (given.size < 0 && given.grain < 0) return;
  if (options.programs.size() != 1) throw usage_error("--size and --grain need exactly one PROGRAM");
  if (given.size >= 0 && (given.quick || given.paper || given.suite)) {
    throw usage_error("only one of --size, --quick, --paper and --suite is accepted");
  }
  const bench::program& program = *options.programs.front()->elided;
  if (given.size > program.size.largest) {
    throw usage_error(fmt::format("--size of {} ({}) is from 0 to {}, not {}", program.name,
                                  program.size.meaning, program.size.largest, given.size));
  }
  if (given.grain >= 0 && program.grain.meaning.empty()) {
    throw usage_error(fmt::format("{} takes no --grain: it forks at every level", program.name));
  }
  options.chosen_size = given.size;
  options.chosen_grain = given.grain;
}

void choose_matrix(const arguments& given, bench_options& options) {
  if (!given.matrix_file) return;
  if (options.programs.size() != 1) throw usage_error("--matrix needs exactly one PROGRAM");
  if (given.size >= 0 || given.quick || given.paper || given.suite) {
    throw usage_error("only one of --matrix, --size, --quick, --paper and --suite is accepted");
  }
  const bench::program& program = *options.programs.front()->elided;
  if (program.reads_matrix == bench::matrix_kind::none)
    throw usage_error(fmt::format("{} takes no --matrix", program.name));
  try {
    options.chosen_size = program.reads_matrix == bench::matrix_kind::graph
                              ? bench::read_graph(*given.matrix_file).vertices
                              : bench::read_matrix_market(*given.matrix_file).rows;
  } catch (const bench::bad_matrix& e) {
    throw usage_error(fmt::format("--matrix: {}", e.what()));
  }
  options.matrix_file = *given.matrix_file;
}

// --reducers and --promotion measure something else than programs.
void check_instead(const arguments& given) {
  if (given.graph_file && !given.reducers && given.page_file.empty())
    throw usage_error("--graph needs --reducers or --report");
  const char* const option = given.instead();
  if (option == nullptr) return;
  if (!given.programs.empty()) throw usage_error(fmt::format("{} takes no PROGRAM", option));
  const bool promotion = !given.reducers;
  const struct {
    const char* option;
    bool is_given;
  } others[] = {{"--promotion", given.reducers && given.promotion},
                {"--size", given.size >= 0},
                {"--grain", given.grain >= 0},
                {"--matrix", bool(given.matrix_file)},
                {"--peers", !given.peers.empty()},
                {"--variants", !given.variants.empty()},
                {"--paper", given.paper},
                {"--suite", given.suite},
                {"--peer-directory", !given.peer_directory.empty()},
                {"--list", given.list},
                {"--compare", !given.compared_file.empty()},
                {"--workers", promotion && given.workers},
                {"--graph", promotion && given.graph_file}};
  for (const auto& other : others) {
    if (other.is_given) {
      throw usage_error(fmt::format(
          "{} does not go with {}; accepted beside it: {}--json, --report, {}--repeats, "
          "--time-limit, --quick",
          option, other.option, promotion ? "" : "--workers, --graph, ", promotion ? "" : "--seed, "));
    }
  }
}

tool::reducer_options choose_reducers(const arguments& given, const bench_options& with) {
  tool::reducer_options options;
  options.workers = tool::workers_with_one(with.workers);
  options.repeats = with.repeats;
  options.quick = given.quick;
  options.seed = with.seed;
  options.time_limit = with.time_limit;
  if (!given.graph_file) return options;
  try {
    static_cast<void>(bench::read_graph(*given.graph_file));
  } catch (const bench::bad_matrix& e) {
    throw usage_error(fmt::format("--graph: {}", e.what()));
  }
  options.graph_file = *given.graph_file;
  return options;
}

std::vector<tool::peer> choose_peers(const arguments& given) {
  if (given.instead() != nullptr) return {};
  const bool with_page = !given.page_file.empty();
  const std::string peers = !given.peers.empty() ? given.peers : with_page ? "all" : "none";
  const std::string variants = !given.variants.empty()       ? given.variants
                               : with_page && peers == "all" ? "all"
                                                             : "none";
  const tool::interrupt_watch watch;
  std::vector<tool::peer> chosen;
  if (peers != "none") {
    const std::string directory =
        given.peer_directory.empty() ? tool::usual_peer_directory() : given.peer_directory;
    chosen = tool::choose_peers(tool::find_peers(directory, watch), peers, directory);
  }
  if (variants != "none") {
    const std::string directory = tool::usual_variant_directory();
    for (tool::peer& each :
         tool::choose_peers(tool::find_peers(directory, watch), variants, directory, tool::variant_words))
      chosen.push_back(std::move(each));
  }
  return chosen;
}

bench_options choose(const arguments& given) {
  if (int{given.quick} + int{given.paper} + int{given.suite} > 1)
    throw usage_error("only one of --quick, --paper and --suite is accepted");
  bench_options options;
  if (given.instead() == nullptr) options.programs = tool::choose_programs(given.programs);
  const int available = tool::available_workers();
  options.workers = given.workers ? tool::parse_worker_list(*given.workers) : usual_workers(available);
  if (given.quick) options.size = tool::input_size::quick;
  if (given.paper) options.size = tool::input_size::paper;
  if (given.suite) {
    options.size = tool::input_size::suite;
    options.programs = tool::only_of_suite(options.programs, !given.programs.empty());
  }
  choose_size_and_grain(given, options);
  choose_matrix(given, options);
  options.peers = choose_peers(given);
  options.seed = static_cast<std::uint64_t>(given.seed);
  options.repeats = given.repeats > 0 ? static_cast<int>(given.repeats) : given.quick ? 3 : 5;
  options.time_limit = std::chrono::seconds(given.time_limit_s);
  return options;
}

void list_programs() {
  tool::text_table table({"program", "usual", "quick", "paper", "suite", "size", "grain", "what it does"});
  for (const bench::program_family& family : bench::all_programs()) {
    const bench::program& program = *family.parallel;
    const std::string grain = program.grain.meaning.empty() ? "-"
                              : program.grain.calibrate     ? "calibrated"
                                                            : std::to_string(program.grain.usual);
    table.add_row({std::string(program.name), std::to_string(program.size.usual),
                   std::to_string(program.size.quick), std::to_string(program.size.paper),
                   program.size.suite < 0 ? "-" : std::to_string(program.size.suite),
                   std::string(program.size.meaning), grain, std::string(program.summary)});
  }
  fmt::print("{}", table.str());
}

// Where a fork's time goes, knary's curve, and predictions. They take some minutes; with --quick, one.
void add_what_only_pages_show(nlohmann::json& report, const arguments& given, const bench_options& options) {
  report["fork_steps"] = tool::measure_fork_steps(options);
  tool::simulation_options simulated;
  simulated.programs = options.programs;
  simulated.measured_workers = options.workers;
  simulated.seed = options.seed;
  simulated.time_limit = options.time_limit;
  simulated.repeats = options.repeats;
  if (given.quick) {
    simulated.most_events = 100'000;
    simulated.seeds = 3;
  }
  const tool::simulation result = tool::simulate_programs(simulated);
  report["simulation"] = result;
  simulated.workers = {1, 2, 8, 64, 256};
  report["knary"] = tool::take_knary_curve(
      given.quick ? tool::quick_knary_shapes() : tool::usual_knary_shapes(), simulated, result.costs);
}

/// What was measured, or had been when a signal came.
struct outcome {
  nlohmann::json report;
  std::string tables;  ///< empty: no round was finished
  int interrupted_by = 0;
};

std::string tables_of(const std::vector<tool::program_measurement>& programs, const bench_options& options) {
  if (programs.empty()) return "";
  std::string text = tool::table_report(programs, options.workers);
  for (const bool variants : {false, true}) text += tool::peer_table(programs, options, variants);
  return text;
}

/// Updates of reducers and searches, into the report, and as tables if they are all that is asked for.
void add_reducers(outcome& to, const arguments& given, const tool::reducer_options& options) {
  const tool::reducer_measurement measured = tool::measure_reducers(options);
  to.interrupted_by = measured.interrupted_by;
  if (measured.repeats == 0) return;
  to.report["reducers"] = measured;
  if (given.reducers) to.tables = tool::table_report(measured);
}

void add_promotion(outcome& to, const arguments& given, const bench_options& with) {
  const tool::promotion_measurement measured =
      tool::measure_promotion({with.repeats, given.quick, with.time_limit});
  to.interrupted_by = measured.interrupted_by;
  if (measured.repeats == 0) return;
  to.report["promotion"] = measured;
  if (given.promotion) to.tables = tool::table_report(measured);
}

outcome measure(const arguments& given, const bench_options& options, const tool::reducer_options& reducers,
                const tool::interrupt_watch& watch) {
  outcome result;
  const tool::program_measurements measured = tool::measure_programs(options);
  result.report = tool::json_report(measured.programs, options);
  result.tables = tables_of(measured.programs, options);
  result.interrupted_by = measured.interrupted_by;
  const bool with_page = !given.page_file.empty();
  try {
    const bool of_programs = given.instead() == nullptr;
    if (result.interrupted_by == 0 && (given.reducers || (of_programs && with_page)))
      add_reducers(result, given, reducers);
    if (result.interrupted_by == 0 && (given.promotion || (of_programs && with_page)))
      add_promotion(result, given, options);
    if (result.interrupted_by == 0 && of_programs && with_page)
      add_what_only_pages_show(result.report, given, options);
    watch.check();
  } catch (const tool::interrupted& e) {
    result.interrupted_by = e.signal_number();
  }
  return result;
}

/// Says what is missing.
void tell_interruption(outcome& of, int repeats) {
  const std::string signal = fmt::format("SIG{}", sigabbrev_np(of.interrupted_by));
  of.report["interrupted_by"] = signal;
  const nlohmann::json& programs = of.report.at("programs");
  std::string finished;
  if (of.tables.empty()) {
    finished = "before a round was finished; there is nothing to report";
  } else if (programs.empty()) {
    finished = "before all was measured; what was finished is reported";
  } else {
    finished = fmt::format("after {} of {} rounds of {}; what was finished is reported",
                           programs.back().at("rounds").get<int>(), repeats,
                           programs.back().at("name").get<std::string>());
  }
  fmt::print(stderr, "nopal bench: ended by {} {}\n", signal, finished);
}

}  // namespace

int bench_command(int argc, char** argv) {
  arguments given;
  if (!read_arguments(given, argc, argv)) return tool::exit_success;
  check_instead(given);
  if (given.list) {
    list_programs();
    return tool::exit_success;
  }
  const bench_options options = choose(given);
  const tool::reducer_options reducers = choose_reducers(given, options);
  nlohmann::json compared;
  if (!given.compared_file.empty()) compared = tool::read_report(given.compared_file);
  tool::output_file json("--json", given.json_file);
  tool::output_file page("--report", given.page_file);
  // What comes between two measurements ends them as well, and a second signal waits until all is written.
  const tool::interrupt_watch watch;
  outcome measured = measure(given, options, reducers, watch);
  if (measured.interrupted_by != 0) tell_interruption(measured, options.repeats);
  fmt::print("{}", measured.tables);
  if (!measured.tables.empty()) {
    if (!compared.empty()) fmt::print("\n{}", tool::comparison_table(compared, measured.report));
    json.write(measured.report.dump(2));
    if (page.is_wanted()) page.write(tool::page_of(measured.report));
  }
  std::fflush(stdout);
  return measured.interrupted_by == 0 ? tool::exit_success : 128 + measured.interrupted_by;
}
