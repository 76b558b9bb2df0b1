// Runs fib and nqueens on mapped stacks and on separate ones, by one runtime, and prints what both cost.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "mapped_stacks/programs.hpp"
#include "mapped_stacks/runtime.hpp"

namespace {

struct choice {
  const char* name;
  long (*serial)(int);
  long (*parallel)(int);
  int size;
  int most;
};

// Of the chain the value is 0 for every depth, as long as what it checks holds. Each of its functions may take two pages
// of the region of stacks.
constexpr std::array<choice, 3> choices{{
    {"fib", mapped::fib_serially, [](int n) { return mapped::fib(n); }, 35, 90},
    {"nqueens", mapped::nqueens_serially, mapped::nqueens, 11, 20},
    {"chain", [](int depth) { return static_cast<long>(depth); }, mapped::chain, 40, 120},
}};
static_assert(choices[2].most * 2 < mapped::region_pages);

constexpr const char* usage = "usage: mapped_stacks fib|nqueens|chain [SIZE] [--workers N] [--repeats N] "
                              "[--stacks mapped|separate|both] "
                              "[--populate] [--eager]\n";

[[noreturn]] void refuse(const char* what, const char* accepted) {
  std::fprintf(stderr, "nopal: mapped stacks: %s: not understood; accepted: %s\n", what, accepted);
  std::exit(2);
}

int number(const char* name, const char* text, int most) {
  char* end = nullptr;
  const long value = text == nullptr ? 0 : std::strtol(text, &end, 10);
  if (value < 1 || value > most || *end != '\0') {
    std::fprintf(stderr,
                 "nopal: mapped stacks: %s %s: not understood; accepted: a whole number from 1 to %d\n", name,
                 text == nullptr ? "without a number" : text, most);
    std::exit(2);
  }
  return static_cast<int>(value);
}

double serial_ms(const choice& of, int size, long& value) {
  std::timespec begin{};
  std::timespec end{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  value = of.serial(size);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return 1e3 * static_cast<double>(end.tv_sec - begin.tv_sec) +
         1e-6 * static_cast<double>(end.tv_nsec - begin.tv_nsec);
}

void print(const char* name, const mapped::outcome& all, int repeats) {
  std::array<double, mapped::most_repeats> times = all.milliseconds;
  std::sort(times.begin(), times.begin() + repeats);
  const auto each = [&](std::uint64_t total) { return static_cast<double>(total) / repeats; };
  std::printf("%-9s %9.2f %9.2f %9.1f %9.1f %9.1f %9.1f %9.1f %9.2f %7d %7ld\n", name, times[0],
              times[static_cast<std::size_t>(repeats / 2)], each(all.total.steals),
              each(all.total.suspended_joins), each(all.total.mmap_calls), each(all.total.pages_mapped),
              each(all.total.page_faults), all.steal_us, all.most_stacks_used, all.resident_pages);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* programs = "fib, nqueens, chain, --help";
  if (argc < 2) refuse("no program", programs);
  if (std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  const auto* chosen = std::find_if(choices.begin(), choices.end(),
                                    [&](const choice& one) { return std::strcmp(one.name, argv[1]) == 0; });
  if (chosen == choices.end()) refuse(argv[1], programs);
  int size = chosen->size;
  int repeats = 5;
  mapped::options with;
  bool mapped = true;
  bool separate = true;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--workers")
      with.workers = number("--workers", argv[++i], mapped::most_workers);
    else if (word == "--repeats")
      repeats = number("--repeats", argv[++i], mapped::most_repeats);
    else if (word == "--populate")
      with.populate = true;
    else if (word == "--eager")
      with.eager = true;
    else if (word == "--stacks" && i + 1 < argc) {
      const std::string_view kind = argv[++i];
      mapped = kind == "mapped" || kind == "both";
      separate = kind == "separate" || kind == "both";
      if (!mapped && !separate) refuse(argv[i], "mapped, separate, both");
    } else if (word.substr(0, 1) == "-")
      refuse(argv[i], "--workers N, --repeats N, --stacks mapped|separate|both, --populate, --eager");
    else
      size = number(chosen->name, argv[i], chosen->most);
  }

  long expected = 0;
  const double serial = serial_ms(*chosen, size, expected);
  std::printf("%s(%d), %d workers, %d repeats; serially %.2f ms\n", chosen->name, size, with.workers, repeats,
              serial);
  std::printf("%-9s %9s %9s %9s %9s %9s %9s %9s %9s %7s %7s\n", "stacks", "least ms", "median ms", "steals",
              "waits", "mmaps", "pages", "faults", "steal us", "stacks", "memory");
  bool right = true;
  const auto measure = [&](const char* name, mapped::kind kind) {
    with.stacks = kind;
    // So that no process has the line in its buffer.
    std::fflush(stdout);
    const mapped::outcome all = mapped::run(with, chosen->parallel, size, repeats);
    print(name, all, repeats);
    right = right && all.value == expected;
    if (all.value != expected)
      std::fprintf(stderr, "nopal: mapped stacks: %s: %ld instead of %ld\n", name, all.value, expected);
  };
  if (mapped) measure("mapped", mapped::kind::mapped);
  if (separate) measure("separate", mapped::kind::separate);
  return right ? 0 : 1;
}
