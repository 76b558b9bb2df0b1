// What it costs to make latent forks stealable. Each function takes a runtime of two workers, which its process has
// configured; `nopal bench --promotion` runs each in processes of its own.
#ifndef NOPAL_BENCH_MEASURE_PROMOTION_COSTS_HPP
#define NOPAL_BENCH_MEASURE_PROMOTION_COSTS_HPP

#include <cstdint>
#include <vector>

namespace measure {

/// A fork that finds somebody asking, below so many latent forks: from before it until its child runs. All forks are promoted
/// meanwhile; nobody steals.
struct walk_times {
  std::vector<std::int64_t> ns;       ///< one after the other; at the first of a process nothing is at hand
  std::uint64_t fewest_promoted = 0;  ///< by one of them
};
[[nodiscard]] walk_times time_walks(int depth, int times);

/// One thief that becomes hungry when the other worker is in a leaf, and 20 forks below that wait to be had.
inline constexpr int forks_below_leaf = 20;
inline constexpr std::int64_t leaf_ns = 100'000'000;
struct wish {
  std::int64_t first_ns;  ///< until the first of them goes on
  std::int64_t all_ns;    ///< until all of them do
  int stolen;             ///< of them, before the leaf ended
};
/// The leaf ends early once all are had. So long before it nobody is hungry, so nobody asks in vain.
[[nodiscard]] std::vector<wish> time_wishes(int times, std::int64_t rest_ns);

/// A loop of leaves of 3 us, from which the other worker takes the continuation at each fork.
struct demand_times {
  std::vector<std::int64_t> fork_ns;  ///< from before a fork until its child runs
  std::vector<std::int64_t>
      steal_ns;  ///< from the end of a child to the continuation that its worker takes next
};
[[nodiscard]] demand_times time_demand(int least_steals);

/// Serial work that has nothing to give, in one strand, with a hungry thief.
enum class quiet_stack {
  readable,  ///< a walk finds that there is nothing
  cut        ///< below code without unwind tables: a walk cannot tell
};
struct quiet_time {
  double seconds;       ///< of work that nothing long disturbed
  double lost_seconds;  ///< by which its pieces took longer than most of them
  std::uint64_t signals;
};
[[nodiscard]] quiet_time time_quiet_work(quiet_stack kind, double seconds);

}  // namespace measure

#endif
