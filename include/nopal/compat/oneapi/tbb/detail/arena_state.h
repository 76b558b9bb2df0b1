// How many threads are in an arena, and their indices there.
//
// Every thread in an arena holds a permit: one that calls `execute` takes it for the call, an algorithm takes one for each fork that it has
// outstanding, and calls what it would fork where none is left. Nobody waits for a permit but who comes from outside. A thread that asks for
// its index takes a slot for as long as its outermost call in the arena lasts: there are no more threads than slots.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ARENA_STATE_H
#define NOPAL_COMPAT_TBB_DETAIL_ARENA_STATE_H

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "config.h"
#include "current.h"
#include "lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Lives as long as somebody refers to it: the arena, groups that were made in it, tasks that were enqueued.
class arena_state {
public:
  explicit arena_state(int limit)
      : limit_(limit), permits_(limit), slots_(std::make_unique<std::atomic<const void*>[]>(
                                            static_cast<std::size_t>(limit) + 1)) {}
  arena_state(const arena_state&) = delete;
  arena_state& operator=(const arena_state&) = delete;

  [[nodiscard]] int limit() const noexcept { return limit_; }
  /// Beside it, an arena of one has a thread for what was enqueued, while there is any.
  [[nodiscard]] int concurrency() const noexcept {
    return limit_ + extra_.load(std::memory_order_relaxed);
  }

  bool try_enter() noexcept {
    // Relaxed look: who finds none goes on without. The exchange orders nothing but the count.
    int left = permits_.load(std::memory_order_relaxed);
    while (left > 0) {
      if (permits_.compare_exchange_weak(left, left - 1, std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }
  /// From outside: until there is room.
  void enter() noexcept {
    while (!try_enter()) {
      waiting_.fetch_add(1, std::memory_order_seq_cst);
      permits_.wait(0, std::memory_order_seq_cst);
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  void leave() noexcept {
    // Sequentially consistent on both words: either this sees who waits, or that sees the permit.
    permits_.fetch_add(1, std::memory_order_seq_cst);
    if (waiting_.load(std::memory_order_seq_cst) != 0) {
      permits_.notify_one();
    }
  }

  /// For what was enqueued in an arena of one.
  bool try_enter_extra() noexcept {
    int none = 0;
    return extra_.compare_exchange_strong(none, 1, std::memory_order_acquire);
  }
  void leave_extra() noexcept { extra_.store(0, std::memory_order_release); }

  /// A slot that is free. One is, for who holds a permit.
  int take_slot(const void* thread) noexcept {
    backoff pause;
    for (;; pause.wait()) {
      for (int slot = 0; slot < concurrency(); ++slot) {
        std::atomic<const void*>& place = slots_[static_cast<std::size_t>(slot)];
        const void* nobody = nullptr;
        // Acquire pairs with leave_slot: what the last thread with this index did comes before.
        if (place.load(std::memory_order_relaxed) == nullptr &&
            place.compare_exchange_strong(nobody, thread, std::memory_order_acquire)) {
          return slot;
        }
      }
    }
  }
  void leave_slot(int slot) noexcept {
    slots_[static_cast<std::size_t>(slot)].store(nullptr, std::memory_order_release);
  }

  void refer() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void forget() noexcept {
    // Release and acquire: everything that was done to it comes before its end.
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

private:
  ~arena_state() = default;

  const int limit_;
  std::atomic<int> references_{1};
  std::atomic<int> permits_;
  std::atomic<int> waiting_{0};
  std::atomic<int> extra_{0};
  std::unique_ptr<std::atomic<const void*>[]> slots_;  ///< who has each index
};

/// Keeps an arena's state; empty for none.
class arena_reference {
public:
  arena_reference() noexcept = default;
  explicit arena_reference(arena_state* state) noexcept : state_(state) {
    if (state_ != nullptr) {
      state_->refer();
    }
  }
  arena_reference(arena_reference&& from) noexcept : state_(std::exchange(from.state_, nullptr)) {}
  arena_reference& operator=(arena_reference&& from) noexcept {
    std::swap(state_, from.state_);
    return *this;
  }
  ~arena_reference() {
    if (state_ != nullptr) {
      state_->forget();
    }
  }
  [[nodiscard]] arena_state* get() const noexcept { return state_; }

  /// Takes a new state over.
  static arena_reference made(arena_state* state) noexcept {
    arena_reference result;
    result.state_ = state;
    return result;
  }

private:
  arena_state* state_ = nullptr;
};

inline void leave_slot(const presence& call) noexcept { call.where->arena->leave_slot(call.slot); }

/// The call's limit; 0: none but the workers.
inline int arena_limit(const execution* where) noexcept {
  return where != nullptr && where->arena != nullptr ? where->arena->limit() : 0;
}

/// How many threads work for code that runs in `where`: never more than the runtime has.
inline int concurrency_of(const execution* where) {
  const int limit = least_limit(global_limit.load(std::memory_order_relaxed), arena_limit(where));
  const int all = runtime_workers();
  return limit != 0 && limit < all ? limit : all;
}

/// Whether algorithms of code that runs in `where` are to run on one thread.
inline bool is_serial(const execution* where) noexcept {
  return global_limit.load(std::memory_order_relaxed) == 1 || arena_limit(where) == 1;
}

/// The permit of a fork. In the frame of the function that forks, until its join.
class fork_permit {
public:
  explicit fork_permit(const execution& where) noexcept
      : arena_(where.arena), granted_(arena_ == nullptr || arena_->try_enter()) {}
  fork_permit(const fork_permit&) = delete;
  fork_permit& operator=(const fork_permit&) = delete;
  ~fork_permit() {
    if (arena_ != nullptr && granted_) {
      arena_->leave();
    }
  }
  explicit operator bool() const noexcept { return granted_; }

private:
  arena_state* const arena_;
  const bool granted_;
};

/// For a loop of forks: whether there may be one more. The child holds what was granted, by a `held_permit`.
inline bool may_fork(const execution& where) noexcept {
  return where.arena == nullptr || where.arena->try_enter();
}
class held_permit {
public:
  explicit held_permit(const execution& where) noexcept : arena_(where.arena) {}
  held_permit(const held_permit&) = delete;
  held_permit& operator=(const held_permit&) = delete;
  ~held_permit() {
    if (arena_ != nullptr) {
      arena_->leave();
    }
  }

private:
  arena_state* const arena_;
};

/// A call into an arena, with a permit; a thread that is in it already has one.
class arena_entry {
public:
  explicit arena_entry(arena_state* arena) : arena_(arena), is_inside_(is_in(*arena)) {
    arena->refer();  // the arena may be ended meanwhile
    if (!is_inside_) {
      arena->enter();
    }
  }
  arena_entry(const arena_entry&) = delete;
  arena_entry& operator=(const arena_entry&) = delete;
  ~arena_entry() {
    if (!is_inside_) {
      arena_->leave();
    }
    arena_->forget();
  }
  [[nodiscard]] arena_state* arena() const noexcept { return arena_; }

private:
  static bool is_in(const arena_state& arena) noexcept {
    const void* const self = this_thread_key();
    for (const presence* call = current_presence(); call != nullptr; call = call->outer) {
      if (call->thread == self && call->where != nullptr && call->where->arena == &arena) {
        return true;
      }
    }
    return false;
  }

  arena_state* const arena_;
  const bool is_inside_;
};

/// The calling thread's index in the arena of its innermost call, which must be in one.
inline int index_in_arena(const presence& now) noexcept {
  const void* const self = this_thread_key();
  arena_state* const arena = now.where->arena;
  const presence* outermost = nullptr;
  for (const presence* call = &now; call != nullptr; call = call->outer) {
    if (call->thread == self && call->where != nullptr && call->where->arena == arena) {
      if (call->slot >= 0) {
        return call->slot;
      }
      outermost = call;
    }
  }
  if (outermost == nullptr) {
    return -1;  // a strand that the user's code forked
  }
  outermost->slot = arena->take_slot(self);
  return outermost->slot;
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
