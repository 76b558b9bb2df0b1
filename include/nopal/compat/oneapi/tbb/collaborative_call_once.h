// Something that is done once, with the help of those who wait for it.
#ifndef NOPAL_COMPAT_TBB_COLLABORATIVE_CALL_ONCE_H
#define NOPAL_COMPAT_TBB_COLLABORATIVE_CALL_ONCE_H

#include <atomic>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <iterator>
#include <mutex>
#include <thread>

#include "detail/context.h"
#include "detail/lock.h"
#include "detail/task_counts.h"
#include "task_arena.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

class collaborative_once_flag;

template <class F, class... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args);

/// Whether it was done. Destroyed when no call with it is under way.
class collaborative_once_flag {
public:
  constexpr collaborative_once_flag() noexcept = default;
  collaborative_once_flag(const collaborative_once_flag&) = delete;
  collaborative_once_flag& operator=(const collaborative_once_flag&) = delete;

private:
  template <class F, class... Args>
  friend void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args);

  /// The call that is under way, as a task that others wait for. It lasts as long as one of them needs it: whoever
  /// makes the call does not wait for them.
  using running_call = nopal_detail::task_counts;

  static nopal_detail::arena_state* arena() noexcept {
    const nopal_detail::execution* const now = nopal_detail::current();
    return now != nullptr ? now->arena : nullptr;
  }

  template <class F>
  void call(const F& f) {
    auto ours = std::make_shared<running_call>();
    // Acquire pairs with the release in `end`: what `f` did comes before.
    while (!is_done_.load(std::memory_order_acquire)) {
      const std::shared_ptr<running_call> now = begin(ours);
      if (now == ours) {
        run(*ours, f);
        return;
      }
      if (now != nullptr) {
        now->wait(arena());
      }
    }
  }

  /// The call that is under way: `ours` if there is none yet. Null: it is done.
  std::shared_ptr<running_call> begin(const std::shared_ptr<running_call>& ours) {
    const nopal_detail::lock_guard guard(lock_);
    if (is_done_.load(std::memory_order_relaxed)) {
      return nullptr;
    }
    if (running_ == nullptr) {
      ours->announce();  // those who wait do so until `finish_one`
      running_ = ours;
    }
    return running_;
  }
  void end(bool is_done) noexcept {
    std::shared_ptr<running_call> dropped;  // after the lock
    const nopal_detail::lock_guard guard(lock_);
    is_done_.store(is_done, std::memory_order_release);
    running_.swap(dropped);
  }

  template <class F>
  void run(running_call& ours, const F& f) {
    nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
    bool has_failed = false;
    const nopal_detail::execution* const where = nopal_detail::current();
    nopal_stop* const part = nopal_detail::innermost_part();
    auto as_task = [&]() noexcept {
      NOPAL_TBB_TRY {
        const nopal_detail::body_call inside(where, part, -1);
        f();
        return;
      }
      NOPAL_TBB_CATCH {
        nopal_detail::end_if_asked();
        thrown.keep();
      }
      has_failed = true;
    };
    ours.call(as_task);
    end(!has_failed);
    ours.finish_one();
    ours.wait(arena());  // over already, but for what it did to reducers
    thrown.rethrow();    // if there is one
  }

  std::atomic<bool> is_done_{false};
  nopal_detail::tiny_lock lock_;
  std::shared_ptr<running_call> running_;  // under the lock
};

/// Calls `f(args...)` if no call with this flag has returned before. Calls meanwhile wait for that one: their threads
/// run parts of the algorithms and groups in it. Its exception is thrown by the call that made it, and one of the
/// others calls `f` again.
///
/// Once it is done a call costs a load.
template <class F, class... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args) {
  // Acquire: see `call`.
  if (!flag.is_done_.load(std::memory_order_acquire)) {
    flag.call([&] { std::invoke(std::forward<F>(f), std::forward<Args>(args)...); });
  }
}

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
