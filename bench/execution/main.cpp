// Senders on Nopal's workers, beside the pool of the reference implementation with as many threads: bulks of even and of skewed
// bodies, small senders, bulks in bulks.
#include <nopal/execution.hpp>
#include <nopal/nopal.hpp>

#include <exec/async_scope.hpp>
#include <exec/static_thread_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace {

namespace ex = STDEXEC;

constexpr int rounds = 9;
constexpr int positions = 100'000;
constexpr int small_senders = 1'000;
constexpr int outer = 100;
constexpr int inner = 1'000;

/// Work that no compiler can leave out, of some nanoseconds each step.
std::uint64_t steps(std::uint64_t count) {
  std::uint64_t x = count + 1;
  for (std::uint64_t i = 0; i != count; ++i) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
  }
  return x;
}

/// What the bodies add to, now and then.
std::atomic<std::uint64_t> result{0};
void use(std::uint64_t x) {
  if (x == 1) result.fetch_add(x, std::memory_order_relaxed);
}

/// The median time of a call in microseconds, after one that is not counted.
double microseconds(const std::function<void()>& call) {
  call();
  std::array<double, rounds> times{};
  for (double& time : times) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[rounds / 2];
}

struct costs {
  double even;
  double skewed;
  double small;
  double nested;
};

template <class Scheduler, class Wait>
costs measure(const Scheduler& on, const Wait& wait) {
  costs all{};
  all.even = microseconds([&] {
    ex::sync_wait(ex::schedule(on) | ex::bulk(ex::par, positions, [](int) noexcept { use(steps(30)); }));
  });
  // The last of the positions have nearly all of the work.
  all.skewed = microseconds([&] {
    ex::sync_wait(ex::schedule(on) | ex::bulk(ex::par, positions, [](int i) noexcept {
                    use(steps(i > positions - positions / 32 ? 1000 : 1));
                  }));
  });
  all.small = microseconds([&] {
    exec::async_scope scope;
    for (int i = 0; i != small_senders; ++i) {
      scope.spawn(ex::schedule(on) | ex::then([]() noexcept { use(steps(100)); }));
    }
    ex::sync_wait(scope.on_empty());
  });
  all.nested = microseconds([&] { wait(on); });
  return all;
}

/// Each of the outer bulk's bodies is a sender with a bulk of its own: the pool has no wait within a body.
template <class Scheduler>
void nested(const Scheduler& on) {
  exec::async_scope scope;
  for (int i = 0; i != outer; ++i) {
    scope.spawn(ex::schedule(on) | ex::bulk(ex::par, inner, [](int) noexcept { use(steps(30)); }));
  }
  ex::sync_wait(scope.on_empty());
}

void print(const char* what, double ours, double theirs) {
  std::printf("| %-40s | %10.0f | %10.0f |\n", what, ours, theirs);
}

}  // namespace

int main() {
  const auto threads = static_cast<std::uint32_t>(nopal::workers());
  exec::static_thread_pool pool(threads);
  const costs ours =
      measure(nopal::execution::get_scheduler(), [](const nopal::execution::scheduler& on) { nested(on); });
  const costs theirs = measure(pool.get_scheduler(), [](const auto& on) { nested(on); });
  const double within = microseconds([] {
    const auto on = nopal::execution::get_scheduler();
    ex::sync_wait(ex::schedule(on) | ex::bulk(ex::par, outer, [on](int) {
                    nopal::execution::wait(ex::schedule(on) |
                                           ex::bulk(ex::par, inner, [](int) noexcept { use(steps(30)); }));
                  }));
  });
  std::printf("Microseconds, medians of %d, %u threads\n\n", rounds, threads);
  std::printf("| %-40s | %10s | %10s |\n|---|---|---|\n", "", "Nopal", "stdexec");
  print("bulk, 100,000 even bodies", ours.even, theirs.even);
  print("bulk, 100,000 skewed bodies", ours.skewed, theirs.skewed);
  print("1,000 small senders", ours.small, theirs.small);
  print("100 bulks of 1,000 at once", ours.nested, theirs.nested);
  std::printf("| %-40s | %10.0f | %10s |\n", "bulk of 100 that wait for bulks of 1,000", within, "-");
  return 0;
}
