// `nopal demo`: sorts the lines and counts the words of real text files, serially and in parallel,
// checks that both agree, and shows what the parallel run took.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nopal/nopal.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "format.hpp"
#include "gather.hpp"
#include "measure/fork_depth.hpp"
#include "measure/fresh_stack.hpp"
#include "text_work.hpp"

namespace {

using demo::line;

constexpr std::uint64_t most_files = 4096;

// Rounds go on while they are cheap, since the least time of several tells more than one.
constexpr int fewest_rounds = 2;
constexpr int most_rounds = 7;
constexpr std::chrono::seconds time_for_rounds{2};

struct demo_arguments {
  std::string path = "/usr/share";
  std::int64_t workers = 0;
  std::int64_t limit_bytes = 64 << 20;
};

bool read_demo_arguments(demo_arguments& given, int argc, char** argv) {
  CLI::App app("Sorts the lines and counts the words of text files, serially and in parallel.", "nopal demo");
  app.add_option("PATH", given.path, "directory or file to take text from (/usr/share)")->type_name("");
  tool::add_whole_number(app, "--workers", given.workers, {1, tool::largest_worker_count},
                         "workers to run on (all available)");
  tool::add_byte_count(app, "--limit", given.limit_bytes, "text to read at most (64MiB)");
  return tool::parse(app, argc, argv);
}

/// One variant of the work and what it makes of the lines.
class job {
public:
  using sort_function = void (*)(std::span<line>, std::span<line>);
  using count_function = demo::word_tally (*)(std::span<const line>);

  job(sort_function sort, count_function count, const std::vector<line>& lines)
      : sort_(sort), count_(count), lines_(lines), scratch_(lines.size()) {}

  /// Does the work anew and keeps the least time that it took.
  void run() {
    sorted_ = lines_;
    const auto start = std::chrono::steady_clock::now();
    sort_(sorted_, scratch_);
    const auto between = std::chrono::steady_clock::now();
    tally_ = count_(lines_);
    const auto end = std::chrono::steady_clock::now();
    sort_seconds_ = least(sort_seconds_, between - start);
    count_seconds_ = least(count_seconds_, end - between);
  }

  [[nodiscard]] const std::vector<line>& sorted() const { return sorted_; }
  [[nodiscard]] const demo::word_tally& tally() const { return tally_; }
  [[nodiscard]] double sort_seconds() const { return sort_seconds_; }
  [[nodiscard]] double count_seconds() const { return count_seconds_; }

private:
  static double least(double so_far, std::chrono::duration<double> measured) {
    return so_far == 0 ? measured.count() : std::min(so_far, measured.count());
  }

  sort_function sort_;
  count_function count_;
  const std::vector<line>& lines_;
  std::vector<line> scratch_;
  std::vector<line> sorted_{};
  demo::word_tally tally_{};
  double sort_seconds_ = 0;
  double count_seconds_ = 0;
};

/// S1 and D of the space bound P (S1 + D).
struct serial_space {
  std::uint64_t stack_pages;
  std::uint64_t fork_depth;
};

demo::gathered_texts gather_or_explain(const demo_arguments& given) {
  demo::gathered_texts found =
      demo::gather(given.path, {static_cast<std::uint64_t>(given.limit_bytes), most_files});
  if (!found.texts.empty()) return found;
  throw tool::usage_error(fmt::format("'{}' holds no text ({} of other content, {} unreadable); "
                                      "a text file or a directory with some is accepted",
                                      given.path, tool::format_count(found.not_text, "file"),
                                      found.unreadable));
}

void print_input(const demo_arguments& given, const demo::gathered_texts& found, std::size_t lines) {
  fmt::print("input      {}: {}, {}, {}\n", given.path, tool::format_count(found.texts.size(), "text file"),
             tool::format_bytes(found.bytes), tool::format_count(lines, "line"));
  if (found.not_text + found.unreadable > 0) {
    fmt::print("skipped    {} not text, {} unreadable\n", tool::format_count(found.not_text, "file"),
               found.unreadable);
  }
  if (found.limit_reached) {
    fmt::print("limited    to {} and {}\n", tool::format_bytes(static_cast<std::uint64_t>(given.limit_bytes)),
               tool::format_count(most_files, "file"));
  }
}

// What is wrong with the parallel answer; empty when nothing.
std::string difference(const job& serial, const job& parallel) {
  if (!std::is_sorted(parallel.sorted().begin(), parallel.sorted().end()))
    return "the parallel sort's lines are unsorted";
  if (serial.sorted() != parallel.sorted()) return "the sorted lines differ";
  if (serial.tally() != parallel.tally()) {
    return fmt::format("the words differ: {} of them, {} distinct serially, {} and {} in parallel",
                       serial.tally().words, serial.tally().distinct_words, parallel.tally().words,
                       parallel.tally().distinct_words);
  }
  return "";
}

void print_times(const job& serial, const job& parallel) {
  tool::text_table table({"", "serial", "parallel", "speedup"});
  const auto add = [&table](const char* what, double serial_s, double parallel_s) {
    table.add_row({what, tool::format_seconds(serial_s), tool::format_seconds(parallel_s),
                   fmt::format("{:.2f}", serial_s / std::max(parallel_s, 1e-9))});
  };
  add("sort lines", serial.sort_seconds(), parallel.sort_seconds());
  add("count words", serial.count_seconds(), parallel.count_seconds());
  add("together", serial.sort_seconds() + serial.count_seconds(),
      parallel.sort_seconds() + parallel.count_seconds());
  fmt::print("\n{}\n", table.str());
}

void print_space(const nopal::statistics& stats, const serial_space& serial) {
  const std::uint64_t bound =
      static_cast<std::uint64_t>(stats.workers) * (serial.stack_pages + serial.fork_depth);
  fmt::print("workers    {}, {}, {}\n", stats.workers, tool::format_count(stats.total.steals, "steal"),
             tool::format_count(stats.total.suspensions, "suspension"));
  fmt::print("stacks     {} in use, {} at most\n", stats.stacks_in_use, stats.stacks_peak);
  fmt::print("pages      {} in use, {} as the sum of each stack's most; P(S1+D) is {}({}+{}) = {}{}\n",
             stats.stack_pages_in_use, stats.stack_pages_peak, stats.workers, serial.stack_pages,
             serial.fork_depth, bound,
             stats.stack_pages_peak <= bound ? "" : ", beside what is kept lazily and was not there at once");
}

// The run that counts forks comes first: it also warms the caches, for both that are timed.
serial_space run_all(const std::vector<line>& lines, job& serial, job& parallel) {
  job counting(demo::depth::sort_lines, demo::depth::count_words, lines);
  counting.run();
  serial_space space{.stack_pages = 0, .fork_depth = static_cast<std::uint64_t>(measure::take_fork_depth())};
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < most_rounds; ++round) {
    if (round >= fewest_rounds && std::chrono::steady_clock::now() - start > time_for_rounds) break;
    space.stack_pages =
        std::max<std::uint64_t>(space.stack_pages, measure::pages_touched_by([&] { serial.run(); }));
    parallel.run();
  }
  return space;
}

}  // namespace

int demo_command(int argc, char** argv) {
  demo_arguments given;
  if (!read_demo_arguments(given, argc, argv)) return tool::exit_success;
  static_cast<void>(tool::available_workers());
  if (given.workers > 0) nopal::configure({.workers = static_cast<int>(given.workers)});

  const demo::gathered_texts found = gather_or_explain(given);
  const std::vector<line> lines = demo::split_lines(found.texts);
  print_input(given, found, lines.size());

  job serial(demo::elided::sort_lines, demo::elided::count_words, lines);
  job parallel(demo::parallel::sort_lines, demo::parallel::count_words, lines);
  const serial_space space = run_all(lines, serial, parallel);
  const std::string wrong = difference(serial, parallel);
  if (!wrong.empty()) throw std::runtime_error(wrong);

  print_times(serial, parallel);
  fmt::print("answers    equal: {} in order, {}, {} distinct\n", tool::format_count(lines.size(), "line"),
             tool::format_count(serial.tally().words, "word"), serial.tally().distinct_words);
  print_space(nopal::stats(), space);
  return tool::exit_success;
}
