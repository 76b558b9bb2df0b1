// A worker that has something to do for as long as it is told, so that it is hungry when a measurement wants it to be.
#ifndef NOPAL_BENCH_MEASURE_BUSY_WORKER_HPP
#define NOPAL_BENCH_MEASURE_BUSY_WORKER_HPP

#include <atomic>
#include <cstdint>

#include <nopal/nopal.hpp>

#include "measure/samples.hpp"

namespace measure {

/// What the two workers tell each other. Not over-aligned: a function that has such locals is one whose frame a walk cannot
/// leave once the function goes on elsewhere.
class busy_worker {
public:
  /// The busy one: until it is released, and then notes the time.
  void be_busy() {
    while (!released_.load(std::memory_order_acquire)) {
    }
    hungry_since_ns_.store(now_ns(), std::memory_order_release);
  }
  void release() { released_.store(true, std::memory_order_release); }
  /// 0 until it noticed.
  [[nodiscard]] std::int64_t hungry_since_ns() const {
    return hungry_since_ns_.load(std::memory_order_acquire);
  }

private:
  std::atomic<bool> released_{false};
  std::atomic<std::int64_t> hungry_since_ns_{0};
};

/// Calls `f(other)` in the continuation of a fork, which the one worker of two steals. So it runs on a stack of the pool, with
/// nothing of its own in the deque. The other one has the child, and is hungry once `f` releases it.
template <class F>
[[gnu::noinline]] void beside_busy_worker(F& f) {
  busy_worker other;
  nopal::scope s;
  s.fork([](busy_worker* itself) { itself->be_busy(); }, &other);
  f(other);
  other.release();
  s.join();
}

/// A first fork, after which this worker's forks may be latent: at rest somebody seems to ask.
inline void settle() {
  nopal::scope s;
  s.fork([] {});
  s.join();
}

inline void spin_until(std::int64_t moment_ns) {
  while (now_ns() < moment_ns) {
  }
}

}  // namespace measure

#endif
