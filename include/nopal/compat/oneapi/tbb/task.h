// The context of the running task, and the low-level tasks that libstdc++'s parallel algorithms are
// made of.
#ifndef NOPAL_COMPAT_TBB_TASK_H
#define NOPAL_COMPAT_TBB_TASK_H

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

// Programs rely on what oneTBB's header includes.
#include <climits>
#include <iterator>
#include <mutex>
#include <thread>

#include <nopal/detail/thrown.hpp>

#include "detail/context.h"
#include "detail/scope.h"
#include "detail/standard_algorithms.h"
#include "detail/suspension.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// What tasks can ask, and how they wait for something that comes from outside.
namespace task {

/// The context of the algorithm or group whose code calls this; null outside.
inline task_group_context* current_context() {
  const nopal_detail::execution* const now = nopal_detail::current();
  return now != nullptr ? now->context : nullptr;
}

/// A call that is suspended.
using suspend_point = nopal_detail::suspension*;

/// Calls `f(point)`, and returns when `resume(point)` was called, on the same thread. Meanwhile another thread has
/// the place of this one. `point` means nothing after that.
template <class F>
void suspend(F f) {
  nopal_detail::suspension here;
  std::move(f)(&here);
  here.wait();
}

/// Has the call go on: once for each point, by any thread, from the begin of the call of `f`.
inline void resume(suspend_point point) { point->end(); }

}  // namespace task

namespace detail::d1 {

class task;

/// What a task is run with.
struct execution_data {
  task_group_context* context = nullptr;
  // Written by what the task does: its memory, once it is destroyed and as long as that is not freed.
  void* left = nullptr;
  void (*frees_left)(void*) = nullptr;
};

/// Counts what a wait waits for.
class wait_context {
public:
  explicit wait_context(std::uint32_t count) : count_(count) {}
  wait_context(const wait_context&) = delete;
  wait_context& operator=(const wait_context&) = delete;
  ~wait_context() = default;

  // Each release pairs with the load in continue_execution() that finds zero.
  void reserve(std::uint32_t more = 1) { count_.fetch_add(more, std::memory_order_relaxed); }
  void release(std::uint32_t fewer = 1) { count_.fetch_sub(fewer, std::memory_order_release); }
  [[nodiscard]] bool continue_execution() const { return count_.load(std::memory_order_acquire) != 0; }

private:
  std::atomic<std::uint32_t> count_;
};

/// A unit of work. `execute` and `cancel` return the task to run next, or null, and destroy this
/// one if it is over.
class task {
public:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  virtual ~task() {
    if (frees != nullptr && runs_with != nullptr) {
      runs_with->left = place;
      runs_with->frees_left = frees;
    }
  }

  virtual task* execute(execution_data& with) = 0;
  virtual task* cancel(execution_data& with) = 0;

  /// In the list of those that wait for the end of the task that spawned them
  task* next_spawned = nullptr;
  /// Of a task of libstdc++'s, which frees none but the last child of its parent: its memory, and what frees that.
  void* place = nullptr;
  void (*frees)(void*) = nullptr;
  execution_data* runs_with = nullptr;  ///< while it runs
};

/// Makes objects and frees them: the global allocator.
class small_object_allocator {
public:
  template <class T, class... Args>
  T* new_object(Args&&... args) {
    T* const made = new T(std::forward<Args>(args)...);
    if constexpr (std::is_base_of_v<task, T> && nopal_detail::is_of_standard_algorithm<T>()) {
      made->place = made;
      made->frees = [](void* left) { free_memory<T>(left); };
    }
    return made;
  }
  template <class T, class... Args>
  T* new_object(const execution_data&, Args&&... args) {
    return new_object<T>(std::forward<Args>(args)...);
  }
  template <class T, class... Args>
  T* new_object(execution_data&, Args&&... args) {
    return new_object<T>(std::forward<Args>(args)...);
  }
  template <class T>
  void delete_object(T* object) {
    if constexpr (std::is_base_of_v<task, T>) {
      object->runs_with = nullptr;
    }
    delete object;
  }
  template <class T>
  void delete_object(T* object, const execution_data&) {
    delete_object(object);
  }
  /// Frees the memory of an object that was destroyed.
  template <class T>
  void deallocate(T* object) {
    free_memory<T>(object);
  }
  template <class T>
  void deallocate(T* object, const execution_data&) {
    deallocate(object);
  }
  template <class T>
  void deallocate(T* object, execution_data& with) {
    if (with.left == object) {
      with.left = nullptr;
    }
    deallocate(object);
  }

private:
  template <class T>
  static void free_memory(void* memory) {
    if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      ::operator delete(memory, std::align_val_t(alignof(T)));
    } else {
      ::operator delete(memory);
    }
  }
};

}  // namespace detail::d1

namespace nopal_detail {

/// What a running task spawned.
class task_list {
public:
  void push(tbb::detail::d1::task& one) {
    one.next_spawned = first_;
    first_ = &one;
  }
  tbb::detail::d1::task* pop() {
    tbb::detail::d1::task* const one = first_;
    if (one != nullptr) {
      first_ = one->next_spawned;
    }
    return one;
  }

private:
  tbb::detail::d1::task* first_ = nullptr;
};

/// A tree of low-level tasks. What a task spawns is forked when it is over.
class task_tree {
public:
  explicit task_tree(const algorithm& self) : self_(self) {}

  /// In oneTBB's order where nothing is stolen: the task that one returns before those that it spawned, the latest of them
  /// first. What is next to each other in memory, as a rule, follows one another.
  // NOLINTNEXTLINE(misc-no-recursion): as deep as tasks spawn tasks, or return others beside those
  void run(tbb::detail::d1::task* one) {
    nopal::scope spawned;
    while (one != nullptr) {
      task_list list;
      tbb::detail::d1::task* next = run_one(*one, list);
      // The last one is run by this loop.
      while (tbb::detail::d1::task* const child = list.pop()) {
        if (next != nullptr) {
          begin(spawned, next);
        }
        next = child;
      }
      one = next;
    }
    spawned.join();
  }

  void rethrow() {
    if (failed_.load(std::memory_order_acquire)) {
      exception_.rethrow();
    }
  }

private:
  // Inlined: only the function that made the scope forks on it.
  // NOLINTNEXTLINE(misc-no-recursion): see run()
  [[gnu::always_inline]] void begin(nopal::scope& spawned, tbb::detail::d1::task* one) {
    if (self_.serial()) {
      run(one);
    } else {
      spawned.fork([this, one] { run(one); });
    }
  }
  tbb::detail::d1::task* run_one(tbb::detail::d1::task& one, task_list& list) {
    execution now = self_.now();
    now.spawned = &list;
    tbb::detail::d1::execution_data with{now.context};
    one.runs_with = &with;
    tbb::detail::d1::task* next = nullptr;
    NOPAL_TBB_TRY {
      const body_call inside(&now);
      next = self_.is_cancelled() ? one.cancel(with) : one.execute(with);
    }
    NOPAL_TBB_CATCH {
      // The first stores the exception; the join orders that before rethrow().
      nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
      thrown.keep();
      if (!failed_.exchange(true, std::memory_order_acq_rel)) {
        swap(exception_, thrown);
      }
      now.context->cancel_group_execution();
      // The task is there still, and has to release who waits for it.
      next = one.cancel(with);
    }
    if (with.left != nullptr) {
      with.frees_left(with.left);
    }
    return next;
  }

  const algorithm& self_;
  std::atomic<bool> failed_{false};
  nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception exception_;
};

}  // namespace nopal_detail

namespace detail::d1 {

/// Has `one` run when the task that calls this is over. Only from a task that `execute_and_wait`
/// runs.
inline void spawn(task& one, task_group_context&) {
  const nopal_detail::execution* const now = nopal_detail::current();
  if (now == nullptr || now->spawned == nullptr) {
    std::terminate();
  }
  now->spawned->push(one);
}

/// Runs `one` and all that it spawns. Throws the first exception.
inline void execute_and_wait(task& one, task_group_context& context, wait_context&, task_group_context&) {
  const nopal_detail::algorithm self(context);
  // A task is run or cancelled, in any case.
  nopal_detail::own_forks forks;
  if (nopal_detail::innermost_part() != nullptr) {
    forks.shield();
  }
  nopal_detail::task_tree tree(self);
  tree.run(&one);
  tree.rethrow();
}

}  // namespace detail::d1
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
