// Observers: what threads call as they begin and cease to take part in an arena's work.
#ifndef NOPAL_OBSERVER_HPP
#define NOPAL_OBSERVER_HPP

#include <nopal/arena.hpp>
#include <nopal/detail/mode.hpp>

#ifndef NOPAL_ELIDE
#include <nopal/detail/observer.h>
#endif

namespace nopal {
inline namespace NOPAL_MODE_NAMESPACE {

/// A thread that begins to take part in an arena's work calls `on_entry`, and when it ceases,
/// `on_exit`. To use it, derive a class, and call `observe()` when its members are ready, in its
/// constructor or later.
///
/// A thread of the program takes part for the length of an outermost `execute` or `wait`, and outside of
/// arenas from its first fork to its end. A worker takes part from its first strand or task there until it
/// goes to sleep or goes on elsewhere. Whoever is there when an observer begins calls `on_entry`
/// some time before its next task, call or steal.
///
/// A thread calls `on_exit` once for each `on_entry`, unless the observer has ceased to observe. Calls on
/// different threads may be at the same time. Neither function may throw, fork, enter an arena or wait for
/// what others do with the library's means: that ends the program.
class observer {
public:
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  /// Ceases to observe. A derived class whose functions use its members does so in its own destructor.
  virtual ~observer() { observe(false); }

  /// Begins to observe, or ceases. Ceasing waits for calls of its functions that are under way, but not
  /// where one of them does it. Not to be called on several threads at once.
  void observe(bool on = true);
  /// Whether it observes.
  [[nodiscard]] bool is_observing() const noexcept;

  /// `is_worker`: on a thread of the pool.
  virtual void on_entry(bool is_worker) { static_cast<void>(is_worker); }
  /// The same as it ceases to take part.
  virtual void on_exit(bool is_worker) { static_cast<void>(is_worker); }

protected:
  /// Of the arena that the caller's code is in; outside of arenas, of all code that is in none.
  observer();
  /// Of this arena, which may end before the observer does.
  explicit observer(const arena& of);

private:
#ifdef NOPAL_ELIDE
  bool observes_ = false;
#else
  struct state : nopal_observer {
    explicit state(observer* one, nopal_arena* of) : nopal_observer{}, owner(one) {
      entry = [](nopal_observer* self, int is_worker, void**) noexcept {
        static_cast<state*>(self)->owner->on_entry(is_worker != 0);
      };
      exit = [](nopal_observer* self, int is_worker, void**) noexcept {
        static_cast<state*>(self)->owner->on_exit(is_worker != 0);
      };
      arena = of;
      if (of != nullptr) {
        nopal_arena_refer(of);
      }
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() {
      if (arena != nullptr) {
        nopal_arena_forget(arena);
      }
    }

    observer* const owner;
  };
  state state_;
#endif
};

#ifdef NOPAL_ELIDE

inline observer::observer() = default;
inline observer::observer(const arena& of) { static_cast<void>(of); }

inline void observer::observe(bool on) {
  const bool begins = on && !observes_;
  observes_ = on;
  if (begins) {
    on_entry(false);
  }
}

inline bool observer::is_observing() const noexcept { return observes_; }

#else

inline observer::observer() : state_(this, nopal_arena_of_caller()) {}
inline observer::observer(const arena& of) : state_(this, of.state_->seats) {}

inline void observer::observe(bool on) {
  if (on) {
    nopal_observe(&state_);
  } else {
    nopal_observe_no_more(&state_);
  }
}

inline bool observer::is_observing() const noexcept { return nopal_is_observing(&state_) != 0; }

#endif

}  // namespace NOPAL_MODE_NAMESPACE
}  // namespace nopal

#endif
