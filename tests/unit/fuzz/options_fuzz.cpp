// The options of the nopal tool: numbers, byte counts and lists of workers. An input's lines are the arguments.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "command_line.hpp"
#include "fuzz.hpp"

namespace {

constexpr tool::whole_number_range repeats_range{1, 1000};
constexpr tool::whole_number_range size_range{0};

struct options {
  std::vector<std::string> programs;
  std::string workers;
  std::int64_t repeats = repeats_range.least;
  std::int64_t size = size_range.least;
  std::int64_t limit = 1;
  bool quick = false;
};

// False: it asked for help. What is wrong comes as a usage_error.
bool read(std::vector<std::string> arguments, options& given) {
  CLI::App app("What it does.", "nopal fuzz");
  app.add_option("PROGRAM", given.programs, "programs");
  app.add_option("--workers", given.workers, "numbers of workers");
  tool::add_whole_number(app, "--repeats", given.repeats, repeats_range, "runs");
  tool::add_whole_number(app, "--size", given.size, size_range, "size");
  tool::add_byte_count(app, "--limit", given.limit, "text");
  app.add_flag("--quick", given.quick, "small inputs");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return tool::parse(app, static_cast<int>(arguments.size()), pointers.data());
}

// Calls `action`, and checks the message if it is a refusal. True if it is none.
template <class Action>
bool accepts(Action action) {
  try {
    action();
    return true;
  } catch (const tool::usage_error& e) {
    FUZZ_CHECK(fuzz::is_one_line(e.what() + std::string("\n")));
    return false;
  }
}

void check_worker_list(const std::string& text) {
  std::vector<int> counts;
  if (!accepts([&] { counts = tool::parse_worker_list(text); })) return;
  FUZZ_CHECK(!counts.empty());
  std::string printed;
  for (const int count : counts) {
    FUZZ_CHECK(count >= 1 && count <= tool::largest_worker_count);
    FUZZ_CHECK(std::count(counts.begin(), counts.end(), count) == 1);
    printed += fmt::format("{}{}", printed.empty() ? "" : ",", count);
  }
  FUZZ_CHECK(tool::parse_worker_list(printed) == counts);
}

void check_ranges(const options& given) {
  FUZZ_CHECK(given.repeats >= repeats_range.least && given.repeats <= repeats_range.most);
  FUZZ_CHECK(given.size >= size_range.least);
  FUZZ_CHECK(given.limit >= 1);
}

// What the options hold is accepted again, and means the same.
void check_round_trip(const options& given) {
  options again;
  FUZZ_CHECK(read({"fuzz", fmt::format("--repeats={}", given.repeats), fmt::format("--size={}", given.size),
                   fmt::format("--limit={}", given.limit)},
                  again));
  FUZZ_CHECK(again.repeats == given.repeats && again.size == given.size && again.limit == given.limit);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr;  // help goes there
  FUZZ_CHECK(quiet);
  std::vector<std::string> arguments{"fuzz"};
  for (const std::string_view line : fuzz::split(fuzz::text_of(data, size), "\n")) {
    arguments.emplace_back(line.substr(0, line.find('\0')));
    std::replace(arguments.back().begin(), arguments.back().end(), '\v', '\n');  // a line cannot hold one
    check_worker_list(arguments.back());
  }
  options given;
  bool complete = false;
  if (!accepts([&] { complete = read(arguments, given); })) return 0;
  check_ranges(given);
  if (complete) check_round_trip(given);
  return 0;
}
