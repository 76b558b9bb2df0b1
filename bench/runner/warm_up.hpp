// Before a run is timed: every thread awake and on a processor of its own.
//
// Systems start a thread, and wake one that has hardly run, on the processor of whoever asks for it, and take tens of
// milliseconds to notice that another is idle. That is a cost of the system and not of the library that is timed, so it
// comes before the clock, for all alike.
#ifndef NOPAL_BENCH_RUNNER_WARM_UP_HPP
#define NOPAL_BENCH_RUNNER_WARM_UP_HPP

#include <chrono>

namespace bench {

/// `for_each(count, leaf)` calls `leaf()` so many times, on all workers. Called until the leaves take hardly longer than
/// they must, or for a tenth of a second, as with more workers than processors.
template <class ForEach>
void warm_up(int workers, const ForEach& for_each) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds leaf_time{250};
  constexpr int leaves_each = 8;
  const auto leaf = [leaf_time] {
    const auto end = clock::now() + leaf_time;
    while (clock::now() < end) {
    }
  };
  const auto give_up = clock::now() + std::chrono::milliseconds(100);
  for (;;) {
    const auto start = clock::now();
    for_each(leaves_each * workers, leaf);
    const auto end = clock::now();
    if (end > give_up || end - start < leaf_time * leaves_each * 5 / 4) return;
  }
}

/// The same with a library's scope.
template <class Scope>
void warm_up(int workers) {
  warm_up(workers, [](int count, const auto& leaf) {
    Scope s;
    for (int i = 0; i < count; ++i) s.fork(leaf);
    s.join();
  });
}

}  // namespace bench

#endif
