#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "doctor/checks.hpp"
#include "format.hpp"
#include "os/os.hpp"

namespace tool::doctor {
namespace {

namespace os = nopal::internal::os;

constexpr double ns_per_second = 1e9;

double median(std::vector<std::uint64_t> times_ns) {
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>(times_ns.size() / 2);
  std::nth_element(times_ns.begin(), middle, times_ns.end());
  return static_cast<double>(*middle);
}

template <class Operation>
std::uint64_t time_ns(Operation operation) {
  const std::uint64_t start_ns = os::monotonic_ns();
  operation();
  return os::monotonic_ns() - start_ns;
}

// The barrier interrupts CPUs that run this process: here one other, which spins.
double barrier_cost_ns() {
  std::atomic<bool> running{false};
  std::atomic<bool> stop{false};
  std::jthread other([&] {
    running = true;
    while (!stop.load(std::memory_order_relaxed)) os::cpu_relax();
  });
  while (!running) os::yield();
  std::vector<std::uint64_t> times_ns(201);
  for (std::uint64_t& sample_ns : times_ns) sample_ns = time_ns([] { os::process_barrier(); });
  stop = true;
  return median(std::move(times_ns));
}

double fence_cost_ns() {
  constexpr int fences = 20000;
  std::atomic<int> word{0};
  const std::uint64_t total_ns = time_ns([&] {
    for (int i = 0; i < fences; ++i) {
      word.store(i, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  });
  return static_cast<double>(total_ns) / fences;
}

struct wake_costs {
  double caller_ns;   // what the waking thread spends
  double running_ns;  // until the sleeper runs
};

wake_costs measure_wakes() {
  constexpr std::uint32_t rounds = 41;
  std::atomic<std::uint32_t> word{0};
  std::atomic<std::uint32_t> awake{0};
  std::atomic<std::uint64_t> awake_at_ns{0};
  std::jthread sleeper([&] {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      while (word.load() == round) os::futex_wait(word, round);
      awake_at_ns = os::monotonic_ns();
      awake = round + 1;
    }
  });
  std::vector<std::uint64_t> caller_ns;
  std::vector<std::uint64_t> running_ns;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // the sleeper is asleep by then
    const std::uint64_t start_ns = os::monotonic_ns();
    word = round;
    os::futex_wake(word, 1);
    caller_ns.push_back(os::monotonic_ns() - start_ns);
    while (awake != round) os::yield();
    running_ns.push_back(awake_at_ns - start_ns);
  }
  return {median(std::move(caller_ns)), median(std::move(running_ns))};
}

finding timed_finding(std::string name, double ns) {
  return {std::move(name),
          format_seconds(ns / ns_per_second),
          nlohmann::ordered_json{{"nanoseconds", ns}},
          verdict::ok,
          {}};
}

finding barrier_finding(bool available, double fence_ns) {
  finding found{"membarrier", available ? "private expedited" : "missing", available, verdict::ok, {}};
  if (!available) {
    judge(
        found, verdict::note,
        fmt::format(
            "every fork and join pays a fence of {:.0f} ns instead; Linux 4.14 has it, and a seccomp filter "
            "may hide it",
            fence_ns));
  }
  return found;
}

}  // namespace

section check_waiting() {
  const bool available = os::process_barrier_register();
  const double fence_ns = fence_cost_ns();
  section waiting{"Threads that meet", {barrier_finding(available, fence_ns)}};
  finding fence = timed_finding("full fence", fence_ns);
  fence.value = fmt::format("{:.1f} ns", fence_ns);
  waiting.findings.push_back(std::move(fence));
  try {
    if (available) {
      waiting.findings.push_back(timed_finding("membarrier, other thread running", barrier_cost_ns()));
      if (os::current_affinity().size() < 2) {
        judge(waiting.findings.back(), verdict::note,
              "with one CPU no other thread can run; this is the call alone");
      }
    }
    const wake_costs wakes = measure_wakes();
    waiting.findings.push_back(timed_finding("futex wake", wakes.caller_ns));
    waiting.findings.push_back(timed_finding("futex wake until it runs", wakes.running_ns));
  } catch (const std::system_error& wrong) {
    finding missing{"costs", "not measured", nullptr, verdict::ok, {}};
    judge(missing, verdict::note, fmt::format("a second thread cannot start: {}", wrong.what()));
    waiting.findings.push_back(std::move(missing));
  }
  return waiting;
}

}  // namespace tool::doctor
