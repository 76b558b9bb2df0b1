// Senders on Nopal's workers, beside the pool of the reference implementation with as many threads: bulks of
// even and of skewed bodies, small senders, many bulks at once, bulks in bulks. What is started by the hundred
// is waited for in two ways: by a sender that names no scheduler, so that Nopal does not know of the wait and
// the thread's place is idle, and by one that ends on the pool.
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
  double small_on_pool;
  double many;
  double many_on_pool;
};

/// Waits for the scope by a sender that names no scheduler, or by one that ends on the pool.
enum class end_of_wait : bool { anywhere, on_pool };
template <class Scheduler>
void wait_for(exec::async_scope& scope, const Scheduler& on, end_of_wait end) {
  if (end == end_of_wait::anywhere) {
    ex::sync_wait(scope.on_empty());
  } else {
    ex::sync_wait(scope.on_empty() | ex::continues_on(on));
  }
}

template <class Scheduler>
double of_small_senders(const Scheduler& on, end_of_wait end) {
  return microseconds([&] {
    exec::async_scope scope;
    for (int i = 0; i != small_senders; ++i) {
      scope.spawn(ex::schedule(on) | ex::then([]() noexcept { use(steps(100)); }));
    }
    wait_for(scope, on, end);
  });
}

template <class Scheduler>
double of_many_bulks(const Scheduler& on, end_of_wait end) {
  return microseconds([&] {
    exec::async_scope scope;
    for (int i = 0; i != outer; ++i) {
      scope.spawn(ex::schedule(on) | ex::bulk(ex::par, inner, [](int) noexcept { use(steps(30)); }));
    }
    wait_for(scope, on, end);
  });
}

template <class Scheduler>
costs measure(const Scheduler& on) {
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
  all.small = of_small_senders(on, end_of_wait::anywhere);
  all.small_on_pool = of_small_senders(on, end_of_wait::on_pool);
  all.many = of_many_bulks(on, end_of_wait::anywhere);
  all.many_on_pool = of_many_bulks(on, end_of_wait::on_pool);
  return all;
}

void print(const char* what, double ours, double theirs) {
  std::printf("| %-40s | %10.0f | %10.0f |\n", what, ours, theirs);
}

}  // namespace

int main() {
  const auto threads = static_cast<std::uint32_t>(nopal::workers());
  exec::static_thread_pool pool(threads);
  const costs ours = measure(nopal::execution::get_scheduler());
  const costs theirs = measure(pool.get_scheduler());
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
  print("the same, the wait ends on the pool", ours.small_on_pool, theirs.small_on_pool);
  print("100 bulks of 1,000 at once", ours.many, theirs.many);
  print("the same, the wait ends on the pool", ours.many_on_pool, theirs.many_on_pool);
  std::printf("| %-40s | %10.0f | %10s |\n", "bulk of 100 that wait for bulks of 1,000", within, "-");
  return 0;
}
