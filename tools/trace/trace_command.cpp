// `nopal trace`: runs a program, or reads what one left, and writes what its workers did.
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "output_file.hpp"
#include "trace/order.hpp"
#include "trace/page.hpp"
#include "trace/perfetto.hpp"
#include "trace/raw_file.hpp"
#include "trace/run_traced.hpp"
#include "trace/summary.hpp"
#include "trace/timeline.hpp"
#include "trace/trace.hpp"

namespace {

using namespace tool;
using namespace tool::tracing;
namespace limits = nopal::internal::trace;

struct trace_arguments {
  std::string output;
  std::string html;
  std::vector<std::string> read;
  std::int64_t ring_bytes = static_cast<std::int64_t>(limits::default_ring_bytes);
  std::vector<std::string> command;
};

void check(const trace_arguments& given) {
  if (given.command.empty() == given.read.empty()) {
    throw usage_error(given.command.empty()
                          ? "a program is missing; accepted: -- PROGRAM ARGUMENT..., or --read RAW"
                          : "--read and a program exclude each other");
  }
  if (given.ring_bytes < static_cast<std::int64_t>(limits::least_ring_bytes) ||
      given.ring_bytes > static_cast<std::int64_t>(limits::most_ring_bytes)) {
    throw usage_error(fmt::format("--size: {} bytes; accepted: 64K to 1G", given.ring_bytes));
  }
}

bool read_arguments(trace_arguments& given, int argc, char** argv) {
  CLI::App app{
      "Runs a program and writes what its workers did: strands, steals, suspended joins, sleep and wake-ups.",
      "nopal trace"};
  app.add_option("--output", given.output,
                 "write a trace for https://ui.perfetto.dev and other viewers of its format")
      ->type_name("FILE");
  app.add_option("--html", given.html, "write a page for any browser")->type_name("FILE");
  app.add_option("--read", given.read, "in place of a program: what one has left with NOPAL_TRACE=RAW")
      ->type_name("RAW")
      ->expected(1)
      ->take_all();
  add_byte_count(app, "--size", given.ring_bytes,
                 "room for the latest records of each worker, 64K to 1G (4M, some 260,000 records)");
  app.add_option("PROGRAM", given.command, "the program and its arguments, behind --");
  app.footer("Without --output and --html there is a summary alone. The exit code is the program's; 2 for "
             "bad usage, 1 if "
             "there is no trace to write, or if one of several cannot be read.");
  if (!parse(app, argc, argv)) return false;
  check(given);
  return true;
}

void report(const std::vector<timeline>& processes, const trace_arguments& given) {
  for (const timeline& each : processes) {
    fmt::print(stderr, "nopal trace: {}\n", summary_line(each));
    for (const std::string& gap : gaps_of(each)) fmt::print(stderr, "nopal trace: {}\n", gap);
    fmt::print(stderr, "nopal trace: {}\n", advice_for(each));
  }
  if (!given.output.empty())
    fmt::print(stderr, "nopal trace: open {} at https://ui.perfetto.dev\n", given.output);
  if (!given.html.empty()) fmt::print(stderr, "nopal trace: open {} in a browser\n", given.html);
  if (given.output.empty() && given.html.empty()) {
    fmt::print(stderr,
               "nopal trace: to see when, add --html FILE, a page for any browser, or --output FILE\n");
  }
}

/// What of the files can be read, as it began; for the others a line, and `all_read` is false. Throws if nothing can.
std::vector<timeline> timelines_of(const std::vector<std::string>& files, bool& all_read) {
  std::vector<timeline> result;
  result.reserve(files.size());
  std::vector<std::string> refused;
  std::uint64_t next_flow = 1;
  for (const std::string& each : files) {
    try {
      const raw_process read = read_raw(each);
      if (read.parts_cut != 0) {
        fmt::print(stderr,
                   "nopal trace: '{}' is cut: {} of its workers are not whole; the trace is without them\n",
                   each, read.parts_cut);
        all_read = false;
      }
      result.push_back(timeline_of(read, next_flow));
    } catch (const std::runtime_error& error) {
      refused.emplace_back(error.what());
    }
  }
  if (result.empty() && !refused.empty()) throw std::runtime_error(refused.front());
  for (const std::string& each : refused) {
    fmt::print(stderr, "nopal trace: {}; the trace is without it\n", one_line(each));
  }
  all_read = all_read && refused.empty();
  sort_stably(result, [](const timeline& one) { return one.began_ns; });
  return result;
}

}  // namespace

int trace_command(int argc, char** argv) {
  trace_arguments given;
  if (!read_arguments(given, argc, argv)) return exit_success;
  output_file output("--output", given.output);
  output_file html("--html", given.html);
  program_end end{exit_success, 0};
  bool all_read = true;
  std::vector<timeline> processes;
  if (given.command.empty()) {
    processes = timelines_of(given.read, all_read);
  } else {
    const raw_directory directory;
    end = run_traced(given.command, directory.setting(given.ring_bytes));
    const std::string ended =
        end.signal == 0 ? "" : fmt::format("was ended by signal {} ({})", end.signal, strsignal(end.signal));
    processes = timelines_of(directory.files(), all_read);
    if (processes.empty()) {
      throw std::runtime_error(
          fmt::format("'{}' {}left no trace: it forked nothing, or has no Nopal of this version",
                      given.command[0], ended.empty() ? "" : ended + ", and "));
    }
    if (!ended.empty()) fmt::print(stderr, "nopal trace: '{}' {}\n", one_line(given.command[0]), ended);
  }
  if (output.is_wanted()) output.write_all(perfetto_trace(processes));
  if (html.is_wanted()) html.write(page_of(processes));
  report(processes, given);
  return all_read || end.exit_code != exit_success ? end.exit_code : exit_failed_check;
}
