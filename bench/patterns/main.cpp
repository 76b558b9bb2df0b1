// Times each pattern on one and on two workers beside the serial loop and, where there is one, oneTBB's: each run in a process of its
// own, libraries in turn, rounds as often as asked for.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nopal/runtime.hpp>

#include "inputs.hpp"

namespace patterns {

inputs::inputs(std::size_t of)
    : count(of), x(of, 1.0F), y(of, 2.0F), small(of), sums(std::max(of, triangle_rows)) {
  for (std::size_t i = 0; i < of; ++i) small[i] = static_cast<std::int32_t>(mixed(i) >> 50);
  small[of - 1] = -1;
}

}  // namespace patterns

namespace {

using patterns::implementation;
using patterns::inputs;

struct library {
  std::string name;
  int workers;
  std::vector<implementation> patterns;
};

struct answer {
  double seconds;
  std::int64_t checksum;
};

double seconds_of(const implementation& one, inputs& in) {
  const auto start = std::chrono::steady_clock::now();
  one.run(in);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The least of some passes after one to warm up.
answer taken_here(const library& by, const implementation& one, inputs& in, int passes) {
  std::shared_ptr<void> limit;
  if (by.name == "nopal") nopal::configure({.workers = by.workers});
#ifdef NOPAL_BENCH_HAS_TBB
  if (by.name == "tbb") limit = patterns::tbb_workers(by.workers);
#endif
  one.run(in);
  double least = seconds_of(one, in);
  for (int pass = 1; pass < passes; ++pass) least = std::min(least, seconds_of(one, in));
  return {least, in.checksum};
}

/// In a child process, which has the input from its parent.
answer taken(const library& by, const implementation& one, inputs& in, int passes) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const answer found = taken_here(by, one, in, passes);
    const bool written = write(ends[1], &found, sizeof found) == sizeof found;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  answer found{};
  const bool complete = read(ends[0], &found, sizeof found) == sizeof found;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!complete || status != 0)
    throw std::runtime_error(fmt::format("{} failed at {}", by.name, one.pattern));
  return found;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<library> all_libraries() {
  std::vector<library> all = {{"serial", 1, patterns::serial_patterns()},
                              {"nopal", 1, patterns::nopal_patterns()},
                              {"nopal", 2, patterns::nopal_patterns()}};
#ifdef NOPAL_BENCH_HAS_TBB
  for (const int workers : {1, 2}) all.push_back({"tbb", workers, patterns::tbb_patterns()});
#endif
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times the patterns beside the serial loops and oneTBB's");
  std::size_t count = 100'000'000;
  int rounds = 5;
  int passes = 3;
  std::string only;
  std::string json_file;
  app.add_option("--count", count, "elements")
      ->check(CLI::Range(std::size_t{1000}, std::size_t{1'000'000'000}));
  app.add_option("--rounds", rounds, "processes of each kind")->check(CLI::Range(1, 1000));
  app.add_option("--passes", passes, "timed runs in each process, of which the least counts")
      ->check(CLI::Range(1, 1000));
  app.add_option("--pattern", only, "those whose name contains this");
  app.add_option("--json", json_file, "file for all times");
  CLI11_PARSE(app, argc, argv);

  inputs in(count);
  const std::vector<library> libraries = all_libraries();
  nlohmann::json all = nlohmann::json::array();
  fmt::print("{:<24}", "milliseconds");
  for (const library& by : libraries)
    fmt::print("{:>12}", by.name == "serial" ? by.name : fmt::format("{} {}", by.name, by.workers));
  fmt::print("\n");
  for (std::size_t i = 0; i < libraries[0].patterns.size(); ++i) {
    const std::string& name = libraries[0].patterns[i].pattern;
    if (name.find(only) == std::string::npos) continue;
    std::vector<std::vector<double>> times(libraries.size());
    std::int64_t expected = 0;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t k = 0; k < libraries.size(); ++k) {
        const answer found = taken(libraries[k], libraries[k].patterns[i], in, passes);
        if (round == 0 && k == 0) expected = found.checksum;
        if (found.checksum != expected)
          throw std::runtime_error(fmt::format("{}: {} is wrong", name, libraries[k].name));
        times[k].push_back(found.seconds);
      }
    }
    fmt::print("{:<24}", name);
    for (const auto& each : times) fmt::print("{:>12.2f}", median(each) * 1e3);
    fmt::print("\n");
    std::fflush(stdout);
    all.push_back({{"pattern", name}, {"seconds", times}});
  }
  if (!json_file.empty()) {
    std::FILE* const file = std::fopen(json_file.c_str(), "w");
    if (file == nullptr) {
      fmt::print(stderr, "{} cannot be written\n", json_file);
      return 1;
    }
    fmt::print(file, "{}\n", all.dump(1));
    std::fclose(file);
  }
  return 0;
}
