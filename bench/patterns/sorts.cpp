// How long the sorts take beside others: the standard library's, Boost.Sort's and oneTBB's, on one worker and on two.
//
// usage: nopal_bench_sorts [ELEMENTS [ROUNDS [TYPE]]]
//
// In each round all candidates sort a copy of the same input, one after the other, so that what disturbs the machine disturbs all of
// them. The figures are nanoseconds per element: the least of the rounds and, in parentheses, the median.
#include <nopal/runtime.hpp>
#include <nopal/sort.hpp>

#include <boost/sort/flat_stable_sort/flat_stable_sort.hpp>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/sort/spinsort/spinsort.hpp>
#include <boost/sort/spreadsort/string_sort.hpp>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace {

/// A key and what belongs to it; by an order that no sort knows about.
struct record {
  std::uint32_t key;
  std::uint32_t number;
  friend bool operator<(const record& left, const record& right) { return left.key < right.key; }
};

struct prefixed_text : std::string {
  using std::string::string;
};

template <class T>
struct candidate {
  const char* name;
  int workers;  // 0: serial, and any number will do
  std::function<void(std::vector<T>&)> sort;
  std::vector<double> times{};
};

/// Text of 24 random letters: more than lies in the string itself.
std::string random_text(std::uint64_t seed) {
  std::string text(24, ' ');
  for (char& letter : text) {
    letter = static_cast<char>('a' + seed % 26);
    seed = (seed ^ (seed >> 29)) * 6364136223846793005U + 1442695040888963407U;
  }
  return text;
}

template <class T>
T value_of(std::uint64_t number, bool in_order) {
  if constexpr (std::is_same_v<T, record>) {
    return {static_cast<std::uint32_t>(number), 0};
  } else if constexpr (std::is_same_v<T, prefixed_text> || std::is_same_v<T, std::string>) {
    if (std::is_same_v<T, std::string> && !in_order) return T(random_text(number).c_str());
    char text[40];
    std::snprintf(text, sizeof text, "in/common/%016llx", static_cast<unsigned long long>(number));
    return text;
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
std::vector<T> input_of(std::string_view shape, std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (shape == "random") values.push_back(value_of<T>(random(), false));
    if (shape == "16 values") values.push_back(value_of<T>(random() % 16, false));
    if (shape == "in order") values.push_back(value_of<T>(i, true));
    if (shape == "reversed") values.push_back(value_of<T>(count - i, true));
  }
  return values;
}

/// Restarts the runtime with so many workers, and lets them begin.
void restart_with(int workers) {
  nopal::shutdown();
  nopal::configure({.workers = workers});
  std::vector<int> some(100'000);
  for (std::size_t i = 0; i < some.size(); ++i) some[i] = static_cast<int>(i * 7919 % 100'003);
  nopal::parallel_sort(some);
}

template <class T>
void take_round(std::vector<candidate<T>>& candidates, const std::vector<T>& input) {
  for (candidate<T>& one : candidates) {
    std::vector<T> values = input;
    const oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism,
                                              static_cast<std::size_t>(std::max(one.workers, 1)));
    if (one.workers > 0) restart_with(one.workers);
    const auto begin = std::chrono::steady_clock::now();
    one.sort(values);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    if (!std::is_sorted(values.begin(), values.end())) {
      std::fprintf(stderr, "nopal_bench_sorts: %s left its values unsorted\n", one.name);
      std::exit(1);
    }
    one.times.push_back(time.count() / static_cast<double>(std::max<std::size_t>(values.size(), 1)));
  }
}

template <class T>
void compare(const char* type, const char* shape, std::size_t count, int rounds,
             std::vector<candidate<T>> candidates) {
  const std::vector<T> input = input_of<T>(shape, count);
  for (int i = 0; i < rounds; ++i) take_round(candidates, input);
  std::printf("%-9s %-9s %9zu", type, shape, count);
  for (candidate<T>& one : candidates) {
    std::sort(one.times.begin(), one.times.end());
    std::printf("  %s", one.name);
    if (one.workers > 0) std::printf("/%d", one.workers);
    std::printf(" %.2f (%.2f)", one.times.front(), one.times[one.times.size() / 2]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

template <class T>
std::vector<candidate<T>> unstable_candidates() {
  std::vector<candidate<T>> all{
      {"std", 0, [](auto& values) { std::sort(values.begin(), values.end()); }},
      {"pdq", 0, [](auto& values) { boost::sort::pdqsort(values.begin(), values.end()); }},
      {"spin", 0, [](auto& values) { boost::sort::spinsort(values.begin(), values.end()); }}};
  if constexpr (std::is_same_v<T, std::string>) {
    all.push_back({"radix", 0,
                   [](auto& values) { boost::sort::spreadsort::string_sort(values.begin(), values.end()); }});
  }
  for (const int workers : {1, 2}) {
    all.push_back(
        {"tbb", workers, [](auto& values) { oneapi::tbb::parallel_sort(values.begin(), values.end()); }});
    all.push_back(
        {"nopal", workers, [](auto& values) { nopal::parallel_sort(values.begin(), values.end()); }});
  }
  return all;
}

template <class T>
std::vector<candidate<T>> stable_candidates() {
  std::vector<candidate<T>> all{
      {"std stable", 0, [](auto& values) { std::stable_sort(values.begin(), values.end()); }},
      {"spin", 0, [](auto& values) { boost::sort::spinsort(values.begin(), values.end()); }},
      {"flat", 0, [](auto& values) { boost::sort::flat_stable_sort(values.begin(), values.end()); }}};
  for (const int workers : {1, 2}) {
    all.push_back({"nopal stable", workers,
                   [](auto& values) { nopal::parallel_stable_sort(values.begin(), values.end()); }});
  }
  return all;
}

struct request {
  std::size_t count = 1'000'000;
  int rounds = 7;
  std::string_view type{};
};

template <class T>
void compare_type(const char* type, const request& asked, std::size_t count) {
  if (!asked.type.empty() && asked.type != type) return;
  for (const char* const shape : {"random", "in order", "reversed", "16 values"}) {
    compare(type, shape, count, asked.rounds, unstable_candidates<T>());
    compare(type, shape, count, asked.rounds, stable_candidates<T>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  request asked;
  if (argc > 1) asked.count = std::strtoull(argv[1], nullptr, 10);
  if (argc > 2) asked.rounds = std::max(1, std::atoi(argv[2]));
  if (argc > 3) asked.type = argv[3];
  if (asked.count == 0 || argc > 4) {
    std::fprintf(stderr, "usage: nopal_bench_sorts [ELEMENTS [ROUNDS [u64|i32|f64|record|text|prefixed]]]\n");
    return 2;
  }
  compare_type<std::uint64_t>("u64", asked, asked.count);
  compare_type<std::int32_t>("i32", asked, asked.count);
  compare_type<double>("f64", asked, asked.count);
  compare_type<record>("record", asked, asked.count);
  compare_type<std::string>("text", asked, asked.count / 4);
  compare_type<prefixed_text>("prefixed", asked, asked.count / 4);
  return 0;
}
