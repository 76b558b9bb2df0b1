// How many are somewhere at once.
#ifndef NOPAL_TESTS_SUPPORT_AT_ONCE_HPP
#define NOPAL_TESTS_SUPPORT_AT_ONCE_HPP

#include <nopal/nopal.hpp>

#include <atomic>
#include <thread>

namespace support {

class at_once {
public:
  /// The most so far.
  [[nodiscard]] int most() const { return most_.load(); }
  [[nodiscard]] int calls() const { return calls_.load(); }

  /// Is there for a moment, in which others may come.
  void stay(int steps = 200) {
    const int now = ++now_;
    int most = most_.load();
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    for (int i = 0; i != steps; ++i) asm volatile("" ::: "memory");
    if (++calls_ % 32 == 0) std::this_thread::yield();
    --now_;
  }

private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
  std::atomic<int> calls_{0};
};

/// 2^depth leaves, with code that counts between forks and joins as well.
inline void tree(at_once& here, int depth) {
  if (depth == 0) {
    here.stay();
    return;
  }
  nopal::scope s;
  s.fork([&here, depth] { tree(here, depth - 1); });
  here.stay(20);
  tree(here, depth - 1);
  s.join();
  here.stay(20);
}

inline void wait_for(const std::atomic<int>& what, int value) {
  while (what < value) std::this_thread::yield();
}

}  // namespace support

#endif
