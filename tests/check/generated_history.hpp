// What a generated program did, and the oracle that compares all pairs of its accesses.
#ifndef NOPAL_TESTS_CHECK_GENERATED_HISTORY_HPP
#define NOPAL_TESTS_CHECK_GENERATED_HISTORY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "generated_runs.hpp"

#include <nopal/detail/check.h>

constexpr unsigned lock_count = 3;
constexpr unsigned of_atomics = lock_count;  // the lock that atomic operations share

struct held_lock {
  bool is_held = false;
  bool is_shared = false;
  int fork = 0;  ///< over which it is held; zero: none
};
using held_locks = std::array<held_lock, lock_count + 1>;

struct use_of_byte {
  int node;
  bool is_write;
  held_locks held;
};

/// Memory from when it is there until it is not.
struct region {
  unsigned char* begin;
  std::string name;
  std::vector<std::vector<use_of_byte>> uses;  ///< by byte
  std::vector<bool> reported;
  region(void* at, std::size_t bytes, std::string called)
      : begin(static_cast<unsigned char*>(at)), name(std::move(called)), uses(bytes), reported(bytes) {}
};

/// What a program did: the nodes of its graph, and who used each byte.
struct history {
  std::vector<std::vector<int>> before;  ///< by node: those that it directly follows
  std::vector<std::unique_ptr<region>> regions;
  std::map<const unsigned char*, region*> live;  ///< by address
  int forks_with_locks = 0;

  int add(std::vector<int> after) {
    before.push_back(std::move(after));
    return static_cast<int>(before.size()) - 1;
  }
  region* begin_region(void* at, std::size_t bytes, const char* kind) {
    regions.push_back(std::make_unique<region>(at, bytes, kind + std::to_string(regions.size())));
    return live[regions.back()->begin] = regions.back().get();
  }
  void end_region(const region* over) { live.erase(over->begin); }
  region* region_with(const unsigned char* at) {
    auto next = live.upper_bound(at);
    if (next == live.begin()) return nullptr;
    region* const found = std::prev(next)->second;
    return at < found->begin + found->uses.size() ? found : nullptr;
  }
  /// The checker says that these bytes have a race.
  void note_report(const void* at, std::size_t size) {
    const auto* const begin = static_cast<const unsigned char*>(at);
    for (std::size_t i = 0; i < size; ++i) {
      if (region* const found = region_with(begin + i)) {
        found->reported[static_cast<std::size_t>(begin + i - found->begin)] = true;
      }
    }
  }
};

/// Whether each node comes before another: by all of its predecessors, in the order of their numbers.
inline std::vector<std::vector<bool>> all_before(const history& of) {
  std::vector<std::vector<bool>> result(of.before.size(), std::vector<bool>(of.before.size()));
  for (std::size_t i = 0; i < of.before.size(); ++i) {
    for (const int p : of.before[i]) {
      result[i][static_cast<std::size_t>(p)] = true;
      for (std::size_t j = 0; j < i; ++j) {
        if (result[static_cast<std::size_t>(p)][j]) result[i][j] = true;
      }
    }
  }
  return result;
}

inline bool exclude(const held_locks& a, const held_locks& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_held && b[i].is_held && !(a[i].is_shared && b[i].is_shared) &&
        (a[i].fork == 0 || a[i].fork != b[i].fork)) {
      return true;
    }
  }
  return false;
}

inline bool has_race(const std::vector<use_of_byte>& uses, const std::vector<std::vector<bool>>& before) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const use_of_byte& a = uses[j];
      const use_of_byte& b = uses[i];
      if ((a.is_write || b.is_write) && a.node != b.node && !exclude(a.held, b.held) &&
          !before[static_cast<std::size_t>(b.node)][static_cast<std::size_t>(a.node)]) {
        return true;
      }
    }
  }
  return false;
}

/// How many bytes the checker says something else of than the oracle; the first few are printed.
inline int say_what_is_wrong(const history& all, std::uint64_t seed) {
  constexpr int most_said = 20;
  const auto before = all_before(all);
  int wrong = 0;
  for (const auto& each : all.regions) {
    for (std::size_t i = 0; i < each->uses.size(); ++i) {
      const bool expected = has_race(each->uses[i], before);
      if (expected == each->reported[i] || ++wrong > most_said) continue;
      std::printf("seed %llu: byte %zu of %s: %s\n", static_cast<unsigned long long>(seed), i,
                  each->name.c_str(), expected ? "its race is missed" : "it has no race");
    }
  }
  return wrong;
}

/// `run_seeds`, with each report noted; with a third argument in a process that has had a second thread.
template <class Run>
int run_watched(int argc, char** argv, void (*note_report)(const void* at, std::size_t size), Run run_one) {
  nopal_check_watch(note_report);
  if (argc > 3) std::thread([] {}).join();
  return run_seeds(argc, argv, run_one);
}

#endif
