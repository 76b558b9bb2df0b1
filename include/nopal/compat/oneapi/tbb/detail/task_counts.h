// The tasks of a group: those that wait for somebody to run them, and how many are not over.
//
// They lie in the lists of the threads that started them, where idle workers find them. In an arena with a limit they lie in a
// list of the group's own: threads that wait run them, and as many helpers as the arena has permits for.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_COUNTS_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_COUNTS_H

#include <atomic>
#include <cstdint>
#include <new>

#include "arena_state.h"
#include "config.h"
#include "current.h"
#include "exception.h"
#include "lock.h"

#ifndef NOPAL_ELIDE
#include <nopal/detail/task.h>
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

#ifdef NOPAL_ELIDE

/// A call to be made once.
class pending_task {
public:
  pending_task() = default;
  pending_task(const pending_task&) = delete;
  pending_task& operator=(const pending_task&) = delete;
  virtual ~pending_task() = default;
  virtual void call() noexcept = 0;
};

/// Tasks are called where they are started.
class task_counts {
public:
  explicit task_counts(arena_state* /*arena*/, bool /*is_serial*/) noexcept {}
  void announce() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  void finish_one() noexcept { count_.fetch_sub(1, std::memory_order_release); }
  void push(pending_task* task) {
    announce();
    push_announced(task);
  }
  void push_announced(pending_task* task) {
    task->call();
    delete task;
    finish_one();
  }
  [[nodiscard]] bool is_done() const noexcept { return count_.load(std::memory_order_acquire) == 0; }
  /// For handles that other threads run.
  void wait() noexcept {
    for (backoff pause; !is_done(); pause.wait()) {
    }
  }

private:
  std::atomic<std::uint32_t> count_{0};
};

#else

/// A call to be made once. Whoever runs it deletes it.
class pending_task {
public:
  pending_task() noexcept : node_{} {
    node_.self = this;
    node_.run = [](nopal_task* task) {
      pending_task* const self = static_cast<node*>(task)->self;
      self->call();
      delete self;
    };
  }
  pending_task(const pending_task&) = delete;
  pending_task& operator=(const pending_task&) = delete;
  virtual ~pending_task() = default;

  virtual void call() noexcept = 0;

private:
  friend class task_counts;
  struct node : nopal_task {
    pending_task* self;
  };
  node node_;
};

class task_counts {
public:
  explicit task_counts(arena_state* arena, bool is_serial) noexcept
      : group_{}, arena_(is_serial ? nullptr : arena) {
    group_.is_private = arena != nullptr || is_serial ? 1 : 0;
  }
  task_counts(const task_counts&) = delete;
  task_counts& operator=(const task_counts&) = delete;

  /// Has those who wait do so for a task that is yet to be pushed. From any thread, as all that follows.
  void announce() noexcept { nopal_task_announce(&group_); }
  /// One that was announced is over, or does not come.
  void finish_one() noexcept { nopal_task_finish(&group_); }

  /// Throws std::bad_alloc; the task is the caller's still.
  void push(pending_task* task) {
    task->node_.group = &group_;
    check(nopal_task_push(&task->node_));
    help();
  }
  void push_announced(pending_task* task) {
    task->node_.group = &group_;
    check(nopal_task_push_announced(&task->node_));
    help();
  }

  /// Whether all that was pushed and announced is over.
  [[nodiscard]] bool is_done() const noexcept { return nopal_task_is_done(&group_) != 0; }

  /// Until that; runs tasks of the group meanwhile, and what these start.
  void wait() noexcept { nopal_task_wait(&group_); }

private:
  static void check(int refused) {
    if (refused != 0) {
      throw_exception(std::bad_alloc());
    }
  }

  /// Runs tasks of a group's own list while there are any, with a permit.
  class helper final : public pending_task {
  public:
    helper(arena_state* arena, nopal_task_group* group) noexcept : arena_(arena), group_(group) {}
    helper(const helper&) = delete;
    helper& operator=(const helper&) = delete;
    ~helper() override { arena_.get()->leave(); }
    void call() noexcept override {
      while (nopal_task_run_private(group_) != 0) {
      }
    }

  private:
    arena_reference arena_;
    nopal_task_group* const group_;
  };

  /// Without memory or a permit there is no helper; those who wait do without.
  void help() noexcept {
    if (arena_ == nullptr || !arena_->try_enter()) {
      return;
    }
    pending_task* const one = new (std::nothrow) helper(arena_, &group_);
    if (one == nullptr) {
      arena_->leave();
      return;
    }
    one->node_.group = &group_;
    if (nopal_task_push_shared(&one->node_) != 0) {
      delete one;
    }
  }

  nopal_task_group group_;
  arena_state* const arena_;  // null: no helpers
};

#endif

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
