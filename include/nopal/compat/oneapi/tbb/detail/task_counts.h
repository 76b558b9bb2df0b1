// The tasks of a group: those that wait for somebody to run them, and how many are not over.
//
// They lie in the lists of the threads that started them, where idle workers find them; those that
// were started in an arena, in that arena's, for as many workers as it has room for.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_COUNTS_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_COUNTS_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

#include "arena_reference.h"
#include "arena_state.h"
#include "config.h"
#include "current.h"
#include "exception.h"
#include "lock.h"
#include "scope.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/task.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

class task_record;

#ifdef NOPAL_ELIDE

inline void call_unawaited(void (*call)(void*), void* argument) { call(argument); }

/// A call to be made once.
class pending_task {
public:
  [[nodiscard]] static arena_state* arena() noexcept {
    return current() != nullptr ? current()->arena : nullptr;
  }

  pending_task() = default;
  pending_task(const pending_task&) = delete;
  pending_task& operator=(const pending_task&) = delete;
  virtual ~pending_task() = default;
  virtual void call() noexcept = 0;
  /// Where its record is; null: it never has one, and no handle.
  [[nodiscard]] virtual std::atomic<task_record*>* record() noexcept { return nullptr; }
};

/// Tasks are called where they are started.
class task_counts {
public:
  void announce() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void finish_one() noexcept { count_.fetch_sub(1, std::memory_order_release); }
  void push(pending_task* task, arena_state* arena) {
    announce();
    push_announced(task, arena);
  }
  void push_announced(pending_task* task, arena_state* arena) { call_announced(task, arena); }
  template <class F>
  void call(F& f) noexcept {
    f();
  }
  [[nodiscard]] bool is_done() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
  void call_announced(pending_task* task, arena_state* /*arena*/) noexcept {
#ifdef NOPAL_CHECKED
    children_.fork([task] {
      task->call();
      delete task;
    });
#else
    task->call();
    delete task;
#endif
    finish_one();
  }
  /// As a strand of its own, which the wait joins.
  template <class F>
  void call_apart(F f) noexcept {
#ifdef NOPAL_CHECKED
    children_.fork(f);
#else
    f();
#endif
  }
  [[nodiscard]] static bool has_views() noexcept { return false; }
  /// For handles that other threads run.
  void wait(arena_state* /*arena*/) noexcept {
    for (backoff pause; !is_done(); pause.wait()) {
    }
#ifdef NOPAL_CHECKED
    children_.join();
#endif
  }

private:
#ifdef NOPAL_CHECKED
  nopal::scope children_;
#endif
  std::atomic<std::uint32_t> count_{0};
};

#else

class task_counts;

/// Calls what nobody waits for, and throws nothing: it uses no reducers but its own.
inline void call_unawaited(void (*call)(void*), void* argument) { nopal_call_unawaited(call, argument); }

/// A call to be made once. Whoever runs it deletes it.
class pending_task {
public:
  /// Where it was started; null: in no arena.
  [[nodiscard]] arena_state* arena() const noexcept { return arena_.get(); }

  pending_task() noexcept : node_{} {
    node_.self = this;
    node_.run = [](nopal_task* task) { static_cast<node*>(task)->self->call_and_delete(); };
  }
  pending_task(const pending_task&) = delete;
  pending_task& operator=(const pending_task&) = delete;
  virtual ~pending_task() = default;

  virtual void call() noexcept = 0;
  /// Where its record is; null: it never has one, and no handle.
  [[nodiscard]] virtual std::atomic<task_record*>* record() noexcept { return nullptr; }

protected:
  /// Calls it, and deletes it.
  virtual void call_and_delete() noexcept {
    call();
    delete this;
  }

private:
  friend class task_counts;
  struct node : nopal_task {
    pending_task* self;
  };
  node node_;
  arena_reference arena_;         // where it was started
  bool stays_ = false;            // with the thread that has it
  unsigned char times_left_ = 0;  // by threads that had it
};

/// Has a task called that was enqueued and has no thread, by one that waits in its arena: one of the group that it waits for; any, where
/// its thread runs no task there or the wait is patient. False: there was none. Null: there never was.
inline constinit std::atomic<bool (*)(task_counts&, arena_state*, bool is_patient)> call_offered{nullptr};

/// What ends the innermost wait of this thread; null: the end of all tasks of a group, or it does not wait.
inline constinit thread_local nopal_task_wait_end* end_of_wait = nullptr;

/// Whether this thread waits for what has come. Not inlined, as compilers keep the address of such a variable for a whole function.
[[gnu::noinline]] inline bool has_waited_enough() noexcept {
  return end_of_wait != nullptr && end_of_wait->is_reached(end_of_wait) != 0;
}

class task_counts {
public:
  task_counts() noexcept : group_{} {}
  task_counts(const task_counts&) = delete;
  task_counts& operator=(const task_counts&) = delete;

  /// Has waits include a task that is yet to be pushed. From any thread, as all that follows.
  void announce() noexcept { nopal_task_announce(&group_); }
  /// One that was announced is over, or does not come.
  void finish_one() noexcept { nopal_task_finish(&group_); }

  /// Throws std::bad_alloc; the task is the caller's still.
  void push(pending_task* task, arena_state* arena) {
    prepare(task, arena);
    check(nopal_task_push(&task->node_));
  }
  /// The same for a task of a graph: nodes hand messages on to other graphs, and whoever waits for one of these runs it.
  void push_sharing(pending_task* task, arena_state* arena) {
    task->node_.shares = 1;
    push(task, arena);
  }
  void push_announced(pending_task* task, arena_state* arena) {
    prepare(task, arena);
    check(nopal_task_push_announced(&task->node_));
  }
  /// Called by a task in place of what it is to do, so that other threads may have it. False: there is no memory for that, or it
  /// was left so often that it is to be called in any case.
  bool push_back(pending_task* task) noexcept {
    constexpr unsigned char most_times = 100;
    if (task->stays_ || task->times_left_ == most_times) {
      return false;
    }
    ++task->times_left_;
    announce();
    if (nopal_task_push_announced(&task->node_) == 0) {
      return true;
    }
    finish_one();
    return false;
  }

  /// Calls `f()`, which throws nothing, as a task of the group that others may wait for.
  template <class F>
  void call(F& f) noexcept {
    struct call_of : nopal_task {
      F* f;
    };
    call_of now{};
    now.f = &f;
    now.group = &group_;
    now.run = [](nopal_task* task) { (*static_cast<call_of*>(task)->f)(); };
    nopal_task_call(&now);
  }

  /// Calls a task that was announced, for whoever waits, and deletes it. Called in `arena`.
  void call_announced(pending_task* task, arena_state* arena) noexcept {
    task->node_.group = &group_;
    task->arena_ = arena_reference(arena);
    task->stays_ = true;
    nopal_task_call_announced(&task->node_);
  }

  /// Where checked programs have a strand of its own.
  template <class F>
  static void call_apart(F f) noexcept {
    f();
  }

  /// Whether finished tasks left views of reducers for a wait. Asked when all tasks are over, which
  /// orders it.
  [[nodiscard]] bool has_views() const noexcept {
    return __atomic_load_n(&group_.views, __ATOMIC_RELAXED) != nullptr;
  }

  /// Whether all that was pushed and announced is over.
  [[nodiscard]] bool is_done() const noexcept { return nopal_task_is_done(&group_) != 0; }

  /// Waits until then; meanwhile runs tasks of the group, and what these start. Called in `arena`.
  /// Throws what the reductions of the tasks' views throw.
  void wait(arena_state* arena) { wait_until(arena, nullptr); }
  /// The same until `end` says so; null: until no task is left.
  [[gnu::noinline]] void wait_until(arena_state* arena, nopal_task_wait_end* end) {
    const wait_for_end inside(end);
    wait_for_enqueued here(*this, arena, end);
    if (void* const thrown = nopal_task_wait_until(&group_, seats_of(arena), &here)) {
      nopal_rethrow(thrown);
    }
  }
  /// Has those who wait ask for their end again.
  void tell() const noexcept { nopal_task_tell(&group_); }

private:
  /// The thread stays the same.
  class wait_for_end {
  public:
    explicit wait_for_end(nopal_task_wait_end* end) noexcept : before_(std::exchange(end_of_wait, end)) {}
    wait_for_end(const wait_for_end&) = delete;
    wait_for_end& operator=(const wait_for_end&) = delete;
    ~wait_for_end() { end_of_wait = before_; }

  private:
    nopal_task_wait_end* const before_;
  };

  /// A wait that calls what was enqueued, too: where the arena is full or all threads for that wait, no other one comes.
  struct wait_for_enqueued final : nopal_task_wait_end {
    wait_for_enqueued(task_counts& of_tasks, arena_state* in, nopal_task_wait_end* end) noexcept
        : nopal_task_wait_end{[](const nopal_task_wait_end* self) {
                                return static_cast<const wait_for_enqueued*>(self)->is_over() ? 1 : 0;
                              },
                              [](nopal_task_wait_end* self) {
                                auto* const one = static_cast<wait_for_enqueued*>(self);
                                one->may_call = true;
                                if (one->other != nullptr) {
                                  one->other->be_told(one->other);
                                }
                              },
                              nullptr},
          tasks(of_tasks), arena(in), other(end) {
      if (end != nullptr && end->is_isolated != nullptr) {
        is_isolated = [](const nopal_task_wait_end* self) {
          const nopal_task_wait_end* const asked = static_cast<const wait_for_enqueued*>(self)->other;
          return asked->is_isolated(asked);
        };
      }
    }
    [[nodiscard]] bool is_over() const noexcept {
      while (other == nullptr ? !tasks.is_done() : other->is_reached(other) == 0) {
        // Acquire pairs with the release of who offered the first.
        bool (*const call)(task_counts&, arena_state*, bool) =
            may_call ? call_offered.load(std::memory_order_acquire) : nullptr;
        if (call == nullptr || !call(tasks, arena, is_patient())) {
          return false;
        }
      }
      return true;
    }
    /// Whether it has waited for a while, as long as a thread naps before it runs what it would rather leave to others.
    [[nodiscard]] bool is_patient() const noexcept {
      constexpr std::chrono::milliseconds patience(25);
      const auto now = std::chrono::steady_clock::now();
      since = since == clock::time_point() ? now : since;
      return now - since >= patience;
    }
    using clock = std::chrono::steady_clock;
    task_counts& tasks;
    arena_state* arena;
    nopal_task_wait_end* other;       ///< null: the end of all tasks
    bool may_call = false;            ///< others see then what the thread waits for
    mutable clock::time_point since;  ///< it first looked for what was enqueued
  };

  void prepare(pending_task* task, arena_state* arena) noexcept {
    task->node_.group = &group_;
    task->node_.arena = seats_of(arena);
    task->arena_ = arena_reference(arena);
  }
  static void check(int refused) {
    if (refused != 0) {
      throw_exception(std::bad_alloc());
    }
  }

  nopal_task_group group_;
};

#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
