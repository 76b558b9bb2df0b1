// Arenas: how many threads work for some code.
#ifndef NOPAL_COMPAT_TBB_TASK_ARENA_H
#define NOPAL_COMPAT_TBB_TASK_ARENA_H

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "detail/arena_entry.h"
#include "detail/context.h"
#include "detail/enqueued.h"
#include "detail/enqueued_handle.h"
#include "detail/indices.h"
#include "detail/standard_algorithms.h"
#include "info.h"
#include "task_group.h"

// oneTBB's is behind a macro of previews, and says so by this.
#ifndef TBB_HAS_TASK_ARENA_CORE_TYPE_SELECTOR
#define TBB_HAS_TASK_ARENA_CORE_TYPE_SELECTOR 202603
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// Asks for the arena of the caller.
struct attach {};

namespace nopal_detail {
/// What a phase of an arena may be asked for.
struct phase_flag {};
}  // namespace nopal_detail

/// The code that runs in it. There is one pool of workers; an arena has no threads of its own, and
/// counts them: at most as many as its concurrency are in it at once. A thread that calls `execute`
/// while it is full waits until somebody leaves, and keeps its thread for the call.
///
/// In an arena of concurrency 1 every algorithm and group runs on the calling thread alone, in
/// order, beside a thread for what was enqueued. Workers without a task take one of the arena of
/// the highest priority; what runs goes on. Of the concurrency, the reserved part is for threads
/// that call `execute`.
class task_arena {
public:
  using attach = tbb::attach;
  static constexpr int automatic = -1;  ///< as many threads as info::default_concurrency() says
  static constexpr int not_initialized = -2;
  static constexpr int selectable = -2;  ///< as a type of cores: a selector says which
  enum class priority : int { low = 1, normal = 2, high = 3 };
  /// How soon threads leave that have no work. It is accepted and means nothing: they leave as fast as they come back.
  enum class leave_policy : int { automatic = 0, fast = 1 };

  /// A node is one of `info::numa_nodes()`: threads in the arena run on its CPUs, and where they might
  /// before when they leave. The type of cores and how many threads each has mean nothing.
  struct constraints {
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
                      priority importance = priority::normal,
                      leave_policy /*leaves*/ = leave_policy::automatic)
      : asked_(max_concurrency), reserved_(reserved_for_masters), importance_(importance) {}
  explicit task_arena(const constraints& with, unsigned reserved_for_masters = 1,
                      priority importance = priority::normal,
                      leave_policy /*leaves*/ = leave_policy::automatic)
      : asked_(with.max_concurrency), reserved_(reserved_for_masters), importance_(importance),
        node_(with.numa_id) {}
  /// The selector says which types of cores the threads may be on. There is one type, so it is not asked.
  template <nopal_detail::selects_cores Selector>
  task_arena(const constraints& with, Selector /*selector*/, unsigned reserved_for_masters = 1,
             priority importance = priority::normal, leave_policy leaves = leave_policy::automatic)
      : task_arena(with, reserved_for_masters, importance, leaves) {
    if (with.core_type == selectable) {
      initialize();
    }
  }
  /// With the settings of another, and not active.
  task_arena(const task_arena& other)
      : asked_(other.asked_), reserved_(other.reserved_), importance_(other.importance_), node_(other.node_) {
  }
  /// The limit of the caller's arena.
  explicit task_arena(attach) { initialize(attach()); }
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() { terminate(); }

  /// Makes it active, which the first use does too.
  void initialize() {
    if (state_.load(std::memory_order_acquire) != nullptr) {
      return;
    }
    auto* const fresh = new nopal_detail::arena_state(
        default_concurrency(), static_cast<int>(reserved_),
        static_cast<int>(priority::high) - static_cast<int>(importance_), node_);
    nopal_detail::arena_state* nobody = nullptr;
    // Release and acquire: whoever uses it finds it whole.
    if (!state_.compare_exchange_strong(nobody, fresh, std::memory_order_acq_rel)) {
      fresh->forget();
    }
  }
  void initialize(int max_concurrency, unsigned reserved_for_masters = 1,
                  priority importance = priority::normal, leave_policy /*leaves*/ = leave_policy::automatic) {
    if (!is_active()) {
      asked_ = max_concurrency;
      reserved_ = reserved_for_masters;
      importance_ = importance;
      initialize();
    }
  }
  void initialize(const constraints& with, unsigned reserved_for_masters = 1,
                  priority importance = priority::normal, leave_policy /*leaves*/ = leave_policy::automatic) {
    if (!is_active()) {
      node_ = with.numa_id;
      initialize(with.max_concurrency, reserved_for_masters, importance);
    }
  }
  template <nopal_detail::selects_cores Selector>
  void initialize(const constraints& with, Selector /*selector*/, unsigned reserved_for_masters = 1,
                  priority importance = priority::normal, leave_policy leaves = leave_policy::automatic) {
    initialize(with, reserved_for_masters, importance, leaves);
  }
  void initialize(attach) {
    const nopal_detail::execution* const now = nopal_detail::current();
    if (is_active()) {
      return;
    }
    if (now != nullptr && now->arena != nullptr) {
      asked_ = now->arena->most();
      now->arena->refer();
      state_.store(now->arena, std::memory_order_release);
    } else {
      asked_ = automatic;  // whatever it had before
      initialize();
    }
  }
  /// Makes it inactive. What was enqueued runs all the same.
  void terminate() {
    if (nopal_detail::arena_state* const state = state_.exchange(nullptr, std::memory_order_acq_rel)) {
      state->forget();
    }
  }
  [[nodiscard]] bool is_active() const { return state_.load(std::memory_order_acquire) != nullptr; }

  /// How many threads may be in it; where nothing was asked, what info::default_concurrency() says of the
  /// node.
  [[nodiscard]] int max_concurrency() const {
    const nopal_detail::arena_state* const state = state_.load(std::memory_order_acquire);
    return state != nullptr ? state->concurrency() : default_concurrency();
  }

  /// Calls `f()` in the arena, on this thread, and returns what it returns. Its exception goes on
  /// to the caller.
  template <class F>
  std::invoke_result_t<F&> execute(F&& f) {
    initialize();
    const nopal_detail::arena_entry entry(state_.load(std::memory_order_acquire));
    task_group_context context;
    const nopal_detail::algorithm self(context, nopal_detail::algorithm::entry_of(entry.arena()));
    const nopal_detail::body_call inside(&self.now());
    return std::forward<F>(f)();
  }

  /// Has `f()` called in the arena some time, by another thread. Waits for nothing. An exception
  /// ends the program. What is not begun when the program ends never is.
  template <class F>
  void enqueue(F&& f) {
    initialize();
    nopal_detail::enqueued::push(new nopal_detail::enqueued_call<std::decay_t<F>>(
        state_.load(std::memory_order_acquire), std::forward<F>(f)));
  }
  /// The same for a task of a group.
  void enqueue(task_handle&& handle) {
    initialize();
    nopal_detail::enqueue_handle(state_.load(std::memory_order_acquire), std::move(handle));
  }
  template <class F>
  void enqueue(F&& f, task_group& group) {
    enqueue(group.defer(std::forward<F>(f)));
  }
  /// Waits for the group in the arena.
  task_group_status wait_for(task_group& group) {
    return execute([&group] { return group.wait(); });
  }
  /// Waits for one task in the arena, as task_group::wait_for_task.
  task_group_status wait_for(task_completion_handle& end) {
    return execute([&end] { return task_group::wait_here_for(end); });
  }

  /// Until it ends, the program has work again and again. Threads come back as fast in any phase, so it is accepted and
  /// means nothing.
  class parallel_phase {
  public:
    class end_flag_fast_leave : public nopal_detail::phase_flag {};
    class flags {
    public:
      flags() {}  // NOLINT(modernize-use-equals-default): needed by the class around it before that is whole
      template <class... Flags>
        requires(sizeof...(Flags) != 0 && (std::is_base_of_v<nopal_detail::phase_flag, Flags> && ...))
      flags(Flags... /*asked*/) {}
      flags(bool /*leaves_fast*/) {}  ///< as previews of it had
    };

    parallel_phase(tbb::attach /*current*/, flags /*asked*/ = {}) {}
    parallel_phase(task_arena& in, flags asked = {}) { in.start_parallel_phase(asked); }
    parallel_phase(parallel_phase&&) noexcept = default;
    parallel_phase& operator=(parallel_phase&&) noexcept = default;
    ~parallel_phase() { end(); }
    void end() {}
  };
  using scoped_parallel_phase = parallel_phase;  ///< as previews called it
  void start_parallel_phase(parallel_phase::flags /*asked*/ = {}) { initialize(); }
  void end_parallel_phase(parallel_phase::flags /*asked*/ = {}) {}

private:
  friend class task_scheduler_observer;

  [[nodiscard]] int default_concurrency() const {
    const int all = nopal_detail::concurrency_of(nullptr);
    const int there = info::default_concurrency(node_);
    // Of a node that there is not, the state says so.
    return asked_ > 0 ? asked_ : there > 0 && there < all ? there : all;
  }

  int asked_ = automatic;
  unsigned reserved_ = 1;
  priority importance_ = priority::normal;
  numa_node_id node_ = automatic;
  std::atomic<nopal_detail::arena_state*> state_{nullptr};  ///< null while it is not active
};

/// An arena for each of `info::numa_nodes()`, otherwise as `with` says. None is active.
[[nodiscard]] inline std::vector<task_arena> create_numa_task_arenas(task_arena::constraints with = {},
                                                                     unsigned reserved_for_masters = 0) {
  std::vector<task_arena> arenas;
  for (const numa_node_id node : info::numa_nodes()) {
    arenas.emplace_back(with.set_numa_id(node), reserved_for_masters);
  }
  return arenas;
}

/// Whether a task, or the body of an algorithm, calls this.
[[nodiscard]] inline bool is_inside_task() noexcept { return nopal_detail::current() != nullptr; }

namespace this_task_arena {

/// How many threads may be in the caller's arena.
[[nodiscard]] inline int max_concurrency() {
  const nopal_detail::execution* const now = nopal_detail::current();
  return now != nullptr && now->arena != nullptr ? now->arena->concurrency()
                                                 : nopal_detail::concurrency_of(now);
}

/// The index of the calling thread in its arena, below `max_concurrency()` and for the whole call
/// of a body or task; `task_arena::not_initialized` on a thread that never forked nor started an algorithm and is
/// in no arena. Outside of arenas, it is 0 on every thread of the program, and that of the worker on
/// others. No two threads in an arena have the same at the same time, but for those that Nopal's
/// own interface brings there.
[[nodiscard]] inline int current_thread_index() {
  const nopal_detail::presence* const now = nopal_detail::current_presence();
  if (now != nullptr && now->where != nullptr && now->where->arena != nullptr) {
    const int slot = nopal_detail::index_in_arena(*now);
    if (slot >= 0) {
      return slot;
    }
  }
#ifdef NOPAL_ELIDE
  return now != nullptr || nopal_detail::has_begun() ? 0 : task_arena::not_initialized;
#else
  nopal_detail::keep_indices();
  const int index = nopal::worker_index();
  const int limit = max_concurrency();
  if (index < 0) {
    return now != nullptr || nopal_detail::has_begun() ? 0 : task_arena::not_initialized;
  }
  return index < limit ? index : 0;
#endif
}

/// Calls `f()` and returns what it returns. While that waits, its thread runs what `f` started and
/// nothing else; but a wait in task_arena::execute, as that of a graph is, is not isolated.
///
/// The steps of a parallel algorithm of the standard library are such calls. Nothing around the algorithm stops these.
template <class F>
std::invoke_result_t<F&> isolate(F&& f) {
  constexpr bool is_whole = nopal_detail::is_of_standard_algorithm<std::remove_reference_t<F>>();
  nopal_stop* const part = is_whole ? nullptr : nopal_detail::innermost_part();
  const nopal_detail::body_call inside(nopal_detail::current(), part, -1);
#ifndef NOPAL_ELIDE
  nopal_isolate();
#endif
  return std::forward<F>(f)();
}

/// As task_arena::start_parallel_phase, in the caller's arena.
inline void start_parallel_phase(task_arena::parallel_phase::flags /*asked*/ = {}) {}
inline void end_parallel_phase(task_arena::parallel_phase::flags /*asked*/ = {}) {}

/// As task_arena::enqueue, in the caller's arena.
template <class F>
void enqueue(F&& f) {
  const nopal_detail::execution* const now = nopal_detail::current();
  nopal_detail::enqueued::push(new nopal_detail::enqueued_call<std::decay_t<F>>(
      now != nullptr ? now->arena : nullptr, std::forward<F>(f)));
}
inline void enqueue(task_handle&& handle) {
  const nopal_detail::execution* const now = nopal_detail::current();
  nopal_detail::enqueue_handle(now != nullptr ? now->arena : nullptr, std::move(handle));
}
template <class F>
void enqueue(F&& f, task_group& group) {
  this_task_arena::enqueue(group.defer(std::forward<F>(f)));
}

}  // namespace this_task_arena

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
