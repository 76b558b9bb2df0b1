// Walks past many frames, and the time in which a thief has what lies below a leaf.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include <nopal/nopal.hpp>

#include "measure/busy_worker.hpp"
#include "measure/promotion_costs.hpp"
#include "measure/samples.hpp"
#include "programs/serial_work.hpp"

// What thieves do to a deque is done by hand, hence the library's inner names.

namespace measure {
namespace {

std::uint64_t promotions() { return nopal::stats().total.promotions; }

struct walk_clock {
  std::int64_t started = 0;
  std::int64_t ended = 0;
};

/// As a hungry thief would.
void ask_this_worker() {
  __atomic_store_n(&nopal_this_deque()->limit, nopal_poisoned_limit, __ATOMIC_RELAXED);
}

[[gnu::noinline]] void fork_when_asked(walk_clock* clock) {
  nopal::scope s;
  ask_this_worker();
  clock->started = now_ns();
  s.fork([](walk_clock* to) { to->ended = now_ns(); }, clock);
  s.join();
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is what is measured
void descend_to_fork(int frames, walk_clock* clock) {
  if (frames == 0) {
    fork_when_asked(clock);
    return;
  }
  nopal::scope s;
  s.fork(descend_to_fork, frames - 1, clock);
  s.join();
}

/// The continuations of the forks below one leaf.
struct continuations {
  std::atomic<int> count{0};
  std::array<std::int64_t, forks_below_leaf> at_ns{};
  int leaf_worker = -1;
  std::atomic<int> stolen{0};
  busy_worker* thief = nullptr;

  void note_one() {
    if (nopal::worker_index() != leaf_worker) stolen.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t now = now_ns();
    // Release: who sees all of them counted sees the times.
    at_ns[static_cast<std::size_t>(count.fetch_add(1, std::memory_order_acq_rel))] = now;
  }
};

/// Nothing is called here that a walk could not pass, and the clock is hardly ever looked at.
[[gnu::noinline]] void stay_in_leaf(continuations* below) {
  constexpr std::int64_t steps = 1000;
  constexpr int looks_per_clock = 64;
  below->leaf_worker = nopal::worker_index();
  const std::int64_t end = now_ns() + leaf_ns;
  below->thief->release();
  std::uint64_t state = 1;
  do {
    for (int i = 0; i < looks_per_clock; ++i) {
      state = bench::take_steps(state, steps);
      if (below->count.load(std::memory_order_relaxed) == forks_below_leaf) return;
    }
  } while (now_ns() < end);
}

// NOLINTNEXTLINE(misc-no-recursion): it stands for a recursive program
void descend_to_leaf(int forks, continuations* below) {
  if (forks == 0) {
    stay_in_leaf(below);
    return;
  }
  nopal::scope s;
  s.fork(descend_to_leaf, forks - 1, below);
  below->note_one();
  s.join();
}

}  // namespace

walk_times time_walks(int depth, int times) {
  walk_times result;
  result.fewest_promoted = std::numeric_limits<std::uint64_t>::max();
  auto take_all = [&](busy_worker&) {
    settle();
    for (int i = 0; i < times; ++i) {
      const std::uint64_t before = promotions();
      walk_clock clock;
      descend_to_fork(depth, &clock);
      result.ns.push_back(clock.ended - clock.started);
      result.fewest_promoted = std::min(result.fewest_promoted, promotions() - before);
    }
  };
  beside_busy_worker(take_all);
  return result;
}

std::vector<wish> time_wishes(int times, std::int64_t rest_ns) {
  std::vector<wish> result;
  for (int i = 0; i < times; ++i) {
    continuations below;
    std::int64_t hungry_since_ns = 0;
    auto take_one = [&](busy_worker& thief) {
      below.thief = &thief;
      settle();
      spin_until(now_ns() + rest_ns);
      descend_to_leaf(forks_below_leaf, &below);
      hungry_since_ns = thief.hungry_since_ns();
    };
    beside_busy_worker(take_one);
    if (hungry_since_ns == 0) continue;  // the thief had no processor
    const auto [first, last] = std::minmax_element(below.at_ns.begin(), below.at_ns.end());
    result.push_back(
        {*first - hungry_since_ns, *last - hungry_since_ns, below.stolen.load(std::memory_order_relaxed)});
  }
  return result;
}

}  // namespace measure
