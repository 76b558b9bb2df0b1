// A call of the user's code that waits until another thread has it go on.
#ifndef NOPAL_COMPAT_TBB_DETAIL_SUSPENSION_H
#define NOPAL_COMPAT_TBB_DETAIL_SUSPENSION_H

#include "arena_state.h"
#include "config.h"
#include "current.h"

#ifdef NOPAL_ELIDE
#include <condition_variable>
#include <mutex>
#else
#include <chrono>

#include <nopal/waiting.hpp>

#include "lock.h"
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifndef NOPAL_ELIDE
/// While it lives, another thread may have the place that the calling one has in an arena: its seat, or that of the thread that comes
/// where all are reserved, and its index where it is that of the code that the caller is a part of. Elsewhere code that waits below has
/// the index. Seats that the thread has in arenas around that one it keeps.
class lent_place {
public:
  explicit lent_place(const presence* now) noexcept
      : arena_(now == nullptr || now->where == nullptr ? nullptr : now->where->arena) {
    if (arena_ == nullptr) {
      return;
    }
    const void* const self = this_thread_key();
    for (const presence* call = now; call != nullptr; call = call->outer) {
      if (call->thread == self && call->slot >= 0 && call->where->arena == arena_) {
        arena_->leave_slot(call->slot);
        call->slot = -1;
      }
    }
    const int held = arena_->held_slot(self);
    if (held >= 0) {
      arena_->may_share(held);
    }
    was_extra_ = arena_->is_extra(self);
    if (was_extra_) {
      arena_->leave_extra();
    }
    lent_ = nopal_arena_lend(arena_->seats());
  }
  lent_place(const lent_place&) = delete;
  lent_place& operator=(const lent_place&) = delete;
  ~lent_place() {
    if (arena_ != nullptr) {
      nopal_arena_take_back(arena_->seats(), lent_);
    }
    if (was_extra_) {
      // As long as for a seat. Whoever leaves it tells nobody.
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      for (backoff pause; !arena_->try_enter_extra() && std::chrono::steady_clock::now() < until;) {
        pause.wait();
      }
    }
  }

private:
  arena_state* const arena_;
  bool was_extra_ = false;
  int lent_ = 0;
};
#endif

/// In the frame of the function that waits, which ends as soon as `end` lets it.
class suspension {
public:
  suspension() = default;
  suspension(const suspension&) = delete;
  suspension& operator=(const suspension&) = delete;

#ifdef NOPAL_ELIDE
  void end() noexcept {
    const std::lock_guard guard(mutex_);
    is_over_ = true;
    // Under the lock: the one that waits may destroy this as soon as it has that.
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [this] { return is_over_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
#else
  void end() noexcept { over_.set(); }
  /// In a call that stays on its thread: so a strand, too, is on the same thread afterwards, and the outermost code
  /// of a thread has a place to give.
  void wait() {
    if (!over_.is_set()) {
      const lent_place lent(current_presence());
      const body_call inside(current(), innermost_part(), -1);
      over_.wait();
    }
  }

private:
  nopal::event over_;
#endif
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
