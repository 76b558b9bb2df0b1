// libstdc++'s parallel algorithms beside its serial ones, on whichever library its <execution> finds: the same
// source is compiled with Nopal's headers in oneTBB's place, and with oneTBB's own. Ends with 1 where a result
// differs from the serial one.
//
// usage: [chrt -f 10] parallel_stl_LIBRARY [THREADS [COUNT]]
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;

constexpr int passes = 5;

struct inputs {
  numbers mixed;  // below `bound`
  numbers sorted;
  numbers out;
  numbers changed;  // a copy of `mixed` before each pass
};

constexpr std::uint64_t bound = 1'000'000;

bool is_rare(std::uint64_t x) { return x >= bound; }
bool is_low(std::uint64_t x) { return x < bound / 2; }
std::uint64_t heavy(std::uint64_t x) {
  for (int i = 0; i != 16; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

inputs make(std::size_t count) {
  inputs all;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i != count; ++i) {
    state = heavy(state);
    all.mixed.push_back((state >> 32U) % bound);
  }
  all.sorted = all.mixed;
  std::sort(all.sorted.begin(), all.sorted.end());
  all.out.resize(2 * count);
  return all;
}

/// The least time of some passes, in milliseconds, and what the last one came to.
template <class F>
double least_time(inputs& in, std::uint64_t& result, const F& f) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i != passes; ++i) {
    in.changed = in.mixed;
    const auto begin = std::chrono::steady_clock::now();
    result = f();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count());
  }
  return least;
}

bool all_agree = true;

/// `f(policy...)` by no policy and by `par`; it returns what is to be the same.
template <class F>
void row(const char* name, inputs& in, const F& f) {
  std::uint64_t expected = 0;
  std::uint64_t found = 0;
  const double serial = least_time(in, expected, [&] { return f(); });
  const double parallel = least_time(in, found, [&] { return f(std::execution::par); });
  std::printf("| %s | %.2f | %.2f |%s\n", name, serial, parallel, found == expected ? "" : " differs");
  if (found != expected) all_agree = false;
}

std::uint64_t ends_of(const numbers& values) {
  return values.front() + 3 * values[values.size() / 3] + values.back();
}

void look(inputs& in) {
  const auto b = in.mixed.begin();
  const auto e = in.mixed.end();
  row("find_if, none", in,
      [&](const auto&... p) { return std::uint64_t(std::find_if(p..., b, e, is_rare) - b); });
  row("count_if", in, [&](const auto&... p) { return std::uint64_t(std::count_if(p..., b, e, is_low)); });
  row("min_element", in, [&](const auto&... p) { return std::uint64_t(std::min_element(p..., b, e) - b); });
  row("is_sorted", in, [&](const auto&... p) {
    return std::uint64_t(std::is_sorted(p..., in.sorted.begin(), in.sorted.end()));
  });
  row("equal", in,
      [&](const auto&... p) { return std::uint64_t(std::equal(p..., b, e, in.changed.begin())); });
  row("reduce", in, [&](const auto&... p) { return std::reduce(p..., b, e, std::uint64_t{0}); });
  row("transform_reduce", in, [&](const auto&... p) {
    return std::transform_reduce(p..., b, e, std::uint64_t{0}, std::plus<>(), heavy);
  });
}

void write(inputs& in) {
  const auto b = in.mixed.begin();
  const auto e = in.mixed.end();
  const auto out = in.out.begin();
  row("for_each", in, [&](const auto&... p) {
    std::for_each(p..., in.changed.begin(), in.changed.end(), [](std::uint64_t& x) { x = heavy(x); });
    return ends_of(in.changed);
  });
  row("transform", in, [&](const auto&... p) {
    std::transform(p..., b, e, out, heavy);
    return ends_of(in.out);
  });
  row("copy_if", in,
      [&](const auto&... p) { return std::uint64_t(std::copy_if(p..., b, e, out, is_low) - out); });
  row("inclusive_scan", in, [&](const auto&... p) {
    std::inclusive_scan(p..., b, e, out, std::plus<>(), std::uint64_t{0});
    return ends_of(in.out);
  });
  row("merge", in, [&](const auto&... p) {
    std::merge(p..., in.sorted.begin(), in.sorted.end(), in.sorted.begin(), in.sorted.end(), out);
    return ends_of(in.out);
  });
}

void move(inputs& in) {
  numbers& v = in.changed;
  row("remove_if", in, [&](const auto&... p) {
    return std::uint64_t(std::remove_if(p..., v.begin(), v.end(), is_low) - v.begin());
  });
  row("partition", in, [&](const auto&... p) {
    return std::uint64_t(std::partition(p..., v.begin(), v.end(), is_low) - v.begin());
  });
  row("sort", in, [&](const auto&... p) {
    std::sort(p..., v.begin(), v.end());
    return ends_of(v);
  });
  row("stable_sort", in, [&](const auto&... p) {
    std::stable_sort(p..., v.begin(), v.end());
    return ends_of(v);
  });
  row("nth_element", in, [&](const auto&... p) {
    std::nth_element(p..., v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 3), v.end());
    return v[v.size() / 3];
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2;
  const std::size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000'000;
  if (threads == 0 || count < 3) {
    std::fputs("usage: parallel_stl_LIBRARY [THREADS [COUNT]]\n", stderr);
    return 2;
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  inputs in = make(count);
  std::printf("| %zu elements, %zu threads | serial, ms | par, ms |\n|---|---:|---:|\n", count, threads);
  look(in);
  write(in);
  move(in);
  return all_agree ? 0 : 1;
}
