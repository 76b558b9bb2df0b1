// Arenas: how many threads work for some code.
#ifndef NOPAL_COMPAT_TBB_TASK_ARENA_H
#define NOPAL_COMPAT_TBB_TASK_ARENA_H

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

#include "detail/context.h"
#include "detail/enqueued.h"
#include "info.h"
#include "task_group.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Asks for the arena of the caller.
struct attach {};

/// Limits the code that runs in it. There is one pool of workers; an arena is a limit and no threads of its own.
///
/// In an arena of concurrency 1 every algorithm and group runs on the calling thread alone, in order. A limit between that
/// and the number of workers counts where ranges are cut and where `max_concurrency` is asked, and is not enforced.
/// Reserved slots and priorities are accepted and mean nothing.
class task_arena {
public:
  using attach = tbb::attach;
  static constexpr int automatic = -1;  ///< as many threads as there are workers
  static constexpr int not_initialized = -2;
  enum class priority : int { low = 1, normal = 2, high = 3 };

  /// Besides the numbers, what oneTBB's constraints hold is accepted and means nothing.
  struct constraints {
    constraints(numa_node_id numa = automatic, int concurrency = automatic)
        : numa_id(numa), max_concurrency(concurrency) {}
    constraints& set_numa_id(numa_node_id id) {
      numa_id = id;
      return *this;
    }
    constraints& set_max_concurrency(int most) {
      max_concurrency = most;
      return *this;
    }
    constraints& set_core_type(core_type_id id) {
      core_type = id;
      return *this;
    }
    constraints& set_max_threads_per_core(int most) {
      max_threads_per_core = most;
      return *this;
    }

    numa_node_id numa_id = automatic;
    int max_concurrency = automatic;
    core_type_id core_type = automatic;
    int max_threads_per_core = automatic;
  };

  explicit task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1,
                      priority importance = priority::normal)
      : asked_(max_concurrency) {
    static_cast<void>(reserved_for_masters);
    static_cast<void>(importance);
  }
  explicit task_arena(const constraints& with, unsigned reserved_for_masters = 1,
                      priority importance = priority::normal)
      : task_arena(with.max_concurrency, reserved_for_masters, importance) {}
  /// With the settings of another, and not active.
  task_arena(const task_arena& other) : asked_(other.asked_) {}
  /// The limit of the caller's arena.
  explicit task_arena(attach) { initialize(attach()); }
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() = default;

  /// Makes it active, which the first use does too.
  void initialize() { active_.store(true, std::memory_order_relaxed); }
  void initialize(int max_concurrency, unsigned reserved_for_masters = 1,
                  priority importance = priority::normal) {
    static_cast<void>(reserved_for_masters);
    static_cast<void>(importance);
    asked_ = max_concurrency;
    initialize();
  }
  void initialize(const constraints& with, unsigned reserved_for_masters = 1,
                  priority importance = priority::normal) {
    initialize(with.max_concurrency, reserved_for_masters, importance);
  }
  void initialize(attach) {
    const nopal_detail::execution* const now = nopal_detail::current();
    asked_ = now != nullptr && now->arena_limit != 0 ? now->arena_limit : automatic;
    initialize();
  }
  /// Makes it inactive.
  void terminate() { active_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_active() const { return active_.load(std::memory_order_relaxed); }

  /// The limit; where none was given, the number of workers.
  [[nodiscard]] int max_concurrency() const {
    return asked_ > 0 ? asked_ : nopal_detail::concurrency_of(nullptr);
  }

  /// Calls `f()` in the arena, on this thread, and returns what it returns. Its exception goes on to the caller.
  template <class F>
  std::invoke_result_t<F&> execute(F&& f) {
    initialize();
    const entry inside(*this);
    return std::forward<F>(f)();
  }

  /// Has `f()` called in the arena some time, by another thread. Waits for nothing. An exception ends the program. What is not
  /// begun when the program ends never is.
  template <class F>
  void enqueue(F&& f) {
    initialize();
    nopal_detail::enqueued::push(new enqueued_call<std::decay_t<F>>(limit(), std::forward<F>(f)));
  }
  /// The same for a task of a group.
  void enqueue(task_handle&& handle) {
    initialize();
    nopal_detail::handle_access::start(handle);
  }

private:
  [[nodiscard]] int limit() const noexcept { return asked_ > 0 ? asked_ : 0; }

  /// The arena as the algorithm that code runs in. Of that outside it knows the cancellation.
  class entry {
  public:
    explicit entry(task_arena& arena) : self_(context_) {
      self_.now().arena = &arena;
      self_.now().arena_limit = arena.limit();
      nopal_detail::set_current(&self_.now());
    }

  private:
    task_group_context context_;
    nopal_detail::algorithm self_;
  };

  template <class F>
  class enqueued_call final : public nopal_detail::pending_task {
  public:
    template <class Source>
    enqueued_call(int limit, Source&& f) : limit_(limit), f_(std::forward<Source>(f)) {}
    void run() noexcept override {
      task_group_context context(task_group_context::isolated);
      nopal_detail::algorithm self(context);
      self.now().arena_limit = limit_;
      self.call(f_);
    }

  private:
    int limit_;
    F f_;
  };

  int asked_ = automatic;
  std::atomic<bool> active_{false};
};

namespace this_task_arena {

/// The limit of the caller's arena.
[[nodiscard]] inline int max_concurrency() {
  const nopal_detail::execution* const now = nopal_detail::current();
  return now != nullptr && now->arena_limit > 0 ? now->arena_limit : nopal_detail::concurrency_of(now);
}

/// The index of the calling thread, from 0; `task_arena::not_initialized` on a thread that never forked and is in no arena. The threads
/// of the program that fork have indices from `max_concurrency()` on, but for the one that has that of the caller among the workers. After a fork or
/// a join, or anything of this interface, it may be another.
[[nodiscard]] inline int current_thread_index() {
#ifdef NOPAL_ELIDE
  return nopal_detail::current() != nullptr ? 0 : task_arena::not_initialized;
#else
  int index = nopal::worker_index();
  if (index < 0 && nopal_detail::current() != nullptr) {
    // A thread becomes a worker by forking. Not one yet, it is in no strand, and so not another afterwards.
    nopal::scope once;
    once.fork([] {});
    once.join();
    index = nopal::worker_index();
  }
  return index >= 0 ? index : task_arena::not_initialized;
#endif
}

/// Calls `f()` and returns what it returns. While that waits, its thread may work for others, which never run in its place on its
/// stack; but thread-local variables may have changed.
template <class F>
std::invoke_result_t<F&> isolate(F&& f) {
  return std::forward<F>(f)();
}

/// As task_arena::enqueue, in the caller's arena.
template <class F>
void enqueue(F&& f) {
  task_arena(attach()).enqueue(std::forward<F>(f));
}
inline void enqueue(task_handle&& handle) { task_arena(attach()).enqueue(std::move(handle)); }

}  // namespace this_task_arena

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
