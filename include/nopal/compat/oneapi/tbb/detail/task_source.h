// Tasks that wait for somebody to run them.
//
// A source is a list of tasks. Whoever waits for it forks them; the loop over the list is the continuation, so idle workers
// take part by stealing it. Nobody else takes tasks: who waited for those would block a thread, which a strand that began
// on that thread may need to go on.
//
// Invariant: a task is announced, or in the list, or was taken, and counts in `unfinished` until it is over.
#ifndef NOPAL_COMPAT_TBB_DETAIL_TASK_SOURCE_H
#define NOPAL_COMPAT_TBB_DETAIL_TASK_SOURCE_H

#include <atomic>
#include <cstdint>

#include <nopal/scope.hpp>

#include "current.h"
#include "lock.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A call to be made once. Whoever runs it deletes it.
class pending_task {
public:
  pending_task() = default;
  pending_task(const pending_task&) = delete;
  pending_task& operator=(const pending_task&) = delete;
  virtual ~pending_task() = default;

  virtual void run() noexcept = 0;

  pending_task* next = nullptr;
};

class task_source {
public:
  /// Which task begins first.
  enum class order : bool { newest_first, oldest_first };

  explicit constexpr task_source(order first) : oldest_first_(first == order::oldest_first) {}

  /// From any thread.
  void push(pending_task* task) noexcept {
    lock_.lock();
    ++unfinished_;
    set_use(use() | pushed);
    add_and_unlock(task);
  }

  /// Has those who wait do so for a task that is yet to be pushed. From any thread.
  void announce() noexcept {
    const lock_guard guard(lock_);
    ++unfinished_;
    set_use(use() + one_announced);
  }
  void push_announced(pending_task* task) noexcept {
    lock_.lock();
    // One store: who looks meanwhile finds it announced or pushed.
    set_use((use() - one_announced) | pushed);
    add_and_unlock(task);
  }
  /// There will be no such task.
  void take_back() noexcept {
    lock_.lock();
    set_use(use() - one_announced);
    finish_one();
  }

  /// Whether nothing was pushed since the last wait, and nothing is announced.
  [[nodiscard]] bool is_unused() const noexcept { return use() == 0; }

  /// Whether there is a task that nobody took.
  [[nodiscard]] bool has_tasks() const noexcept { return first_.load(std::memory_order_relaxed) != nullptr; }

  /// Runs what is in the list: with all workers, or on this thread alone.
  void drain(bool serial = false) { drain(0, serial); }

  /// Runs what there is, and waits for what another thread that waits took.
  void wait(bool serial) {
    for (;;) {
      drain(0, serial);
      lock_.lock();
      if (unfinished_ == 0) {
        set_use(use() & ~pushed);
        lock_.unlock();
        break;
      }
      const std::uint32_t seen = events_.load(std::memory_order_relaxed);
      const bool empty = first_.load(std::memory_order_relaxed) == nullptr;
      ++waiters_;
      lock_.unlock();
      if (empty) {
        events_.wait(seen, std::memory_order_acquire);
      }
      lock_.lock();
      --waiters_;
      lock_.unlock();
    }
  }

private:
  static constexpr int deepest =
      32;  // a task's followers run in its place, so deep that the stack stays small

  static constexpr std::uint32_t pushed = 1;
  static constexpr std::uint32_t one_announced = 2;

  // Relaxed: changed under the lock; a look without it is by who made or pushed the tasks it asks about, or joined who did.
  [[nodiscard]] std::uint32_t use() const noexcept { return use_.load(std::memory_order_relaxed); }
  void set_use(std::uint32_t now) noexcept { use_.store(now, std::memory_order_relaxed); }

  void add_and_unlock(pending_task* task) noexcept {
    add(task);
    const bool wakes = note_event();
    lock_.unlock();
    if (wakes) {
      events_.notify_all();
    }
  }

  /// Under the lock. True if somebody has to be woken.
  bool note_event() noexcept {
    if (waiters_ == 0) {
      return false;
    }
    events_.fetch_add(1, std::memory_order_release);  // pairs with the wait in wait()
    return true;
  }

  // The list is changed under the lock, which orders it; loads without the lock only see whether it is worth taking.
  void add(pending_task* task) noexcept {
    pending_task* const first = first_.load(std::memory_order_relaxed);
    if (oldest_first_ && first != nullptr) {
      task->next = nullptr;
      last_->next = task;
      last_ = task;
      return;
    }
    task->next = first;
    if (first == nullptr) {
      last_ = task;
    }
    first_.store(task, std::memory_order_relaxed);
  }

  pending_task* take() noexcept {
    if (first_.load(std::memory_order_relaxed) == nullptr) {
      return nullptr;
    }
    const lock_guard guard(lock_);
    pending_task* const task = first_.load(std::memory_order_relaxed);
    if (task != nullptr) {
      first_.store(task->next, std::memory_order_relaxed);
    }
    return task;
  }

  // NOLINTNEXTLINE(misc-no-recursion): so deep and no deeper
  void drain(int depth, bool serial) {
    while (first_.load(std::memory_order_relaxed) != nullptr) {
      nopal::scope all;
      while (pending_task* const task = take()) {
        if (serial) {
          run_and_follow(task, depth, true);
        } else {
          all.fork([this, task, depth] { run_and_follow(task, depth, false); });
        }
      }
      all.join();
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): so deep and no deeper
  void run_and_follow(pending_task* task, int depth, bool serial) {
    task->run();
    delete task;
    if (depth < deepest) {
      drain(depth + 1, serial);
    }
    // The last look at this source, unless somebody above is in its loop.
    lock_.lock();
    finish_one();
  }

  /// Releases the lock.
  void finish_one() noexcept {
    --unfinished_;
    const bool wakes = unfinished_ == 0 && note_event();
    lock_.unlock();
    if (wakes) {
      events_.notify_all();
    }
  }

  tiny_lock lock_;
  const bool oldest_first_;
  int waiters_ = 0;               // under the lock
  std::uint32_t unfinished_ = 0;  // under the lock: tasks announced, in the list or running
  std::atomic<std::uint32_t> use_{
      0};  // written under the lock: pushed to since the last wait; tasks announced
  std::atomic<std::uint32_t> events_{0};       // written under the lock, waited for
  std::atomic<pending_task*> first_{nullptr};  // written under the lock
  pending_task* last_ = nullptr;               // under the lock; of a list that is not empty
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
