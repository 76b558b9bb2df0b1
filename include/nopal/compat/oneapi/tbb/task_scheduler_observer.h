// Functions that threads call as they begin and cease to take part in an arena's work.
#ifndef NOPAL_COMPAT_TBB_TASK_SCHEDULER_OBSERVER_H
#define NOPAL_COMPAT_TBB_TASK_SCHEDULER_OBSERVER_H

#include <atomic>
#include <memory>
#include <new>

#include "detail/arena_reference.h"
#include "detail/arena_state.h"
#include "detail/current.h"
#include "task_arena.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/observer.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Each thread calls `on_scheduler_entry` when it begins to take part in the work of an arena, and
/// `on_scheduler_exit` when it ceases: once for each entry, unless the observer has ceased to
/// observe. A derived class calls `observe(false)` in its destructor, before its members are gone.
///
/// In these functions `this_task_arena` answers for the arena. Where the thread has no index there yet,
/// the one that it has at entry stays its own until its exit. They may not throw, start algorithms or
/// tasks, or enter an arena: that ends the program.
class task_scheduler_observer {
public:
  /// Of the arena of whoever calls `observe`; outside of arenas, of all code that is in none.
  task_scheduler_observer() = default;
  /// Of this arena, which is made active when the observer begins.
  explicit task_scheduler_observer(task_arena& arena) : of_(&arena) {}
  task_scheduler_observer(const task_scheduler_observer&) = delete;
  task_scheduler_observer& operator=(const task_scheduler_observer&) = delete;
  virtual ~task_scheduler_observer() { observe(false); }

  /// Begins to observe, or ceases. Ceasing waits for calls of its functions that are under way on other
  /// threads, but not where one of them does it.
  void observe(bool on = true) {
    if (on && !is_observing()) {
      begin();
    } else if (!on) {
      end();
    }
  }
  [[nodiscard]] bool is_observing() const { return observes_.load(std::memory_order_relaxed); }

  /// `is_worker`: on no thread of the program.
  virtual void on_scheduler_entry(bool is_worker) { static_cast<void>(is_worker); }
  virtual void on_scheduler_exit(bool is_worker) { static_cast<void>(is_worker); }

private:
  nopal_detail::arena_state* arena_to_observe() {
    if (of_ != nullptr) {
      of_->initialize();
      return of_->state_.load(std::memory_order_acquire);
    }
    const nopal_detail::execution* const now = nopal_detail::current();
    return now != nullptr ? now->arena : nullptr;
  }

#ifdef NOPAL_ELIDE
  void begin() {
    static_cast<void>(arena_to_observe());
    observes_.store(true, std::memory_order_relaxed);
    on_scheduler_entry(false);
  }
  void end() { observes_.store(false, std::memory_order_relaxed); }
#else
  /// What the library knows of it, with the arena that it observes.
  struct state : nopal_observer {
    state(task_scheduler_observer* one, nopal_detail::arena_state* of)
        : nopal_observer{}, owner(one), where(of) {
      entry = [](nopal_observer* self, int is_worker, void** kept) noexcept {
        static_cast<state*>(self)->enter(is_worker != 0, kept);
      };
      exit = [](nopal_observer* self, int is_worker, void**) noexcept {
        static_cast<state*>(self)->leave(is_worker != 0);
      };
      drop = [](void* kept) { delete static_cast<kept_index*>(kept); };
      arena = nopal_detail::seats_of(of);
    }
    void enter(bool is_worker, void** kept) const noexcept {
      const nopal_detail::execution here{nullptr, nullptr, where.get()};
      *kept = where.get() == nullptr ? nullptr : kept_index::take(here);
      const nopal_detail::body_call inside(&here);
      owner->on_scheduler_entry(is_worker);
    }
    void leave(bool is_worker) const noexcept {
      const nopal_detail::execution here{nullptr, nullptr, where.get()};
      const nopal_detail::body_call inside(&here);
      owner->on_scheduler_exit(is_worker);
    }

    task_scheduler_observer* const owner;
    const nopal_detail::arena_reference where;
  };

  /// A thread's index in an arena from its entry to its exit.
  class kept_index {
  public:
    kept_index(nopal_detail::arena_state* arena, int slot) noexcept : arena_(arena), slot_(slot) {}
    kept_index(const kept_index&) = delete;
    kept_index& operator=(const kept_index&) = delete;
    ~kept_index() { arena_.get()->keep_slot_no_more(slot_); }

    /// Null where the thread has one, or none is free.
    static kept_index* take(const nopal_detail::execution& here) noexcept {
      const void* const self = nopal_detail::this_thread_key();
      for (const nopal_detail::presence* call = nopal_detail::current_presence(); call != nullptr;
           call = call->outer) {
        if (call->thread == self && call->where != nullptr && call->where->arena == here.arena &&
            call->slot >= 0) {
          return nullptr;
        }
      }
      const int slot = here.arena->kept_slot(self) >= 0 ? -1 : here.arena->keep_slot(self);
      if (slot < 0) {
        return nullptr;
      }
      auto* const made = new (std::nothrow) kept_index(here.arena, slot);
      if (made == nullptr) {
        here.arena->keep_slot_no_more(slot);
      }
      return made;
    }

  private:
    const nopal_detail::arena_reference arena_;
    const int slot_;
  };

  void begin() {
    nopal_detail::arena_state* const where = arena_to_observe();
    // What has called this may be a function of the last time, which has that state.
    if (state_ == nullptr || state_->where.get() != where) {
      state_ = std::make_unique<state>(this, where);
    }
    observes_.store(true, std::memory_order_relaxed);
    nopal_observe(state_.get());
    if (of_ == nullptr) {
      const nopal::detail::pinned_call here;  // a thread that has not forked yet is there by now
    }
  }
  void end() {
    observes_.store(false, std::memory_order_relaxed);
    if (state_ != nullptr) {
      nopal_observe_no_more(state_.get());
    }
  }

  std::unique_ptr<state> state_;  ///< of the last time; null: it never observed
#endif

  task_arena* const of_ = nullptr;
  std::atomic<bool> observes_{false};
};

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
