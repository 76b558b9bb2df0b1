// What oneTBB's flow graphs stand on here, beside what its containers do (theirs.h): tasks, waits and arenas.
//
// A graph has a context, a count of what its wait waits for, and an arena; it submits tasks to the arena. Here the arena
// has the group of those tasks. Who waits for the count waits for that group, so it runs the graph's tasks meanwhile;
// and for one more of the group that ends when the count is zero, as what is outside of the graph may hold the count.
#ifndef NOPAL_COMPAT_TBB_DETAIL_THEIRS_TASKS_H
#define NOPAL_COMPAT_TBB_DETAIL_THEIRS_TASKS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <queue>
#include <utility>

#include "../enumerable_thread_specific.h"
#include "../info.h"
#include "../null_mutex.h"
#include "../null_rw_mutex.h"
#include "../spin_mutex.h"
#include "../spin_rw_mutex.h"
#include "../task_arena.h"
#include "../task_group.h"
#include "flow_control.h"
#include "theirs.h"
#include "theirs_waits.h"

// Guards of their headers.
#define __TBB__small_object_pool_H
#define __TBB__task_H
#define __TBB_enumerable_thread_specific_H
#define __TBB_info_H
#define __TBB_null_mutex_H
#define __TBB_null_rw_mutex_H
#define __TBB_parallel_filters_H
#define __TBB_spin_mutex_H
#define __TBB_spin_rw_mutex_H
#define __TBB_task_H
#define __TBB_task_arena_H
#define __TBB_task_group_H

namespace NOPAL_TBB_THEIRS {
namespace detail {
namespace ours = ::tbb::NOPAL_TBB_NAMESPACE;
namespace d1 {

using ours::enumerable_thread_specific;
using ours::ets_key_per_instance;
using ours::ets_key_usage_type;
using ours::ets_no_key;
using ours::ets_suspend_aware;
using ours::flow_control;
using ours::null_mutex;
using ours::null_rw_mutex;
using ours::spin_mutex;
using ours::spin_rw_mutex;
using ours::task_group_context;

using slot_id = unsigned short;
constexpr slot_id no_slot = static_cast<slot_id>(~0U);
constexpr slot_id any_slot = static_cast<slot_id>(~1U);

/// What a task is run with.
struct execution_data {
  task_group_context* context = nullptr;
  slot_id original_slot = 0;
  slot_id affinity_slot = no_slot;
};

/// A unit of work. `execute` and `cancel` return the task to run next, or null, and destroy this one if it is over.
class task {
public:
  virtual task* execute(execution_data& with) = 0;
  virtual task* cancel(execution_data& with) = 0;

protected:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  virtual ~task() = default;

private:
  friend class urgent_tasks;
  task* next_ = nullptr;         // in one of its lists
  std::uint64_t isolation_ = 0;  // the number of the call that it was put in there
};

/// Makes objects and frees them.
class small_object_allocator {
public:
  template <class T, class... Args>
  T* new_object(Args&&... args) {
    return new T(std::forward<Args>(args)...);
  }
  template <class T, class... Args>
  T* new_object(const execution_data&, Args&&... args) {
    return new T(std::forward<Args>(args)...);
  }
  template <class T, class... Args>
  T* new_object(execution_data&, Args&&... args) {
    return new T(std::forward<Args>(args)...);
  }
  template <class T>
  void delete_object(T* object) {
    delete object;
  }
  template <class T>
  void delete_object(T* object, const execution_data&) {
    delete object;
  }
  /// Frees the memory of an object that was destroyed.
  template <class T>
  void deallocate(T* object) {
    if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      ::operator delete(object, std::align_val_t(alignof(T)));
    } else {
      ::operator delete(object);
    }
  }
  template <class T>
  void deallocate(T* object, const execution_data&) {
    deallocate(object);
  }
};

/// One that counts what a wait waits for.
class wait_tree_vertex_interface {
public:
  virtual void reserve(std::uint32_t more = 1) = 0;
  virtual void release(std::uint32_t fewer = 1) = 0;

protected:
  virtual ~wait_tree_vertex_interface() = default;
};
class wait_context_vertex : public wait_tree_vertex_interface {
public:
  explicit wait_context_vertex(std::uint32_t count = 0) : wait_(count) {}
  void reserve(std::uint32_t more = 1) override { wait_.reserve(more); }
  void release(std::uint32_t fewer = 1) override { wait_.release(fewer); }
  wait_context& get_context() { return wait_; }

private:
  wait_context wait_;
};

/// An arena of a graph, with the graph's tasks.
class task_arena_base {
public:
  struct attach {};
};
class task_arena : public task_arena_base {
public:
  explicit task_arena(attach) { initialize(attach()); }
  task_arena(const task_arena&) = delete;
  task_arena& operator=(const task_arena&) = delete;
  ~task_arena() = default;

  [[nodiscard]] bool is_active() const { return arena_.has_value(); }
  void initialize() { initialize(attach()); }
  void initialize(attach) {
    if (!arena_) {
      state_ = ours::nopal_detail::current_arena();
      arena_.emplace(ours::task_arena::attach());  // keeps that one, if there is one
    }
  }
  void terminate() { arena_.reset(); }

  /// What waits in `f` for a count waits for the graph's tasks.
  template <class F>
  void execute(const F& f) {
    const auto call = [this, &f] {
      tasks_of_wait = &tasks_;  // nothing comes between this and the wait, so it is this thread's
      f();
    };
    if (state_ == nullptr) {
      call();  // the arena of all workers: the caller is in it
    } else {
      arena_->execute(call);
    }
  }
  void submit(task& one, task_group_context& context, bool is_urgent) {
    is_urgent ? tasks_.push_urgent(one, context, state_) : tasks_.push(&one, context, state_);
  }

private:
  graph_tasks tasks_;
  std::optional<ours::task_arena> arena_;
  ours::nopal_detail::arena_state* state_ = nullptr;
};

inline void submit(task& one, task_arena& arena, task_group_context& context, bool is_urgent) {
  arena.submit(one, context, is_urgent);
}

inline void wait(wait_context& count, task_group_context& /*context*/) { wait_for(count); }

inline void graph_tasks::run(task* one, task_group_context& context,
                             ours::nopal_detail::arena_state* arena) noexcept {
  const ours::nopal_detail::algorithm self(context, arena);
  execution_data with{&context};
  one = urgent_.next(one);
  while (one != nullptr) {
    NOPAL_TBB_TRY {
      const ours::nopal_detail::body_call inside(&self.now());
      task* const then = self.is_cancelled() ? one->cancel(with) : one->execute(with);
      one = then != nullptr ? urgent_.next(then) : nullptr;
    }
    NOPAL_TBB_CATCH {
      // The first counts, for which this is true; the end of its task comes before the wait's. The task is there
      // still, and is cancelled next.
      ours::nopal_detail::end_if_asked();
      nopal::NOPAL_MODE_NAMESPACE::detail::kept_exception thrown;
      thrown.keep();
      if (!failed_.exchange(true, std::memory_order_acq_rel)) {
        swap(exception_, thrown);
      }
      context.cancel_group_execution();
    }
  }
}

/// The number of the call that isolates the caller; 0: there is none.
inline std::uint64_t isolation_of_caller() noexcept {
#ifdef NOPAL_ELIDE
  return 0;
#else
  return nopal_isolation();
#endif
}

inline void urgent_tasks::push(task& one) noexcept {
  one.isolation_ = isolation_of_caller();
  const std::lock_guard<std::mutex> lock(mutex_);
  urgent_.add(one);
  count_.fetch_add(1, std::memory_order_relaxed);
}

inline task* urgent_tasks::next(task* one) noexcept {
  // Relaxed: who pushed before `one` was pushed is seen by way of that, and later ones may be missed.
  if (one != nullptr && count_.load(std::memory_order_relaxed) == 0) {
    return one;
  }
  const std::uint64_t isolation = isolation_of_caller();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (task* const urgent = urgent_.take(isolation)) {
    count_.fetch_sub(1, std::memory_order_relaxed);
    if (one != nullptr) {
      one->isolation_ = isolation;
      put_off_.add(*one);
    }
    return urgent;
  }
  return one != nullptr ? one : put_off_.take(isolation);
}

inline void urgent_tasks::list::add(task& one) noexcept {
  one.next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = &one;
  last_ = &one;
}

inline task* urgent_tasks::list::take(std::uint64_t isolation) noexcept {
  task* before = nullptr;
  task* one = first_;
  while (one != nullptr && one->isolation_ != isolation) {
    before = one;
    one = one->next_;
  }
  if (one != nullptr) {
    (before != nullptr ? before->next_ : first_) = one->next_;
    last_ = one == last_ ? before : last_;
  }
  return one;
}

inline void graph_tasks::push_urgent(task& one, task_group_context& context,
                                     ours::nopal_detail::arena_state* arena) {
  urgent_.push(one);
  NOPAL_TBB_TRY { push(nullptr, context, arena); }
  NOPAL_TBB_CATCH { run(nullptr, context, arena); }  // without memory for another one to do so
}

#ifdef NOPAL_ELIDE

// A graph submits where it holds a lock, so tasks are kept for the wait.
inline void graph_tasks::push(task* one, task_group_context& context,
                              ours::nopal_detail::arena_state* arena) {
  const std::lock_guard<std::mutex> lock(mutex_);
  left_.push_back({one, &context, arena});
}

inline void graph_tasks::wait_until_zero(const wait_context& count) {
  ours::nopal_detail::backoff pause;
  for (bool more = true; more; more = count.continue_execution()) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!left_.empty()) {
      const entry next = left_.front();
      left_.pop_front();
      lock.unlock();
      run(next.one, *next.context, next.arena);
      lock.lock();
    }
    lock.unlock();
    if (count.continue_execution()) {
      pause.wait();  // for another thread
    }
  }
  if (failed_.exchange(false, std::memory_order_acquire)) {
    exception_.rethrow();
  }
}

#else

class graph_tasks::submitted final : public ours::nopal_detail::pending_task {
public:
  submitted(graph_tasks& of, task* one, task_group_context& context)
      : of_(of), one_(one), context_(context) {}
  void call() noexcept override { of_.run(one_, context_, arena()); }

private:
  graph_tasks& of_;
  task* one_;
  task_group_context& context_;
};

inline void graph_tasks::push(task* one, task_group_context& context,
                              ours::nopal_detail::arena_state* arena) {
  auto pending = std::make_unique<submitted>(*this, one, context);
  tasks_.push_sharing(pending.get(), arena);
  static_cast<void>(pending.release());
}

inline void graph_tasks::wait_until_zero(const wait_context& count) {
  for (bool more = true; more;) {
    wait_context::bridge held{&count, this, nullptr};
    more = count.build(held);
    tasks_.wait(ours::nopal_detail::current_arena());  // the bridge has ended, too
  }
  if (failed_.exchange(false, std::memory_order_acquire)) {
    exception_.rethrow();
  }
}

#endif

}  // namespace d1

namespace r1 {
inline d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface* one) {
  return one;
}
inline void* allocate_memory(std::size_t size) { return ::operator new(size); }
inline void deallocate_memory(void* memory) { ::operator delete(memory); }
}  // namespace r1
}  // namespace detail

using detail::d1::enumerable_thread_specific;
using detail::d1::ets_key_per_instance;
using detail::d1::ets_key_usage_type;
using detail::d1::ets_no_key;
using detail::d1::ets_suspend_aware;
using detail::d1::flow_control;
using detail::d1::null_mutex;
using detail::d1::null_rw_mutex;
using detail::d1::spin_mutex;
using detail::d1::spin_rw_mutex;
using detail::d1::task_arena;
using detail::d1::task_group_context;
}  // namespace NOPAL_TBB_THEIRS

#endif
