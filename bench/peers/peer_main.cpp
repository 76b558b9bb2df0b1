// The main program of every peer written in C++: `describe` says who it is; `bench-one` takes one run. Defined by the build:
// NOPAL_PEER_PROGRAMS, the list in programs/list.hpp that it has.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "peers/peer.hpp"
#include "programs/list.hpp"
#include "programs/program.hpp"
#include "runner/end_with_parent.hpp"
#include "runner/resources.hpp"
#include "runner/run_record.hpp"

// Declared by programs/program.hpp, in the namespace that their variant names.
namespace compiled = bench::NOPAL_PROGRAM_VARIANT;

namespace {

#define NOPAL_PROGRAM_ADDRESS(name) &compiled::name##_program,
const std::array programs = {NOPAL_PEER_PROGRAMS(NOPAL_PROGRAM_ADDRESS)};

struct run_order {
  std::string program;
  std::string variant = "peer";
  int workers = 1;
  bench::input input;
};

const bench::program& find(std::string_view name) {
  for (const bench::program* program : programs) {
    if (program->name == name) return *program;
  }
  throw CLI::ValidationError(fmt::format("unknown program '{}'", name));
}

bench::run_record run(const run_order& order) {
  const bench::program& program = find(order.program);
  if (!order.input.matrix_file.empty() && program.reads_matrix == bench::matrix_kind::none)
    throw CLI::ValidationError(fmt::format("{} takes no --matrix", program.name));
  const std::unique_ptr<bench::instance> instance = program.prepare(order.input);
  bench::run_record record;
  bench::peer::run_with(order.workers, [&] {
    const bench::resource_watch resources;
    const auto start = std::chrono::steady_clock::now();
    instance->run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    resources.finish(record);
    record.seconds = elapsed.count();
  });
  bench::peer::add_counts(record);
  record.verified = instance->verify();
  return record;
}

void describe() {
  const bench::peer::identity peer = bench::peer::who();
  nlohmann::json names = nlohmann::json::array();
  for (const bench::program* program : programs) names.push_back(program->name);
  const nlohmann::json description = {{"name", peer.name},
                                      {"title", peer.title},
                                      {"version", peer.version},
                                      {"idiom", peer.idiom},
                                      {"compiler", NOPAL_BUILD_COMPILER},
                                      {"is_variant", peer.is_variant},
                                      {"programs", names}};
  fmt::print("{}\n", description.dump());
}

}  // namespace

int main(int argc, char** argv) {
  run_order order;
  int parent = 0;
  CLI::App app("The benchmark programs on another library; `nopal bench --peers` runs this.");
  app.require_subcommand(1);
  app.add_subcommand("describe", "print who this is, as JSON");
  CLI::App* const one = app.add_subcommand("bench-one", "take one run, reported as JSON");
  one->add_option("program", order.program)->required();
  one->add_option("--variant", order.variant);
  one->add_option("--workers", order.workers)->check(CLI::Range(1, 1024));
  one->add_option("--size", order.input.size)->check(CLI::NonNegativeNumber);
  one->add_option("--grain", order.input.grain)->check(CLI::NonNegativeNumber);
  one->add_option("--seed", order.input.seed);
  one->add_option("--matrix", order.input.matrix_file);
  one->add_option("--parent", parent);
  try {
    app.parse(argc, argv);
    bench::end_with_parent(parent);
    if (one->parsed()) {
      fmt::print("{}\n", bench::text_of(run(order)));
    } else {
      describe();
    }
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", argv[0], e.what());
    return 1;
  }
  return 0;
}
