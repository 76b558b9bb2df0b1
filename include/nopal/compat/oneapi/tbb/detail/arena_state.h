// How many threads are in an arena, and their indices there.
//
// The library counts: each thread in an arena has a seat there (docs/arenas.md), whatever is forked.
// A thread of the program waits for one at `execute`, and keeps it until that is over. A thread that
// asks for its index takes a slot for as long as its outermost call in the arena lasts. There are no
// more threads than slots.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ARENA_STATE_H
#define NOPAL_COMPAT_TBB_DETAIL_ARENA_STATE_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "config.h"
#include "current.h"
#include "exception.h"
#include "lock.h"

#include <nopal/nodes.hpp>
#include <nopal/runtime.hpp>

#ifndef NOPAL_ELIDE
#include <pthread.h>

#include <nopal/detail/observer.h>
#include <nopal/detail/task.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// Lives as long as somebody refers to it: the arena, tasks that were started in it, those that are
/// in it.
class arena_state {
public:
  /// `reserved` of the limit are for threads of the program alone. Workers look at arenas of lower
  /// ranks first. `node` is one of nopal::memory_nodes(), or negative.
  arena_state(int most, int reserved, int importance, int node) : most_(most) {
    if (node >= 0 && nopal::cpus_of_node(node) == 0) {
      throw_exception(nopal::error(nopal::NOPAL_MODE_NAMESPACE::detail::text_of_no_node(node)));
    }
    slots_ = std::make_unique<std::atomic<const void*>[]>(static_cast<std::size_t>(most) + 1);
#ifdef NOPAL_ELIDE
    static_cast<void>(reserved);
    static_cast<void>(importance);
#else
    seats_ = nopal_arena_make();
    if (seats_ == nullptr) {
      throw_exception(std::bad_alloc());
    }
    seats_->limit = static_cast<std::uint32_t>(most);
    seats_->worker_limit = static_cast<std::uint32_t>(reserved < most ? most - reserved : 0);
    seats_->rank = static_cast<std::uint32_t>(importance);
    seats_->keeps = 1;  // what a thread has in its slot stays there while the thread waits
    seats_->owner = this;
    seats_->destroy = [](nopal_arena* seats) {
      all_states::leave(static_cast<arena_state*>(seats->owner));
      delete static_cast<arena_state*>(seats->owner);
      nopal_arena_give_back(seats);
    };
    if (node >= 0) {
      nopal_arena_bind(seats_, node);
    }
    all_states::enter(this);
#endif
  }
  arena_state(const arena_state&) = delete;
  arena_state& operator=(const arena_state&) = delete;

  [[nodiscard]] int most() const noexcept { return most_; }
  /// The limit; and one more where no worker may come, while there is a thread for what was
  /// enqueued.
  [[nodiscard]] int concurrency() const noexcept { return most_ + extra_.load(std::memory_order_relaxed); }

#ifdef NOPAL_ELIDE
  [[nodiscard]] static unsigned rank() noexcept { return 0; }
  [[nodiscard]] static bool admits_workers() noexcept { return false; }
  [[nodiscard]] static bool refuses_servers() noexcept { return false; }
  static bool try_enter_worker() noexcept { return true; }
  static void leave_worker() noexcept {}
  // Relaxed: who refers has a reference already. The last release comes after all others, and acquires them.
  void refer() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void forget() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }
#else
  [[nodiscard]] nopal_arena* seats() const noexcept { return seats_; }
  /// As `importance` in the constructor.
  [[nodiscard]] unsigned rank() const noexcept { return seats_->rank; }
  [[nodiscard]] bool admits_workers() const noexcept { return seats_->worker_limit != 0; }
  bool try_enter_worker() noexcept { return nopal_arena_try_enter_worker(seats_) != 0; }
  void leave_worker() noexcept { nopal_arena_leave_worker(seats_); }
  /// The same for a thread with what was enqueued, of which there are to be so many here at most.
  bool try_enter_server(int most) noexcept {
    if (servers_.fetch_add(1, std::memory_order_relaxed) < most && try_enter_worker()) {
      return true;
    }
    servers_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  void leave_server() noexcept {
    servers_.fetch_sub(1, std::memory_order_relaxed);
    leave_worker();
  }
  /// Whether there was no room for one when it last asked: a hint for those who wake one. Relaxed, as one looks again and again.
  void refuses_servers(bool refuses) noexcept { refuses_servers_.store(refuses, std::memory_order_relaxed); }
  [[nodiscard]] bool refuses_servers() const noexcept {
    return refuses_servers_.load(std::memory_order_relaxed);
  }
  /// Whether somebody waits for a seat. Relaxed: a thread that stays looks again.
  [[nodiscard]] bool is_waited_for() const noexcept {
    return __atomic_load_n(&seats_->entering, __ATOMIC_RELAXED) != 0;
  }
  /// Such a thread blocks, and does not count meanwhile; or goes on.
  void block_server() noexcept { servers_.fetch_sub(1, std::memory_order_relaxed); }
  void unblock_server() noexcept { servers_.fetch_add(1, std::memory_order_relaxed); }
  void refer() noexcept { nopal_arena_refer(seats_); }
  void forget() noexcept { nopal_arena_forget(seats_); }
#endif

  /// For the calling thread, with what was enqueued where no worker may come. It has the last slot, and
  /// nobody else has: what they have is to be below the limit also when this thread has gone.
  bool try_enter_extra() noexcept {
    int none = 0;
    if (!extra_.compare_exchange_strong(none, 1, std::memory_order_acquire)) {
      return false;
    }
    extra_thread_.store(this_thread_key(), std::memory_order_relaxed);
    return true;
  }
  /// Not where it was lent, and the thread has gone on without.
  [[nodiscard]] bool is_extra(const void* thread) const noexcept {
    return extra_thread_.load(std::memory_order_relaxed) == thread;
  }
  void leave_extra() noexcept {
    extra_thread_.store(nullptr, std::memory_order_relaxed);
    extra_.store(0, std::memory_order_release);
  }

  /// A slot that is free, `wanted` if that is. One is, for who is let in, but where threads of suspended tasks went on beside others:
  /// these may wait for each other, so one that has found none for some time has the index of another, see index_of_shared.
  int take_slot(const void* thread, int wanted) noexcept {
    if (wanted >= first_slot(thread) && wanted < end_of_slots(thread) && try_take(thread, wanted)) {
      return wanted;
    }
    int slot = try_take_any(thread);
    if (slot < 0) {
      const auto until = std::chrono::steady_clock::now() + most_wait_for_slot;
      for (backoff pause; slot < 0 && std::chrono::steady_clock::now() < until; pause.wait()) {
        slot = try_take_any(thread);
      }
    }
    return slot >= 0 ? slot : index_of_shared(shared_.load(std::memory_order_relaxed));
  }
  /// The number for an index that another thread has, too; and back.
  static int index_of_shared(int slot) noexcept { return -2 - slot; }
  /// A thread that has this slot is suspended, so it is the first to be shared. Relaxed: a hint.
  void may_share(int slot) noexcept { shared_.store(slot, std::memory_order_relaxed); }
  /// One that the thread keeps beyond its calls; negative: none is free.
  int keep_slot(const void* thread) noexcept {
    keepers_.fetch_add(1, std::memory_order_relaxed);
    for (int slot = first_slot(thread); slot < end_of_slots(thread); ++slot) {
      if (try_take(key_of_keeper(thread), slot)) {
        return slot;
      }
    }
    keepers_.fetch_sub(1, std::memory_order_relaxed);
    return -1;
  }
  void keep_slot_no_more(int slot) noexcept {
    leave_slot(slot);
    keepers_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// The one that the thread keeps; negative: none.
  [[nodiscard]] int kept_slot(const void* thread) const noexcept {
    // Relaxed, as the slots: what the thread has written itself it sees.
    for (int slot = 0; slot <= most_ && keepers_.load(std::memory_order_relaxed) != 0; ++slot) {
      if (slots_[static_cast<std::size_t>(slot)].load(std::memory_order_relaxed) == key_of_keeper(thread)) {
        return slot;
      }
    }
    return -1;
  }
  /// The one that a call of the thread has; negative: none.
  [[nodiscard]] int held_slot(const void* thread) const noexcept {
    for (int slot = first_slot(thread); slot < end_of_slots(thread); ++slot) {
      if (slots_[static_cast<std::size_t>(slot)].load(std::memory_order_relaxed) == thread) {
        return slot;
      }
    }
    return -1;
  }
  void leave_slot(int slot) noexcept {
    slots_[static_cast<std::size_t>(slot)].store(nullptr, std::memory_order_release);
  }

private:
  ~arena_state() = default;

#ifndef NOPAL_ELIDE
  /// Of the process, for its new ones: in a child of fork(2), what threads of the parent had is free.
  class all_states {
  public:
    static void enter(arena_state* one) {
      static const int refused =
          pthread_atfork([] { pthread_mutex_lock(&mutex); }, [] { pthread_mutex_unlock(&mutex); }, in_child);
      static_cast<void>(refused);
      pthread_mutex_lock(&mutex);
      one->next_ = first;
      if (first != nullptr) {
        first->previous_ = one;
      }
      first = one;
      pthread_mutex_unlock(&mutex);
    }
    static void leave(arena_state* one) noexcept {
      pthread_mutex_lock(&mutex);
      (one->previous_ != nullptr ? one->previous_->next_ : first) = one->next_;
      if (one->next_ != nullptr) {
        one->next_->previous_ = one->previous_;
      }
      pthread_mutex_unlock(&mutex);
    }

  private:
    static void in_child() {
      for (arena_state* one = first; one != nullptr; one = one->next_) {
        one->forget_all_but(this_thread_key());
      }
      pthread_mutex_unlock(&mutex);
    }
    // All zeroes is PTHREAD_MUTEX_INITIALIZER on Linux.
    static inline constinit pthread_mutex_t mutex = {};
    static inline constinit arena_state* first = nullptr;  // under it
  };

  void forget_all_but(const void* thread) noexcept {
    int kept = 0;
    for (int slot = 0; slot <= most_; ++slot) {
      std::atomic<const void*>& place = slots_[static_cast<std::size_t>(slot)];
      const void* const owner = place.load(std::memory_order_relaxed);  // by the only thread, as the rest
      kept += owner == key_of_keeper(thread) ? 1 : 0;
      if (owner != thread && owner != key_of_keeper(thread)) {
        place.store(nullptr, std::memory_order_relaxed);
      }
    }
    keepers_.store(kept, std::memory_order_relaxed);
    servers_.store(0, std::memory_order_relaxed);
    if (!is_extra(thread)) {
      leave_extra();
    }
  }
#endif

  /// The slots of the thread. Relaxed: what it has written itself it sees, and of others it is another.
  [[nodiscard]] int first_slot(const void* thread) const noexcept { return is_extra(thread) ? most_ : 0; }
  [[nodiscard]] int end_of_slots(const void* thread) const noexcept {
    return is_extra(thread) ? most_ + 1 : most_;
  }

  /// Another address of the thread than that of its calls.
  static const void* key_of_keeper(const void* thread) noexcept {
    return static_cast<const char*>(thread) + 1;
  }

  bool try_take(const void* thread, int slot) noexcept {
    std::atomic<const void*>& place = slots_[static_cast<std::size_t>(slot)];
    const void* nobody = nullptr;
    // Acquire pairs with leave_slot: what the last thread with this index did comes before.
    return place.load(std::memory_order_relaxed) == nullptr &&
           place.compare_exchange_strong(nobody, thread, std::memory_order_acquire);
  }

  int try_take_any(const void* thread) noexcept {
    for (int slot = first_slot(thread); slot < end_of_slots(thread); ++slot) {
      if (try_take(thread, slot)) {
        return slot;
      }
    }
    return -1;
  }

  static constexpr std::chrono::milliseconds most_wait_for_slot{20};

  const int most_;
  std::atomic<int> shared_{0};
  std::atomic<int> extra_{0};
  std::atomic<const void*> extra_thread_{nullptr};
  std::atomic<int> keepers_{0};                        ///< threads that keep a slot
  std::unique_ptr<std::atomic<const void*>[]> slots_;  ///< who has each index
#ifdef NOPAL_ELIDE
  std::atomic<int> users_{1};
#else
  std::atomic<bool> refuses_servers_{false};
  std::atomic<int> servers_{0};  ///< that do not block; relaxed, without a partner: a bound alone
  nopal_arena* seats_ = nullptr;
  arena_state* next_ = nullptr;  // of all_states
  arena_state* previous_ = nullptr;
#endif
};

inline void leave_slot(const presence& call) noexcept { call.where->arena->leave_slot(call.slot); }

/// The call's limit; 0: none but the workers.
inline int arena_limit(const execution* where) noexcept {
  return where != nullptr && where->arena != nullptr ? where->arena->most() : 0;
}

/// How many threads work at most: never more than the runtime has.
inline int concurrency_of_all() {
  return least_limit(global_limit.load(std::memory_order_relaxed), runtime_workers());
}

/// The same for code that runs in `where`.
inline int concurrency_of(const execution* where) {
  const int limit = arena_limit(where);
  return least_limit(concurrency_of_all(), limit != 0 ? limit : workers_outside());
}

/// Whether algorithms of code that runs in `where` are to run on one thread.
inline bool is_serial(const execution* where) noexcept {
  return global_limit.load(std::memory_order_relaxed) == 1 || arena_limit(where) == 1;
}

/// The library's part of an arena; null for none.
#ifdef NOPAL_ELIDE
class seated_call {
public:
  explicit seated_call(arena_state* /*arena*/) noexcept {}
};
#else
inline nopal_arena* seats_of(const arena_state* arena) noexcept {
  return arena == nullptr ? nullptr : arena->seats();
}

/// For a thread that has a seat in the arena, or for none: its code is in that arena.
class seated_call {
public:
  explicit seated_call(arena_state* arena) : is_one_(arena != nullptr) {
    if (is_one_ && nopal_begin_seated(&call_, arena->seats()) != 0) {
      throw_exception(std::bad_alloc());
    }
  }
  seated_call(const seated_call&) = delete;
  seated_call& operator=(const seated_call&) = delete;
  ~seated_call() {
    if (is_one_) {
      nopal_end_pinned(&call_);
    }
  }

private:
  nopal_pinned call_;
  const bool is_one_;
};
#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
