// Times searches that stop once they are answered: the serial program, and the same on each library for each number of workers, every
// run of them in a process of its own, libraries in turn. All answers are compared to the serial program's. With --simulate the program
// in virtual/ goes on in its place.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "searches.hpp"

namespace searches {
namespace elided {
library make_library();
}
namespace speculative {
library make_library();
}
namespace polled {
library make_library();
}
#ifdef NOPAL_BENCH_HAS_TBB
namespace onetbb {
library make_library();
}
#endif
}  // namespace searches

namespace {

using searches::library;
using searches::outcome;
using searches::search;

struct options {
  std::vector<int> workers{1, 2};
  int rounds = 3;
  int passes = 3;
  bool quick = false;
  std::string only;
};

/// One library on so many workers, and all that it did for one problem.
struct candidate {
  const library* by;
  int workers;
  std::vector<outcome> runs{};
};

std::vector<library> all_libraries() {
  std::vector<library> all = {searches::elided::make_library(), searches::speculative::make_library(),
                              searches::polled::make_library()};
#ifdef NOPAL_BENCH_HAS_TBB
  all.push_back(searches::onetbb::make_library());
#endif
#ifdef NOPAL_BENCH_RAYON
  all.push_back({"Rayon", false, all.front().searches, nullptr, NOPAL_BENCH_RAYON, {"queens", "range"}});
#endif
  return all;
}

std::vector<candidate> candidates_of(const std::vector<library>& libraries, const std::vector<int>& workers) {
  std::vector<candidate> all;
  for (const library& one : libraries)
    if (one.is_serial) all.push_back({&one, 1});
  for (const int count : workers)
    for (const library& one : libraries)
      if (!one.is_serial) all.push_back({&one, count});
  return all;
}

bool is_known(const library& to, const std::string& name) {
  return to.known.empty() || std::any_of(to.known.begin(), to.known.end(), [&name](const std::string& word) {
           return name.rfind(word, 0) == 0;
         });
}

/// In a child process: the program that has the runs, and writes a line for each.
[[noreturn]] void run_program(const candidate& with, const search& what, const options& how, int to) {
  const std::string workers = std::to_string(with.workers);
  const std::string passes = std::to_string(how.passes);
  const std::string& program = with.by->program;
  if (dup2(to, 1) == 1) {
    execl(program.c_str(), program.c_str(), what.name.c_str(), workers.c_str(), passes.c_str(),
          how.quick ? "quick" : "usual", static_cast<char*>(nullptr));
  }
  _exit(1);
}

/// What such a program wrote.
void read_lines(int from, std::vector<outcome>& runs) {
  std::FILE* const lines = fdopen(dup(from), "r");
  char line[200];
  while (lines != nullptr && std::fgets(line, sizeof line, lines) != nullptr) {
    outcome seen;
    char* at = line;
    seen.answer = std::strtoll(at, &at, 10);
    seen.seconds = std::strtod(at, &at);
    seen.processor_seconds = std::strtod(at, &at);
    seen.is_right = true;
    runs.push_back(seen);
  }
  if (lines != nullptr) std::fclose(lines);
}

/// In a child process: so many runs after one to warm up, each written as it is done.
[[noreturn]] void run_and_tell(const candidate& with, const search& what, const options& how, int to) {
  bool is_told = true;
  with.by->with_workers(with.workers, [&] {
    if (!how.quick) static_cast<void>(what.run());
    for (int pass = 0; pass < how.passes; ++pass) {
      const outcome seen = what.run();
      is_told = is_told && write(to, &seen, sizeof seen) == sizeof seen;
    }
  });
  _exit(is_told ? 0 : 1);
}

/// False if the process did not come to its end, for which it has some minutes.
bool take_runs(candidate& with, const search& what, const options& how) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(how.quick ? 20 : 300);
    if (!with.by->program.empty()) run_program(with, what, how, ends[1]);
    run_and_tell(with, what, how, ends[1]);
  }
  close(ends[1]);
  if (child > 0 && !with.by->program.empty()) read_lines(ends[0], with.runs);
  outcome seen;
  while (child > 0 && read(ends[0], &seen, sizeof seen) == sizeof seen) with.runs.push_back(seen);
  close(ends[0]);
  int status = -1;
  if (child > 0) waitpid(child, &status, 0);
  return status == 0;
}

template <class Get>
double median(const std::vector<outcome>& runs, Get get) {
  std::vector<double> values;
  for (const outcome& one : runs) values.push_back(get(one));
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double seconds_of(const candidate& one) {
  return median(one.runs, [](const outcome& run) { return run.seconds; });
}
double processor_seconds_of(const candidate& one) {
  return median(one.runs, [](const outcome& run) { return run.processor_seconds; });
}
double nodes_of(const candidate& one) {
  return median(one.runs, [](const outcome& run) { return static_cast<double>(run.nodes); });
}

void print_row(const std::string& name, const candidate& one, const candidate& serial) {
  fmt::print("{:<30} {:<7} {:>2} {:>9.2f} {:>7.2f} {:>9.2f}", name, one.by->name, one.workers,
             seconds_of(one) * 1e3, seconds_of(serial) / seconds_of(one), processor_seconds_of(one) * 1e3);
  if (nodes_of(one) != 0) {
    fmt::print(" {:>11.0f} {:>6.2f}", nodes_of(one), nodes_of(one) / nodes_of(serial));
  }
  std::vector<outcome> stopped;
  std::copy_if(one.runs.begin(), one.runs.end(), std::back_inserter(stopped),
               [](const outcome& run) { return run.stops != 0; });
  if (!stopped.empty()) {
    double worst = 0;
    for (const outcome& run : stopped) worst = std::max(worst, run.worst_stop_us);
    fmt::print(" {:>8.0f} {:>9.1f} {:>9.1f}",
               median(stopped, [](const outcome& run) { return static_cast<double>(run.stops); }),
               median(stopped, [](const outcome& run) { return run.stop_us; }), worst);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// Whether all is right; a line for what is not.
bool is_right(const std::string& name, const candidate& one, const candidate& serial) {
  for (const outcome& run : one.runs) {
    if (run.is_right && run.answer == serial.runs.front().answer) continue;
    fmt::print("{}: {} with {} workers is wrong: {}\n", name, one.by->name, one.workers, run.answer);
    return false;
  }
  return true;
}

bool compare(const options& how, std::vector<candidate> all, std::size_t number, const std::string& name,
             const std::map<const library*, std::vector<search>>& made) {
  bool all_right = true;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&name](const candidate& one) { return !is_known(*one.by, name); }),
            all.end());
  for (int round = 0; round < how.rounds; ++round) {
    for (candidate& one : all) {
      if (take_runs(one, made.at(one.by)[number], how)) continue;
      fmt::print("{}: {} with {} workers did not come to its end\n", name, one.by->name, one.workers);
      all_right = false;
    }
  }
  if (all.front().runs.empty()) return false;
  for (const candidate& one : all) {
    if (one.runs.empty()) continue;
    print_row(name, one, all.front());
    all_right = is_right(name, one, all.front()) && all_right;
  }
  return all_right;
}

#ifdef NOPAL_BENCH_SEARCHES_SIMULATED
/// The program that runs them in virtual time goes on here, with the arguments behind the first.
[[noreturn]] void simulate(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  execv(NOPAL_BENCH_SEARCHES_SIMULATED, arguments.data());
  fmt::print(stderr, "searches: {} cannot be run\n", NOPAL_BENCH_SEARCHES_SIMULATED);
  std::exit(1);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{
      "Times searches that stop once they are answered: serially, with scopes that can be stopped, with\n"
      "flags polled by hand and, where they are installed, with oneTBB's cancellation and on Rayon"};
  app.add_option("--workers", how.workers, "numbers of workers, the calling thread being one (1,2)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  app.add_option("--rounds", how.rounds, "processes of each kind (3; quick 1)")->check(CLI::Range(1, 1000));
  app.add_option("--passes", how.passes, "timed runs in each process (3; quick 1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--search", how.only, "those whose name contains this");
  app.add_flag("--quick", how.quick, "small problems, to see that all works");
#ifdef NOPAL_BENCH_SEARCHES_SIMULATED
  // For its own options, among them --help.
  if (argc > 1 && std::string_view(argv[1]) == "--simulate") simulate(argc - 1, argv + 1);
  bool is_simulated = false;
  app.add_flag("--simulate", is_simulated,
               "as the first: predicts what they do on more workers than there are; see --simulate --help");
#endif
  CLI11_PARSE(app, argc, argv);
#ifdef NOPAL_BENCH_SEARCHES_SIMULATED
  if (is_simulated) {
    fmt::print(stderr, "searches: --simulate comes first\n");
    return 2;
  }
#endif
  if (how.quick) {
    if (app.count("--rounds") == 0) how.rounds = 1;
    if (app.count("--passes") == 0) how.passes = 1;
  }

  const std::vector<library> libraries = all_libraries();
  std::map<const library*, std::vector<search>> made;
  for (const library& one : libraries) made[&one] = one.searches(how.quick);
  const std::vector<candidate> candidates = candidates_of(libraries, how.workers);
  fmt::print(
      "Medians of {} runs. Processor time is that of all threads, those that look for work included. Nodes "
      "and their ratio to\nthe serial program's; stops, and microseconds from a stop to the end of its "
      "scope: "
      "on average in a run, and the most in any.\n",
      how.rounds * how.passes);
  fmt::print("{:<30} {:<7} {:>2} {:>9} {:>7} {:>9} {:>11} {:>6} {:>8} {:>9} {:>9}\n", "search", "on", "w",
             "ms", "speedup", "cpu ms", "nodes", "ratio", "stops", "us", "most us");
  std::fflush(stdout);
  bool all_right = true;
  const std::vector<search>& names = made.at(candidates.front().by);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].name.find(how.only) == std::string::npos) continue;
    all_right = compare(how, candidates, i, names[i].name, made) && all_right;
  }
  return all_right ? 0 : 1;
}
