// The same by hand on plain scopes: flags that know the one around them, which every child and every search looks at.
#ifndef NOPAL_BENCH_SEARCHES_POLLED_HPP
#define NOPAL_BENCH_SEARCHES_POLLED_HPP

#include <atomic>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include <nopal/scope.hpp>

namespace searches::NOPAL_SEARCHES_VARIANT {

struct stop_flag {
  std::atomic<bool> is_set = false;
  const stop_flag* around = nullptr;
};

class stop_view {
public:
  stop_view() = default;
  explicit stop_view(const stop_flag& innermost) : innermost_(&innermost) {}
  /// Relaxed: who is stopped finds out sooner or later, and the join orders what was found.
  [[nodiscard]] bool stopped() const {
    for (const stop_flag* flag = innermost_; flag != nullptr; flag = flag->around)
      if (flag->is_set.load(std::memory_order_relaxed)) return true;
    return false;
  }
  [[nodiscard]] const stop_flag* innermost() const { return innermost_; }

private:
  const stop_flag* innermost_ = nullptr;
};

/// Children look by themselves.
class group : public nopal::scope {
public:
  [[gnu::always_inline]] explicit group(stop_view) {}
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  [[gnu::always_inline]] ~group() noexcept(false) {}
};

class stoppable {
public:
  [[gnu::always_inline]] explicit stoppable(stop_view around) { flag_.around = around.innermost(); }
  stoppable(const stoppable&) = delete;
  stoppable& operator=(const stoppable&) = delete;
  [[gnu::always_inline]] ~stoppable() noexcept(false) {}

  template <class F, class... Args>
  [[gnu::always_inline]] void fork(F&& f, Args&&... args) {
    scope_.fork(std::forward<F>(f), std::forward<Args>(args)...);
  }
  template <class Inlet, class F, class... Args>
  [[gnu::always_inline]] void fork_inlet(Inlet&& inlet, F&& f, Args&&... args) {
    scope_.fork(
        [this, takes = std::decay_t<Inlet>(std::forward<Inlet>(inlet))](const auto& call,
                                                                        const auto&... with) {
          if (stop_requested()) return;
          const auto result = std::invoke(call, with...);
          const std::lock_guard guard(lock_);
          takes(result);
        },
        std::forward<F>(f), std::forward<Args>(args)...);
  }
  [[gnu::always_inline]] void join() { scope_.join(); }
  bool request_stop() { return !flag_.is_set.exchange(true, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const { return view().stopped(); }
  [[nodiscard]] stop_view view() const { return stop_view(flag_); }

private:
  stop_flag flag_;
  std::mutex lock_;
  nopal::scope scope_;  // last: its end waits for all that uses the others
};

}  // namespace searches::NOPAL_SEARCHES_VARIANT

#endif
