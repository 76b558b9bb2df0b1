// Times short loops, back to back and after pauses, beside the serial loop and the same on other libraries: each library and length in
// a process of its own.
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "loop.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

struct options {
  int workers = 2;
  std::vector<int> counts{8, 32, 128, 512, 2048};
  std::vector<int> pauses{0, 2000};
  double body_us = 1;
  double seconds = 1;
  std::vector<std::string> libraries;
};

struct candidate {
  const char* name;
  regions::library* (*make)(int);
};

std::vector<candidate> all_libraries() {
  std::vector<candidate> all{{"nopal", regions::make_nopal}};
#ifdef NOPAL_BENCH_HAS_TBB
  all.push_back({"tbb", regions::make_tbb});
#endif
#ifdef NOPAL_BENCH_HAS_OPENMP
  all.push_back({"openmp", regions::make_openmp});
#endif
  return all;
}

double since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return in_seconds(used.ru_utime) + in_seconds(used.ru_stime);
}

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// What is measured of the regions of one length after one pause.
struct result {
  double serial;  ///< seconds, as the other; medians
  double region;
  double waiting;  ///< processor time beside the serial loops', in all seconds
};

void pause_for(int us) {
  if (us != 0) {
    const timespec pause{us / 1'000'000, us % 1'000'000 * 1000L};
    nanosleep(&pause, nullptr);
  }
}

/// Half of the seconds for either kind, in turns of a tenth of a second, so that both meet the same machine.
result measured_here(const options& how, regions::library& by, const regions::work& body, int count,
                     int pause) {
  const auto serially = [&] {
    for (int i = 0; i < count; ++i) body(i);
  };
  const auto in_parallel = [&] { by.loop(count, body); };
  for (int i = 0; i < 20; ++i) in_parallel();
  std::vector<double> serial;
  std::vector<double> parallel;
  double processor = 0;
  double wall = 0;
  const auto take = [&](std::vector<double>& times, const auto& run) {
    const auto began = clock_type::now();
    do {
      pause_for(pause);
      const auto start = clock_type::now();
      run();
      times.push_back(since(start));
    } while (since(began) < 0.1);
  };
  const auto all_began = clock_type::now();
  while (since(all_began) < how.seconds) {
    take(serial, serially);
    const double before = processor_seconds();
    const auto began = clock_type::now();
    take(parallel, in_parallel);
    wall += since(began);
    processor += processor_seconds() - before;
  }
  const double serial_time = median(serial);
  return {serial_time, median(parallel),
          (processor - serial_time * static_cast<double>(parallel.size())) / wall};
}

result measured(const options& how, const candidate& by, const regions::work& body, int count, int pause) {
  int ends[2];
  if (pipe(ends) != 0) {
    fmt::print(stderr, "nopal: regions: no pipe can be had\n");
    std::exit(2);
  }
  const pid_t child = fork();
  if (child == 0) {
    const std::unique_ptr<regions::library> made(by.make(how.workers));
    const result seen = measured_here(how, *made, body, count, pause);
    const bool is_told = write(ends[1], &seen, sizeof seen) == sizeof seen;
    _exit(is_told ? 0 : 1);
  }
  close(ends[1]);
  result seen{};
  const bool is_whole = child > 0 && read(ends[0], &seen, sizeof seen) == sizeof seen;
  close(ends[0]);
  int status = 0;
  if (child > 0) waitpid(child, &status, 0);
  if (!is_whole) {
    fmt::print(stderr, "nopal: regions: the run of {} with {} positions gave no result\n", by.name, count);
    std::exit(1);
  }
  return seen;
}

int steps_for(double us) {
  int steps = 64;
  for (;; steps *= 2) {
    const regions::work body{steps};
    const auto start = clock_type::now();
    for (int i = 0; i < 100; ++i) body(i);
    const double each = since(start) * 1e4;  // us
    if (each > 2) return std::max(1, static_cast<int>(steps * us / each));
  }
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  CLI::App app{
      "Times short loops beside the serial loop: speedups, and the processor time that waiting threads use"};
  app.add_option("--workers", how.workers, "the calling thread is one")->check(CLI::Range(1, 1000));
  app.add_option("--counts", how.counts, "positions of a loop")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000'000));
  app.add_option("--pauses", how.pauses, "before each loop, in us; 0: none")
      ->delimiter(',')
      ->check(CLI::Range(0, 10'000'000));
  app.add_option("--body", how.body_us, "what a position takes, in us")->check(CLI::Range(0.001, 1000.0));
  app.add_option("--seconds", how.seconds, "for each cell")->check(CLI::Range(0.05, 1000.0));
  app.add_option("--libraries", how.libraries, "only these: nopal,tbb,openmp")->delimiter(',');
  CLI11_PARSE(app, argc, argv);

  const regions::work body{steps_for(how.body_us)};
  fmt::print("{} workers, bodies of {} us; speedup over the serial loop, and processors that wait\n",
             how.workers, how.body_us);
  fmt::print("{:>8} {:>10} {:>8}", "pause", "positions", "serial");
  std::vector<candidate> chosen;
  for (const candidate& one : all_libraries()) {
    const bool is_asked =
        how.libraries.empty() || std::ranges::find(how.libraries, one.name) != how.libraries.end();
    if (!is_asked) continue;
    chosen.push_back(one);
    fmt::print(" {:>14}", one.name);
  }
  fmt::print("\n");
  for (const int pause : how.pauses) {
    for (const int count : how.counts) {
      bool is_first = true;
      for (const candidate& one : chosen) {
        const result seen = measured(how, one, body, count, pause);
        if (is_first) fmt::print("{:>5} us {:>10} {:>5.0f} us", pause, count, seen.serial * 1e6);
        is_first = false;
        fmt::print(" {:>7.2f} {:>6.3f}", seen.serial / seen.region, seen.waiting);
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
}
