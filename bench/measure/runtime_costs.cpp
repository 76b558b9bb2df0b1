// The runtime's part of the scheduler's costs, by programs that fork and take the time.
#include <atomic>
#include <thread>
#include <vector>

#include <nopal/nopal.hpp>

#include "measure/costs.hpp"
#include "measure/fork_tree.hpp"
#include "measure/samples.hpp"
#include "measure/stolen_loop.hpp"

namespace measure {
namespace {

void start_runtime(int workers) {
  nopal::shutdown();
  nopal::configure({.workers = workers});
  nopal::scope s;
  s.fork([] {});
  s.join();
}

double clock_ns() {
  constexpr int reads = 1000;
  const std::int64_t start = now_ns();
  std::int64_t last = start;
  for (int i = 0; i < reads; ++i) last = now_ns();
  return static_cast<double>(last - start) / reads;
}

/// The fastest of many runs: nothing makes a run faster than it is.
double least_ns(long (*function)(int), int depth) {
  constexpr int rounds = 40;
  samples durations;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = now_ns();
    volatile long leaves = function(depth);
    static_cast<void>(leaves);
    durations.add(now_ns() - start);
  }
  return durations.least();
}

void measure_fork(simulate::costs& into) {
  constexpr int depth = 15;
  constexpr double forks = (1 << depth) - 1;
  start_runtime(1);
  const double extra = least_ns(parallel::count_leaves, depth) - least_ns(elided::count_leaves, depth);
  into.fork = std::max(0.0, extra / forks);
}

/// Repeats a measurement that needs both workers at work until it has enough samples: on a busy machine they seldom are.
template <class Measure, class Count>
void repeat_until_enough(Measure measure, Count count) {
  constexpr std::size_t enough = 1000;
  constexpr std::int64_t at_most_ns = 4'000'000'000;
  const std::int64_t deadline = now_ns() + at_most_ns;
  do {
    measure();
  } while (count() < enough && now_ns() < deadline);
}

void spin_until(std::int64_t moment) {
  while (now_ns() < moment) {
  }
}

/// One fork whose continuation is stolen while the child waits for it.
struct handed_over {
  std::atomic<std::int64_t> continued{0};
  std::int64_t child_started = 0;
  std::int64_t child_ended = 0;
  std::int64_t joined = 0;
  int child_worker = -1;
  int continuing_worker = -1;
};

void wait_for_thief(handed_over& times) {
  constexpr std::int64_t patience_ns = 200'000;
  constexpr std::int64_t until_suspended_ns = 3'000;
  times.child_worker = nopal::worker_index();
  times.child_started = now_ns();
  while (times.continued.load(std::memory_order_acquire) == 0 &&
         now_ns() - times.child_started < patience_ns) {
  }
  spin_until(now_ns() + until_suspended_ns);
  times.child_ended = now_ns();
}

[[gnu::noinline]] void hand_over(handed_over& times) {
  nopal::scope s;
  s.fork(wait_for_thief, std::ref(times));
  times.continuing_worker = nopal::worker_index();
  times.continued.store(now_ns(), std::memory_order_release);
  s.join();
  times.joined = now_ns();
}

/// A steal by a thief that waits for it, and the end of a child that completes a join up to where the strand goes on.
struct hand_over_costs {
  samples steal;
  samples completion;
};
void measure_hand_overs(hand_over_costs& costs) {
  constexpr int rounds = 100;
  constexpr std::int64_t too_long_ns = 20'000;  // the thief was not looking, or not running
  for (int i = 0; i < rounds; ++i) {
    handed_over times;
    hand_over(times);
    const std::int64_t continued = times.continued.load(std::memory_order_relaxed);
    if (times.child_worker == times.continuing_worker || continued - times.child_started > too_long_ns) {
      continue;
    }
    costs.steal.add(continued - times.child_started);
    costs.completion.add(times.joined - times.child_ended);
  }
}

/// A fork that publishes, and a worker's way from the end of a stolen-from child to a continuation that waits for it.
struct loop_costs {
  samples publish;
  samples turnaround;
};
void measure_loop(loop_costs& costs) {
  constexpr std::size_t length = 300;
  constexpr std::int64_t surely_public_ns = 500;
  constexpr std::int64_t too_long_ns = 20'000;
  const std::vector<iteration> iterations = run_stolen_loop(length);
  for (std::size_t i = 1; i < length; ++i) {
    const iteration& previous = iterations[i - 1];
    const iteration& current = iterations[i];
    if (previous.continuing_worker == previous.leaf_worker) continue;
    // The thief of the last continuation forked at once, with its limit poisoned.
    costs.publish.add(current.leaf_started - current.before_fork);
    // The worker of the last leaf comes for this continuation.
    const std::int64_t way = current.continued - previous.leaf_ended;
    if (current.continuing_worker == previous.leaf_worker && way < too_long_ns &&
        current.leaf_started + surely_public_ns < previous.leaf_ended) {
      costs.turnaround.add(way);
    }
  }
}

}  // namespace

void measure_runtime(simulate::costs& into) {
  measure_fork(into);
  if (std::thread::hardware_concurrency() >= 2) {
    const double clock = clock_ns();
    start_runtime(2);
    hand_over_costs single;
    repeat_until_enough([&] { measure_hand_overs(single); }, [&] { return single.steal.count(); });
    loop_costs steady;
    repeat_until_enough([&] { measure_loop(steady); }, [&] { return steady.turnaround.count(); });
    const auto net = [clock](double ns) { return std::max(0.0, ns - clock); };
    into.publish = std::max(0.0, net(steady.publish.median(into.publish + into.fork + clock)) - into.fork);
    // The way from a child's end to the next continuation cannot be divided by taking the time: what is done on its own
    // side is the smaller part.
    constexpr double own_part = 0.4;
    const double turnaround = net(steady.turnaround.median(into.leave + into.steal + clock));
    into.leave = own_part * turnaround;
    into.steal = turnaround - into.leave;
    into.visible = std::max(0.0, net(single.steal.median(into.visible + into.steal + clock)) - into.steal);
    const double completion = net(single.completion.median(into.leave + into.resume + clock));
    into.resume = std::max(completion / 10, completion - into.leave);
  }
  nopal::shutdown();
}

simulate::costs scheduler_costs() {
  simulate::costs measured;
  measure_system(measured);
  measure_runtime(measured);
  return measured;
}

}  // namespace measure
