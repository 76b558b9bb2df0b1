// libstdc++'s parallel algorithms beside its serial ones, on Nopal and, where the build found it, on oneTBB. Both are modules of
// this one process and take turns on the same memory: which pages a process is given makes more than either library does. A turn
// has some passes, as programs that repeat an algorithm have, since both libraries keep threads awake in ways of their own.
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
    "  2 threads, 10000000 numbers, 20 passes of each algorithm, in turns of 10; at least 1, 3, 1 and 1\n"
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

/// Prints a line; false where a result differs.
bool compare(const parallel_stl::module& nopal, const parallel_stl::module* onetbb, std::size_t algorithm,
             inputs& in, unsigned count, unsigned turn) {
  passes serial;
  passes ours;
  passes theirs;
  bool same = true;
  std::uint64_t expected = 0;
  for (unsigned pass = 0; pass < std::min(count, 5U); ++pass)
    expected = serial.run(nopal.first[algorithm], in, false);
  const auto run = [&](const parallel_stl::module* module, passes& times) {
    if (module != nullptr) {
      for (unsigned i = 0; i != turn; ++i) same &= times.run(module->first[algorithm], in, true) == expected;
    }
  };
  for (unsigned done = 0; done < count; done += turn) {
    const bool is_even = done / turn % 2 == 0;
    if (is_even) run(&nopal, ours);
    run(onetbb, theirs);
    if (!is_even) run(&nopal, ours);
  }
  std::printf("| %s | %.2f | %.2f, %.2f ", nopal.first[algorithm].name, serial.least(), ours.least(),
              ours.median());
  if (onetbb != nullptr) {
    std::printf("| %.2f, %.2f | %.3f, %.3f ", theirs.least(), theirs.median(), ours.least() / theirs.least(),
                ours.median() / theirs.median());
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
  const parallel_stl::module* const nopal = load(own_folder() + "/parallel_stl_nopal.so");
  const parallel_stl::module* const onetbb = load(own_folder() + "/parallel_stl_tbb.so");
  if (nopal == nullptr) {
    std::fputs("nopal: parallel_stl_nopal.so is not beside this program; the same build makes it\n", stderr);
    return 1;
  }
  nopal->limit_threads(*threads);
  if (onetbb != nullptr) onetbb->limit_threads(*threads);
  inputs in = make(*count);
  std::printf("| %u numbers, %u threads, ms | serial | Nopal |%s\n|---|---:|---:|%s\n", *count, *threads,
              onetbb == nullptr ? "" : " oneTBB | ratios |", onetbb == nullptr ? "" : "---:|---:|");
  bool all_agree = true;
  for (std::size_t i = 0; i != nopal->count; ++i) {
    if (argc > 5 && std::string_view(nopal->first[i].name) != argv[5]) continue;
    all_agree &= compare(*nopal, onetbb, i, in, *repeats, *turn);
  }
  return all_agree ? 0 : 1;
}
