// A worker that has something to do for as long as it is told, so that it is hungry when a measurement wants it to be.
#ifndef NOPAL_BENCH_MEASURE_BUSY_WORKER_HPP
#define NOPAL_BENCH_MEASURE_BUSY_WORKER_HPP

#include <atomic>
#include <cstdint>

#include <nopal/nopal.hpp>

#include "measure/samples.hpp"

namespace measure {

/// What the two workers tell each other. Needs a runtime of two: the one that is to be busy steals to become so, or is
/// stolen from.
class busy_worker {
public:
  /// The busy one: waits, then notes the time.
  void be_busy() {
    is_busy_.store(true, std::memory_order_release);
    while (!released_.load(std::memory_order_acquire)) {
    }
    hungry_since_ns_.store(now_ns(), std::memory_order_release);
  }
  /// The other one: until it is busy.
  void wait_until_busy() const {
    while (!is_busy_.load(std::memory_order_acquire)) {
    }
  }
  void release() { released_.store(true, std::memory_order_release); }
  /// 0 before it was released and noticed.
  [[nodiscard]] std::int64_t hungry_since_ns() const {
    return hungry_since_ns_.load(std::memory_order_acquire);
  }

private:
  alignas(64) std::atomic<bool> is_busy_{false};
  alignas(64) std::atomic<bool> released_{false};
  alignas(64) std::atomic<std::int64_t> hungry_since_ns_{0};
};

/// Calls `f(other)` in a child of the calling strand, so on its stack. The other worker has the continuation, and is hungry
/// once `f` releases it.
template <class F>
[[gnu::noinline]] void beside_busy_thief(F& f) {
  busy_worker other;
  nopal::scope s;
  s.fork(
      [](F* call, busy_worker* beside) {
        beside->wait_until_busy();
        (*call)(*beside);
        beside->release();
      },
      &f, &other);
  other.be_busy();
  s.join();
}

/// Calls `f()` in the continuation of a fork, so on a stack of the pool. The other worker is busy until `f` returns.
template <class F>
[[gnu::noinline]] void beside_busy_victim(F& f) {
  busy_worker other;
  nopal::scope s;
  s.fork([](busy_worker* itself) { itself->be_busy(); }, &other);
  f();
  other.release();
  s.join();
}

/// A first fork, after which this worker's forks may be latent: at rest somebody seems to ask.
inline void settle() {
  nopal::scope s;
  s.fork([] {});
  s.join();
}

}  // namespace measure

#endif
