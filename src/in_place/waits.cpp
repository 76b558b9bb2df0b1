// Spawning, running and waiting.
//
// A task is one of those that some wait is for: of the call of execute_and_wait that it is part of, or, if it was spawned with
// the context of something else, of that context's. A wait for a count (wait_context) waits for these tasks and then,
// where the count is not zero yet, for one more that ends when it is: who releases the last may find the count gone after
// that, so those who wait are in a table of the process, by its address.

#include <cstddef>
#include <memory>
#include <mutex>

#include "in_place/contexts.hpp"

namespace tbb::detail::r1 {

constinit thread_local frame* innermost = nullptr;

/// Has access to counts.
class thread_data {
public:
  static bool is_zero(const d1::wait_context& count) noexcept { return !count.continue_execution(); }
};

namespace {

using ours::nopal_detail::arena_state;

/// Holds tasks open until a count is zero.
struct bridge {
  const d1::wait_context* of;
  tasks* held;
  bridge* next;
};

class bridges {
public:
  /// False: the count is zero.
  bool build(bridge& one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    one.next = first_;
    first_ = &one;
    // The fence pairs with the one in end(), which comes after the change of the count: either who releases the last
    // sees this, or it is seen to be zero here. `count_` is changed under the lock alone.
    count_.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (thread_data::is_zero(*one.of)) {
      first_ = one.next;
      count_.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    one.held->announce();
    return true;
  }
  void end(std::uintptr_t count) noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one in build()
    if (count_.load(std::memory_order_relaxed) == 0) {
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (bridge** at = &first_; *at != nullptr;) {
      bridge* const one = *at;
      if (reinterpret_cast<std::uintptr_t>(one->of) == count) {
        *at = one->next;
        count_.fetch_sub(1, std::memory_order_relaxed);
        one->held->finish_one();  // its waiter may go on, and the bridge is gone
      } else {
        at = &one->next;
      }
    }
  }

private:
  std::mutex mutex_;
  bridge* first_ = nullptr;
  std::atomic<std::size_t> count_{0};
};

bridges& all_bridges() noexcept {
  static bridges one;
  return one;
}

void wait_until_zero(const d1::wait_context& count, tasks& of) {
  do {
    of.wait(ours::nopal_detail::current_arena());
    bridge held{&count, &of, nullptr};
    if (thread_data::is_zero(count) || !all_bridges().build(held)) {
      return;
    }
    of.wait(ours::nopal_detail::current_arena());  // the bridge has ended, too
  } while (!thread_data::is_zero(count));
}

d1::slot_id slot_of_thread() {
  const int index = ours::this_task_arena::current_thread_index();
  return index < 0 ? 0 : static_cast<d1::slot_id>(index);
}

/// The context's list, bound to what the caller is part of.
context_list& used(d1::task_group_context& context) noexcept {
  context_list& list = task_group_context_impl::of(context);
  list.bind(innermost != nullptr && list.is_bound() ? innermost->list : nullptr);
  return list;
}

class spawned final : public ours::nopal_detail::pending_task {
public:
  spawned(tasks& of, d1::task* one, d1::task_group_context& context, d1::slot_id affinity)
      : of_(of), one_(one), context_(context), with_{&context, slot_of_thread(), affinity} {}
  void call() noexcept override { run(one_, context_, of_, arena(), with_); }

private:
  tasks& of_;
  d1::task* one_;
  d1::task_group_context& context_;
  d1::execution_data with_;
};

}  // namespace

void run(d1::task* one, d1::task_group_context& context, tasks& of, arena_state* arena,
         d1::execution_data& with) noexcept {
  const context_use list(context);
  const ours::nopal_detail::algorithm self(list->own(), arena);
  frame here{&context, &*list, &of, innermost};
  innermost = &here;
  one = list->urgent().next(one);
  while (one != nullptr) {
    try {
      const ours::nopal_detail::body_call inside(&self.now());
      d1::task* const then =
          self.is_cancelled() || list->is_cancelled() ? one->cancel(with) : one->execute(with);
      one = then != nullptr ? list->urgent().next(then) : nullptr;
    } catch (...) {
      list->keep_exception();  // the task is there still, and is cancelled next
    }
  }
  innermost = here.outer;
}

void spawn_in(d1::task* one, d1::task_group_context& context, arena_state* arena, d1::slot_id affinity) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  context_list& list = used(actual);
  tasks& of = innermost != nullptr && innermost->list == &list ? *innermost->of : list.spawned();
  auto pending = std::make_unique<spawned>(of, one, actual, affinity);
  of.push(pending.get(), arena);
  static_cast<void>(pending.release());
}

void spawn(d1::task& one, d1::task_group_context& context) {
  spawn_in(&one, context, ours::nopal_detail::current_arena(), d1::no_slot);
}
void spawn(d1::task& one, d1::task_group_context& context, d1::slot_id affinity) {
  spawn_in(&one, context, ours::nopal_detail::current_arena(), affinity);
}

void execute_and_wait(d1::task& one, d1::task_group_context& context, d1::wait_context& count,
                      d1::task_group_context& context_of_wait) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  used(actual);
  tasks of;
  d1::execution_data with{&actual, slot_of_thread(), d1::no_slot};
  run(&one, actual, of, ours::nopal_detail::current_arena(), with);
  wait_until_zero(count, of);
  task_group_context_impl::of(context_of_wait).throw_kept();
}

void wait(d1::wait_context& count, d1::task_group_context& context) {
  context_list& list = used(task_group_context_impl::actual(context));
  const context_use kept(context);
  bool is_part = false;
  for (const frame* at = innermost; at != nullptr; at = at->outer) {
    is_part = is_part || at->of == &list.spawned();
  }
  if (is_part) {
    // It is a part of what it would wait for. What it waits for is taken by others, or by this thread as what
    // it has started itself.
    tasks none;
    wait_until_zero(count, none);
  } else {
    wait_until_zero(count, list.spawned());
  }
  list.throw_kept();
}

void notify_waiters(std::uintptr_t count) { all_bridges().end(count); }

d1::slot_id execution_slot(const d1::execution_data* with) {
  const int index = ours::this_task_arena::current_thread_index();
  // A thread that has nothing to do with the pool asks without a task, and is told so.
  return index < 0 ? with != nullptr ? 0 : static_cast<d1::slot_id>(-1) : static_cast<d1::slot_id>(index);
}

d1::task_group_context* current_context() {
  static d1::task_group_context outermost(d1::task_group_context::isolated);
  return innermost != nullptr ? innermost->context : &outermost;
}

}  // namespace tbb::detail::r1
