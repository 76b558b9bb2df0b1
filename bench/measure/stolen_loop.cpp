#include "measure/stolen_loop.hpp"

#include <functional>

#include <nopal/nopal.hpp>

#include "measure/promotion_costs.hpp"
#include "measure/samples.hpp"

namespace measure {
namespace {

void leaf(iteration& of) {
  constexpr std::int64_t lasts_ns = 3'000;
  of.leaf_worker = nopal::worker_index();
  of.leaf_started = now_ns();
  while (now_ns() < of.leaf_started + lasts_ns) {
  }
  of.leaf_ended = now_ns();
}

[[gnu::noinline]] void fork_leaves(std::vector<iteration>& iterations) {
  nopal::scope s;
  for (iteration& each : iterations) {
    each.before_fork = now_ns();
    s.fork(leaf, std::ref(each));
    each.continued = now_ns();
    each.continuing_worker = nopal::worker_index();
  }
  s.join();
}

void add_times(demand_times& to, const std::vector<iteration>& iterations) {
  for (std::size_t i = 1; i < iterations.size(); ++i) {
    const iteration& previous = iterations[i - 1];
    const iteration& current = iterations[i];
    if (previous.continuing_worker == previous.leaf_worker) continue;
    // A thief goes on here, and forks; the worker of the leaf before takes that continuation.
    to.fork_ns.push_back(current.leaf_started - current.before_fork);
    if (current.continuing_worker == previous.leaf_worker && previous.leaf_ended > current.leaf_started)
      to.steal_ns.push_back(current.continued - previous.leaf_ended);
  }
}

}  // namespace

std::vector<iteration> run_stolen_loop(std::size_t length) {
  std::vector<iteration> iterations(length);
  fork_leaves(iterations);
  return iterations;
}

demand_times time_demand(int least_steals) {
  constexpr std::size_t length = 1000;
  constexpr std::int64_t at_most_ns = 2'000'000'000;
  const std::int64_t deadline = now_ns() + at_most_ns;
  demand_times result;
  while (result.steal_ns.size() < static_cast<std::size_t>(least_steals) && now_ns() < deadline)
    add_times(result, run_stolen_loop(length));
  return result;
}

}  // namespace measure
