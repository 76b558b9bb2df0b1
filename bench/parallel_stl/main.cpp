// libstdc++'s parallel algorithms beside its serial ones, on Nopal and, where the build found it, on oneTBB. Both are modules of
// this one process and take turns on the same memory: which pages a process is given makes more than either library does. A turn
// has some passes, as programs that repeat an algorithm have, since both libraries keep threads awake in ways of their own.
// Each library is built with its code at several places, and taken by the place that is best for it, in each algorithm.
// Ends with 1 where a result differs from the serial one.
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms.hpp"

namespace {

using parallel_stl::inputs;

constexpr const char* usage =
    "usage: [chrt -f 10] parallel_stl [THREADS [COUNT [PASSES [TURN [ALGORITHM]]]]]\n"
    "  2 threads, 10000000 numbers, 20 passes of each algorithm and place of its code, in turns of 10; at "
    "least 1, 3, 1 and 1\n"
    "  columns: the least time of the serial passes; the least and the median by "
    "par; Nopal's over oneTBB's\n";

inputs make(std::size_t count) {
  inputs all;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i != count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    all.mixed.push_back((state >> 33U) % parallel_stl::bound);
  }
  all.sorted = all.mixed;
  std::sort(all.sorted.begin(), all.sorted.end());
  all.out.resize(2 * count);
  return all;
}

const parallel_stl::module* load(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return nullptr;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = handle == nullptr ? nullptr : dlsym(handle, parallel_stl::entry_name);
  if (found == nullptr) {
    std::fprintf(stderr, "nopal: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<parallel_stl::entry*>(found)();
}

class passes {
public:
  /// Runs it once more and returns what it came to.
  std::uint64_t run(const parallel_stl::algorithm& algorithm, inputs& in, bool parallel) {
    in.changed = in.mixed;
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t result = algorithm.run(in, parallel);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    times_.insert(std::upper_bound(times_.begin(), times_.end(), time.count()), time.count());
    return result;
  }
  double least() const { return times_.front(); }
  double median() const { return times_[times_.size() / 2]; }

private:
  std::vector<double> times_;
};

/// A library: the modules that have its code at one place or another.
using library = std::vector<const parallel_stl::module*>;

/// What a library took, place by place.
class places {
public:
  explicit places(const library& modules) : modules_(modules), times_(modules.size()) {}

  /// Runs `turn` passes at each place; false where a result is not `expected`.
  bool run(std::size_t algorithm, inputs& in, unsigned turn, std::uint64_t expected) {
    bool same = true;
    for (std::size_t place = 0; place != modules_.size(); ++place) {
      for (unsigned i = 0; i != turn; ++i)
        same &= times_[place].run(modules_[place]->first[algorithm], in, true) == expected;
    }
    return same;
  }
  /// The place with the least median.
  const passes& best() const {
    return *std::min_element(times_.begin(), times_.end(),
                             [](const passes& a, const passes& b) { return a.median() < b.median(); });
  }

private:
  const library& modules_;
  std::vector<passes> times_;
};

/// Prints a line; false where a result differs.
bool compare(const library& nopal, const library& onetbb, std::size_t algorithm, inputs& in, unsigned count,
             unsigned turn) {
  const parallel_stl::algorithm& first = nopal.front()->first[algorithm];
  passes serial;
  places ours(nopal);
  places theirs(onetbb);
  bool same = true;
  std::uint64_t expected = 0;
  for (unsigned pass = 0; pass < std::min(count, 5U); ++pass) expected = serial.run(first, in, false);
  if (serial.least() < 10) count *= 10;  // as long in all as the others; what interrupts a pass is much of it
  for (unsigned done = 0; done < count; done += turn) {
    const bool is_even = done / turn % 2 == 0;
    if (is_even) same &= ours.run(algorithm, in, turn, expected);
    same &= theirs.run(algorithm, in, turn, expected);
    if (!is_even) same &= ours.run(algorithm, in, turn, expected);
  }
  const passes& our = ours.best();
  std::printf("| %s | %.2f | %.2f, %.2f ", first.name, serial.least(), our.least(), our.median());
  if (!onetbb.empty()) {
    const passes& their = theirs.best();
    std::printf("| %.2f, %.2f | %.3f, %.3f ", their.least(), their.median(), our.least() / their.least(),
                our.median() / their.median());
  }
  std::printf("|%s\n", same ? "" : " differs");
  std::fflush(stdout);
  return same;
}

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, length < 0 ? 0 : static_cast<std::size_t>(length));
  return std::string(whole.substr(0, whole.rfind('/')));
}

/// The modules of a library that the build made beside this program.
library load_all(const char* name) {
  library all;
  for (const char* const place : {"16", "32", "64"}) {
    const parallel_stl::module* const one =
        load(own_folder() + "/parallel_stl_" + name + "_" + place + ".so");
    if (one != nullptr) all.push_back(one);
  }
  return all;
}

/// The number that `text` is, where it is one of at least `least`.
std::optional<unsigned> number(std::string_view text, unsigned least) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) return std::nullopt;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const auto threads = argc > 1 ? number(argv[1], 1) : 2;
  const auto count = argc > 2 ? number(argv[2], 3) : 10'000'000;
  const auto repeats = argc > 3 ? number(argv[3], 1) : 20;
  const auto turn = argc > 4 ? number(argv[4], 1) : 10;
  if (!threads || !count || !repeats || !turn || argc > 6) {
    std::fputs(usage, stderr);
    return 2;
  }
  const library nopal = load_all("nopal");
  const library onetbb = load_all("tbb");
  if (nopal.empty()) {
    std::fputs("nopal: parallel_stl_nopal_16.so is not beside this program; the same build makes it\n",
               stderr);
    return 1;
  }
  for (const library* each : {&nopal, &onetbb}) {
    for (const parallel_stl::module* module : *each) module->limit_threads(*threads);
  }
  inputs in = make(*count);
  std::printf("| %u numbers, %u threads, ms | serial | Nopal |%s\n|---|---:|---:|%s\n", *count, *threads,
              onetbb.empty() ? "" : " oneTBB | ratios |", onetbb.empty() ? "" : "---:|---:|");
  bool all_agree = true;
  for (std::size_t i = 0; i != nopal.front()->count; ++i) {
    if (argc > 5 && std::string_view(nopal.front()->first[i].name) != argv[5]) continue;
    all_agree &= compare(nopal, onetbb, i, in, *repeats, *turn);
  }
  return all_agree ? 0 : 1;
}
