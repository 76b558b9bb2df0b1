// How a thread waits for a graph of oneTBB's: see theirs_tasks.h.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_WAITS_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_WAITS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include <nopal/detail/thrown.hpp>

#include "../task_group.h"
#include "context.h"
#include "theirs.h"

namespace NOPAL_TBB_THEIRS::detail::d1 {

namespace ours = ::tbb::NOPAL_TBB_NAMESPACE;
class task;
class wait_context;

/// Tasks of nodes that have a priority. Each was pushed with a call of `next(nullptr)` to come, and who has another task to
/// run asks with that one. So whoever runs a task next runs an urgent one, and as many calls are to come as tasks are here.
/// What was put in a call that isolates is for what was put there alone.
class urgent_tasks {
public:
  void push(task& one) noexcept;
  /// What to run now: an urgent task, with `one` left here for another call, or else `one`, or what was left; null: all
  /// was taken by others.
  task* next(task* one) noexcept;

private:
  class list {
  public:
    void add(task& one) noexcept;
    /// The first that was put in this call; 0: in none.
    task* take(std::uint64_t isolation) noexcept;

  private:
    task* first_ = nullptr;
    task* last_ = nullptr;
  };

  std::mutex mutex_;
  list urgent_;                          // under the lock, as what follows
  list put_off_;                         // in whose place an urgent one ran
  std::atomic<std::uint32_t> count_{0};  // of urgent ones; changed under the lock, looked at without
};

/// The tasks that a graph has submitted, and the first exception of one.
class graph_tasks {
public:
  graph_tasks() = default;
  graph_tasks(const graph_tasks&) = delete;
  graph_tasks& operator=(const graph_tasks&) = delete;
  ~graph_tasks() = default;

  /// From any thread. Throws std::bad_alloc. Null: for an urgent one.
  void push(task* one, ours::task_group_context& context, ours::nopal_detail::arena_state* arena);
  /// One that comes before those that were not begun.
  void push_urgent(task& one, ours::task_group_context& context, ours::nopal_detail::arena_state* arena);

  /// Runs the tasks until none is left, and `count` is zero; then throws what one of them threw.
  void wait_until_zero(const wait_context& count);

private:
  friend class wait_context;

  class submitted;
  void run(task* one, ours::task_group_context& context, ours::nopal_detail::arena_state* arena) noexcept;

#ifdef NOPAL_ELIDE
  struct entry {
    task* one;
    ours::task_group_context* context;
    ours::nopal_detail::arena_state* arena;
  };
  std::mutex mutex_;
  std::deque<entry> left_;
#endif
  urgent_tasks urgent_;
  ours::nopal_detail::task_counts tasks_;
  std::atomic<bool> failed_{false};
  nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception exception_;
};

/// A count that is waited for. Who releases the last may find it gone after that, so those who wait are in a list of the
/// process, by its address.
class wait_context {
public:
  explicit wait_context(std::uint32_t count) noexcept : count_(count) {}
  wait_context(const wait_context&) = delete;
  wait_context& operator=(const wait_context&) = delete;
  ~wait_context() = default;

  /// Relaxed: who reserves holds a count already, or nobody waits yet.
  void reserve(std::uint32_t more = 1) noexcept { count_.fetch_add(more, std::memory_order_relaxed); }
  /// Release: what was done before is seen by who finds zero.
  void release(std::uint32_t fewer = 1) noexcept {
    if (count_.fetch_sub(fewer, std::memory_order_acq_rel) == fewer) {
      // Either this sees the waiter, or that sees zero: with the fence in build().
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (bridges().count.load(std::memory_order_relaxed) != 0) {
        end_bridges(this);
      }
    }
  }
  [[nodiscard]] bool continue_execution() const noexcept {
    return count_.load(std::memory_order_acquire) != 0;
  }

  /// Has a wait for the tasks last until the count is zero, or some time before. False: it is zero.
  struct bridge {
    const wait_context* of;
    graph_tasks* tasks;
    bridge* next;
  };
  bool build(bridge& one) const {
    table& all = bridges();
    const std::lock_guard<std::mutex> lock(all.mutex);
    one.next = all.first;
    all.first = &one;
    all.count.fetch_add(1,
                        std::memory_order_relaxed);  // all changes are under the lock; read behind the fences
    std::atomic_thread_fence(std::memory_order_seq_cst);  // with the one in release()
    if (!continue_execution()) {
      all.first = one.next;
      all.count.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    one.tasks->tasks_.announce();
    return true;
  }

private:
  struct table {
    std::mutex mutex;
    bridge* first = nullptr;
    std::atomic<std::size_t> count{0};
  };
  static table& bridges() {
    static table one;
    return one;
  }
  static void end_bridges(const wait_context* of) noexcept {
    table& all = bridges();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (bridge** at = &all.first; *at != nullptr;) {
      bridge* const one = *at;
      if (one->of == of) {
        *at = one->next;
        all.count.fetch_sub(1, std::memory_order_relaxed);
        one->tasks->tasks_.finish_one();  // its waiter may end now, and the bridge is gone
      } else {
        at = &one->next;
      }
    }
  }

  std::atomic<std::uint64_t> count_;
};

/// The tasks of the graph that is about to wait on this thread.
inline constinit thread_local graph_tasks* tasks_of_wait = nullptr;

inline void wait_for(const wait_context& count) {
  graph_tasks* const of_graph = std::exchange(tasks_of_wait, nullptr);
  if (of_graph != nullptr) {
    of_graph->wait_until_zero(count);
  } else {
    // For one message, maybe in a body of the graph, whose own task does not end meanwhile. The message's are taken by
    // others, or by this thread as what it has started itself.
    graph_tasks none;
    none.wait_until_zero(count);
  }
}

}  // namespace NOPAL_TBB_THEIRS::detail::d1

#endif
