// Random programs of several threads with regions of their own, which hold mutexes around them, run them once, make statics, futures
// and threads with them, and whose strands wait for other threads; against the same program run serially, thread by thread. A thread
// that blocks itself in another's strand hangs, and the watchdog says so. Settings are those of the forests.
#include <nopal/nopal.hpp>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "roots_world.hpp"
#include "run_settings.hpp"
#include "support/watchdog.hpp"

namespace {

using roots::mix;
using roots::number;
using roots::world;
using stress::serial_scope;

std::atomic<number> leaves{0};

template <class Scope>
inline constexpr bool is_serial = std::is_same_v<Scope, serial_scope>;

/// Where a strand belongs.
struct place {
  world* all;
  std::size_t thread;
  std::size_t phase;
  bool may_wait;  ///< for threads with larger numbers
};

number burn(number seed) {
  number state = seed;
  for (number i = seed % 400; i != 0; --i) state = state * 6364136223846793005U + 1;
  return state;
}

number wait_for_another(const place& at, number seed) {
  roots::phase& here = *at.all->phases[at.phase];
  const std::size_t other = at.thread + 1 + seed % (at.all->threads - at.thread - 1);
  roots::step& step = *here.steps[other];
  switch (mix(seed) % 3) {
  case 0: return step.over.by_future();
  case 1: return step.over.by_condition();
  default: step.held.hold(mix(at.all->seed + other), 1, [&] { return step.under_held += seed; }); return seed;
  }
}

template <class Scope>
number leaf(const place& at, number seed) {
  leaves.fetch_add(1, std::memory_order_relaxed);
  world& all = *at.all;
  const number what = mix(seed);
  switch (what % 8) {
  case 0: all.sums[what / 8 % 8].add(seed); break;
  case 1: {
    roots::phase& here = *all.phases[at.phase];
    const std::size_t which = what / 8 % roots::phase::flags;
    std::call_once(here.small[which], [&] { here.small_value[which] = burn(which); });
    return mix(seed + here.small_value[which]);
  }
  case 2:
    if (!is_serial<Scope>) std::this_thread::sleep_for(std::chrono::microseconds(what / 8 % 60));
    break;
  case 3:
  case 4:
    if (at.may_wait && at.thread + 1 < all.threads) return mix(seed + wait_for_another(at, what / 8));
    break;
  default: break;
  }
  return burn(seed);
}

template <class Scope>
number tree(place at, number seed, int depth) {
  if (depth == 0) return leaf<Scope>(at, seed);
  constexpr std::size_t most_children = 3;
  const std::size_t children = 1 + mix(seed) % most_children;
  number results[most_children] = {};
  Scope scope;
  for (std::size_t i = 0; i != children; ++i)
    scope.fork_into(results[i], tree<Scope>, at, mix(seed + i), depth - 1);
  const number own = tree<Scope>(at, mix(seed + children), depth - 1);
  scope.join();
  number sum = own;
  for (const number one : results) sum = mix(sum + one);
  return sum;
}

/// A region of one thread.
template <class Scope>
number region(const place& at, number seed) {
  return tree<Scope>(at, seed, 2 + static_cast<int>(mix(seed) % 3));
}

/// One whose strands wait for nobody, so that anybody may wait for it.
template <class Scope>
number free_region(place at, number seed) {
  at.may_wait = false;
  return region<Scope>(at, seed);
}

/// A static that a region makes, in each process anew. Its strands leave nothing behind but its value.
number static_region(number seed) {
  nopal::scope scope;
  number left;
  scope.fork_into(left, burn, seed);
  const number right = burn(seed + 1);
  scope.join();
  return mix(left + right);
}
template <std::size_t which>
number made_once() {
  static const number value = static_region(which);
  return value;
}
using maker = number (*)();
template <std::size_t... which>
constexpr std::array<maker, sizeof...(which)> make_makers(std::index_sequence<which...>) {
  return {made_once<which>...};
}
constexpr auto makers = make_makers(std::make_index_sequence<256>());

/// What one thread does in one phase.
template <class Scope>
number act(const place& at, number seed) {
  roots::phase& here = *at.all->phases[at.phase];
  roots::step& own = *here.steps[at.thread];
  const number what = mix(seed);
  switch (what % 8) {
  case 0:
  case 1:
    return own.held.hold(mix(at.all->seed + at.thread), what / 8, [&] { return region<Scope>(at, seed); });
  case 2:
  case 3: {
    // Whoever comes first runs it: it depends on the phase alone.
    const std::size_t which = what / 8 % roots::phase::flags;
    std::call_once(here.large[which], [&] {
      here.large_value[which] = free_region<Scope>(at, mix(at.all->seed + at.phase * 100 + which));
    });
    return mix(here.large_value[which] + region<Scope>(at, seed));
  }
  case 4: {
    const auto elsewhere = [at, seed] { return free_region<Scope>(at, mix(seed + 1)); };
    std::future<number> other =
        std::async(is_serial<Scope> ? std::launch::deferred : std::launch::async, elsewhere);
    const number mine = region<Scope>(at, seed);
    return mix(mine + other.get());
  }
  case 5: {
    const std::size_t which = mix(at.all->seed + at.phase) % makers.size();
    return mix(makers[which]() + region<Scope>(at, seed));
  }
  case 6: return mix(region<Scope>(at, seed) + region<Scope>(at, seed + 1));
  default: return region<Scope>(at, seed);
  }
}

template <class Scope>
void run_phase(world& all, std::size_t thread, std::size_t number_of_phase) {
  const place at{&all, thread, number_of_phase, true};
  const number result = act<Scope>(at, mix(all.seed + thread * 1000 + number_of_phase));
  all.results[thread] = mix(all.results[thread] + result);
  all.phases[number_of_phase]->steps[thread]->over.happen(result);
}

number run_serially(world& all) {
  for (std::size_t phase = 0; phase != all.phases.size(); ++phase) {
    for (std::size_t thread = all.threads; thread-- != 0;) run_phase<serial_scope>(all, thread, phase);
  }
  return all.outcome();
}

/// `main_thread` is the number of the calling thread. In step, or each at its own speed.
number run_in_parallel(world& all, std::size_t main_thread, bool in_step) {
  std::barrier<> together(static_cast<std::ptrdiff_t>(all.threads));
  const auto live = [&](std::size_t thread) {
    for (std::size_t phase = 0; phase != all.phases.size(); ++phase) {
      if (in_step) together.arrive_and_wait();
      run_phase<nopal::scope>(all, thread, phase);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread != all.threads; ++thread) {
    if (thread != main_thread) threads.emplace_back(live, thread);
  }
  live(main_thread);
  for (std::thread& one : threads) one.join();
  return all.outcome();
}

bool same(number seed) {
  const std::size_t threads = 2 + mix(seed) % 8;
  const std::size_t phases = 1 + mix(seed + 1) % 4;
  world serial(seed, threads, phases);
  world parallel(seed, threads, phases);
  const number expected = run_serially(serial);
  const number got = run_in_parallel(parallel, mix(seed + 2) % threads, mix(seed + 3) % 2 == 0);
  if (got != expected) {
    std::printf("program %llu of %zu threads: %llx instead of %llx\n", static_cast<unsigned long long>(seed),
                threads, static_cast<unsigned long long>(got), static_cast<unsigned long long>(expected));
  }
  return got == expected;
}

}  // namespace

int main() {
  const support::watchdog watchdog(leaves, std::chrono::seconds(20));
  const stress::run_settings settings = stress::read_settings();
  number programs = 0;
  bool good = true;
  for (; good && std::chrono::steady_clock::now() < settings.end; ++programs)
    good = same(mix(settings.seed + programs));
  std::printf("%llu programs\n", static_cast<unsigned long long>(programs));
  return good && stress::quiet_counts_are_exact() ? 0 : 1;
}
