// `nopal bench-one`: one run of one variant in a process of its own, since the runtime is configured
// once per process and one run's caches and stacks must not help the next.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nopal/nopal.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "measure/fork_depth.hpp"
#include "measure/fork_steps.hpp"
#include "measure/fresh_stack.hpp"
#include "measure/promotion_run.hpp"
#include "measure/reducer_run.hpp"
#include "measure/stack_watch.hpp"
#include "programs/registry.hpp"
#include "runner/end_with_parent.hpp"
#include "runner/resources.hpp"
#include "runner/run_record.hpp"
#include "runner/runtime_counts.hpp"
#include "runner/warm_up.hpp"

namespace {

struct run_order {
  std::string program;
  std::string variant;
  std::int64_t workers = 1;
  bench::input input;
};

const bench::program& find_variant(const run_order& order) {
  const bench::program_family* const family = bench::find_program(order.program);
  if (family == nullptr) throw tool::usage_error(fmt::format("unknown program '{}'", order.program));
  const bench::program* variant = nullptr;
  if (order.variant == "parallel" || order.variant == "space") variant = family->parallel;
  if (order.variant == "elided") variant = family->elided;
  if (order.variant == "depth") variant = family->depth;
  if (order.variant == "plain") variant = family->plain;
  if (variant == nullptr) throw tool::usage_error(fmt::format("no variant '{}'", order.variant));
  return *variant;
}

double seconds_of_run(bench::instance& instance) {
  const auto start = std::chrono::steady_clock::now();
  instance.run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count();
}

// The runtime's start is no part of the program.
void start_runtime(int workers) {
  nopal::configure({.workers = workers});
  bench::warm_up<nopal::scope>(workers);
}

void run_in_parallel(bench::instance& instance, bench::run_record& record) {
  const nopal::statistics before = nopal::stats();
  record.seconds = seconds_of_run(instance);
  bench::add_runtime_counts(record, before, nopal::stats());
}

// On a stack of its own the root's pages are counted too, and those of main are not.
void measure_space(bench::instance& instance, bench::run_record& record) {
  measure::pages_touched_by([&] {
    measure::begin_stack_watch();
    run_in_parallel(instance, record);
    record.stack_pages_most = measure::end_stack_watch();
  });
}

bench::run_record run(const run_order& order) {
  const bench::program& program = find_variant(order);
  const bool space = order.variant == "space";
  const bool parallel = order.variant == "parallel" || space;
  if (!order.input.matrix_file.empty() && program.reads_matrix == bench::matrix_kind::none)
    throw tool::usage_error(fmt::format("{} takes no --matrix", program.name));
  const std::unique_ptr<bench::instance> instance = program.prepare(order.input);
  if (parallel) start_runtime(static_cast<int>(order.workers));
  bench::run_record record;
  const bench::resource_watch resources;
  if (space) {
    measure_space(*instance, record);
  } else if (parallel) {
    run_in_parallel(*instance, record);
  } else {
    record.serial_stack_pages =
        measure::pages_touched_by([&] { record.seconds = seconds_of_run(*instance); });
    record.fork_depth = measure::take_fork_depth();
  }
  resources.finish(record);
  record.verified = instance->verify();
  return record;
}

}  // namespace

int bench_one_command(int argc, char** argv) {
  run_order order;
  std::int64_t seed = 1;
  std::int64_t parent = 0;
  CLI::App app("One run of one program, reported as JSON", "nopal bench-one");
  app.add_option("program", order.program)->required();
  app.add_option("--variant", order.variant, "parallel, space, elided, depth or plain")->required();
  tool::add_whole_number(app, "--workers", order.workers, {1, tool::largest_worker_count}, "workers");
  tool::add_whole_number(app, "--size", order.input.size, {0}, "size of the input");
  tool::add_whole_number(app, "--grain", order.input.grain, {0}, "serial work at the leaves");
  tool::add_whole_number(app, "--seed", seed, {0}, "start of the random numbers");
  app.add_option("--matrix", order.input.matrix_file, "file of the input, for programs that read matrices");
  tool::add_whole_number(app, "--parent", parent, {0}, "process that ordered the run");
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  order.input.seed = static_cast<std::uint64_t>(seed);
  bench::end_with_parent(parent);
  fmt::print("{}\n", bench::text_of(run(order)));
  return tool::exit_success;
}

// In a process of its own too, for the same reasons.
int bench_steps_command(int argc, char** argv) {
  std::int64_t parent = 0;
  CLI::App app("The steps of an unstolen fork, reported as JSON", "nopal bench-steps");
  tool::add_whole_number(app, "--parent", parent, {0}, "process that ordered the run");
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  bench::end_with_parent(parent);
  // The programs' latent forks would make an eager one take the slow way.
  setenv("NOPAL_FORKS", "eager", 1);
  start_runtime(1);
  nlohmann::json steps = nlohmann::json::array();
  for (const measure::fork_step& step : measure::measure_fork_steps()) {
    steps.push_back({{"name", step.name}, {"seconds", step.seconds_per_fork}});
  }
  fmt::print("{}\n", steps.dump());
  return tool::exit_success;
}

int bench_promotion_command(int argc, char** argv) {
  measure::promotion_run run;
  CLI::App app("One run of what promotions cost, reported as JSON", "nopal bench-promotion");
  measure::add_options(app, run);
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  fmt::print("{}\n", measure::report_of(run));
  return tool::exit_success;
}

int bench_reducers_command(int argc, char** argv) {
  measure::reducer_run run;
  CLI::App app("One run of updates of reducers, reported as JSON", "nopal bench-reducers");
  measure::add_options(app, run);
  if (!tool::parse(app, argc, argv)) return tool::exit_success;
  fmt::print("{}\n", measure::report_of(run));
  return tool::exit_success;
}
