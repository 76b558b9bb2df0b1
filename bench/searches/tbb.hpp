// The same on oneTBB's task groups and their cancellation, which reaches the groups that a cancelled one's tasks made.
#ifndef NOPAL_BENCH_SEARCHES_TBB_HPP
#define NOPAL_BENCH_SEARCHES_TBB_HPP

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

#include <oneapi/tbb/task_group.h>

namespace searches::NOPAL_SEARCHES_VARIANT {

/// A task knows the group that it is in.
struct stop_view {
  [[nodiscard]] bool stopped() const { return oneapi::tbb::is_current_task_group_canceling(); }
};

/// Tasks are run from the last on, so they are handed over in that order: the first, at the join, is the first child.
class group {
public:
  explicit group(stop_view) {}
  group(const group&) = delete;
  group& operator=(const group&) = delete;
  ~group() { join(); }

  template <class F, class... Args>
  void fork(F&& f, Args&&... args) {
    children_[count_++] =
        tasks_.defer([f = std::decay_t<F>(std::forward<F>(f)),
                      ... args = std::decay_t<Args>(std::forward<Args>(args))] { std::invoke(f, args...); });
  }
  void join() {
    while (count_ != 0) tasks_.run(std::move(children_[--count_]));
    tasks_.wait();
  }

protected:
  oneapi::tbb::task_group& tasks() { return tasks_; }

private:
  oneapi::tbb::task_group tasks_;
  std::array<oneapi::tbb::task_handle, 32> children_{};  ///< more than any search has at once
  std::size_t count_ = 0;
};

class stoppable : public group {
public:
  using group::group;

  template <class Inlet, class F, class... Args>
  void fork_inlet(Inlet&& inlet, F&& f, Args&&... args) {
    fork(
        [this, takes = std::decay_t<Inlet>(std::forward<Inlet>(inlet))](const auto& call,
                                                                        const auto&... with) {
          const auto result = std::invoke(call, with...);
          const std::lock_guard guard(lock_);
          takes(result);
        },
        std::forward<F>(f), std::forward<Args>(args)...);
  }
  void request_stop() { tasks().cancel(); }
  /// By its tasks.
  [[nodiscard]] bool stop_requested() const { return view().stopped(); }
  [[nodiscard]] stop_view view() const { return {}; }

private:
  std::mutex lock_;
};

}  // namespace searches::NOPAL_SEARCHES_VARIANT

#endif
