#include "doctor.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "doctor/checks.hpp"
#include "doctor/report.hpp"
#include "exit_codes.hpp"

namespace tool::doctor {
namespace {

std::vector<section> examine() {
  // It takes variables that are not understood out of the way.
  section runtime = check_runtime();
  const int workers = worker_count();
  return {std::move(runtime),    check_cpus(),          check_waiting(),
          check_memory(workers), check_system(workers), check_compilers()};
}

}  // namespace
}  // namespace tool::doctor

int doctor_command(int argc, char** argv) {
  using namespace tool;
  CLI::App app{"Shows what this machine gives the runtime, and what to do where that is little.",
               "nopal doctor"};
  bool json = false;
  app.add_flag("--json", json, "print one JSON object");
  app.footer(
      "Each line: name, value, and a verdict: ok, note (the runtime works) or problem (it cannot start).\n"
      "Exit codes: 0 the runtime can start, 1 it cannot, 2 bad usage.");
  if (!parse(app, argc, argv)) return exit_success;
  const std::vector<doctor::section> sections = doctor::examine();
  fmt::print("{}", json ? doctor::json_report(sections) : doctor::text_report(sections));
  return doctor::count(sections, doctor::verdict::problem) == 0 ? exit_success : exit_failed_check;
}
