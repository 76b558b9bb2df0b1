// What it costs to make latent forks stealable: how long a walk takes, how long a thief waits for it, and what its questions
// cost those that have nothing to give. Two workers, since it takes one that asks and one that is asked.
#ifndef NOPAL_TOOLS_BENCH_PROMOTION_HPP
#define NOPAL_TOOLS_BENCH_PROMOTION_HPP

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tool {

struct promotion_options {
  int repeats = 5;
  bool quick = false;
  std::chrono::seconds time_limit{600};  ///< for each run
};

/// A fork that is asked for, below so many latent ones.
struct walk_series {
  int depth = 0;
  std::vector<double> first_us{};  ///< at the first of each process
  std::vector<double> later_us{};  ///< at all the others
  [[nodiscard]] double ns_per_frame() const;
};

/// How thieves come by forks: "signal" and "poll", latent forks with signals and without; or "eager".
using way = std::string;

/// From a thief's wish to the continuations below the other worker's leaf.
struct wish_series {
  tool::way way;
  std::vector<double> first_us{};
  std::vector<double> all_us{};
  int wishes = 0;
  int stolen = 0;  ///< continuations of all wishes that the thief had before the leaf ended
};

/// A loop whose every continuation is stolen.
struct demand_series {
  tool::way way;
  std::vector<double> fork_us{};
  std::vector<double> steal_us{};
};

/// Serial work that has nothing to give, beside a hungry thief; a number for each process.
struct quiet_series {
  bool cut = false;  ///< below code that no walk can pass
  tool::way way;
  std::vector<double> lost_share{};  ///< of its time, by whatever interrupts it
  std::vector<double> signals_per_second{};
};

/// Something that is to hold on every machine.
struct promotion_bar {
  std::string what;
  double measured;
  double at_most;
  [[nodiscard]] bool holds() const { return measured <= at_most; }
};

struct promotion_measurement {
  int repeats = 0;        ///< finished rounds
  bool is_latent = true;  ///< else the forks of this build, or on this system, are eager
  std::vector<walk_series> walks;
  std::vector<wish_series> wishes;
  std::vector<demand_series> demands;
  std::vector<quiet_series> quiets;
  int interrupted_by = 0;  ///< a signal's number; then only finished rounds are here, perhaps none

  /// Of medians; of the least losses, as whatever else the machine does makes them greater.
  [[nodiscard]] std::vector<promotion_bar> bars() const;
};

/// Takes all runs, interleaved, each in a process of its own.
[[nodiscard]] promotion_measurement measure_promotion(const promotion_options& options);

void to_json(nlohmann::json& json, const promotion_measurement& from);

[[nodiscard]] std::string table_report(const promotion_measurement& of);

}  // namespace tool

#endif
