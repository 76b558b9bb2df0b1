// Spawning, running and waiting.
//
// A task is one of those of the code that spawned it, where that runs with the same context, and else of the context's. A wait
// for a count (wait_context) runs these, and ends when the count is zero, whatever tasks are left: a context may be that of
// several groups. Who releases the last may find the count gone after that, so those who may sleep are in a table of the
// process, by its address.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "in_place/contexts.hpp"

namespace tbb::detail::r1 {

constinit thread_local frame* innermost = nullptr;
constinit thread_local bool has_begun = false;
constinit thread_local bool is_beside_workers = false;

int index_of_thread() {
  const auto* const now = ours::nopal_detail::current_presence();
  if (now != nullptr && now->where != nullptr && now->where->arena != nullptr) {
    return ours::this_task_arena::current_thread_index();
  }
  if (is_beside_workers) {
    return nopal::workers();
  }
  // As current_thread_index() has it, without a look at how many workers there are: each index is below that.
  const int index = nopal::worker_index();
  if (index <= 0) {
    return now != nullptr ? 0 : index;
  }
  const int limit = ours::nopal_detail::global_limit.load(std::memory_order_relaxed);  // a number alone
  return (limit == 0 || index < limit) && index < nopal_workers_outside() ? index : 0;
}

d1::slot_id slot_of_thread() {
  const int index = index_of_thread();
  return index < 0 ? 0 : static_cast<d1::slot_id>(index);
}

namespace {

/// The floating-point settings that were captured for a context, if any were, while it lives.
class float_settings {
public:
  explicit float_settings(d1::task_group_context& context) noexcept
      : is_set_(task_group_context_impl::has_float_settings(context)) {
    if (is_set_) {
      before_ = float_modes();
      set_float_modes(task_group_context_impl::float_settings(context));
    }
  }
  float_settings(const float_settings&) = delete;
  float_settings& operator=(const float_settings&) = delete;
  ~float_settings() {
    if (is_set_) {
      set_float_modes(before_);
    }
  }

private:
  const bool is_set_;
  std::uint64_t before_ = 0;
};

}  // namespace

/// Has access to counts.
class thread_data {
public:
  static bool is_zero(const d1::wait_context& count) noexcept { return !count.continue_execution(); }
};

namespace {

using ours::nopal_detail::arena_state;

class zero;

/// Waits whose counts have addresses of one kind.
struct alignas(64) row {
  std::mutex mutex;
  zero* first = nullptr;                // under the lock
  std::atomic<std::size_t> entries{0};  // changed under the lock, looked at without
};
constinit std::array<row, 64> rows;

row& row_of(const void* count) noexcept {
  const auto number = reinterpret_cast<std::uintptr_t>(count);
  return rows[(number >> 6U ^ number >> 12U) % rows.size()];
}

/// The end of a wait: the count is zero. In the waiter's frame.
class zero final : public nopal_task_wait_end {
public:
  zero(const d1::wait_context& count, tasks& of) noexcept
      : nopal_task_wait_end{[](const nopal_task_wait_end* end) -> int { return is_zero(*end) ? 1 : 0; },
                            [](nopal_task_wait_end* end) { static_cast<zero*>(end)->enter(); },
                            [](const nopal_task_wait_end* end) -> int {
                              const zero& self = static_cast<const zero&>(*end);
                              // In this order: the last of them may have ended the wait just now.
                              return self.of_.has_isolated(self.isolation_) || is_zero(*end) ? 1 : 0;
                            }},
        count_(count), of_(of), isolation_(nopal_isolation()) {
    for (frame* one = isolation_ == 0 ? nullptr : innermost; one != nullptr; one = one->outer) {
      if (one->counted == &of_ && one->isolation == isolation_ && one->waits == nullptr) {
        one->waits = this;
        of_.begin_wait(isolation_);
      }
    }
  }
  zero(const zero&) = delete;
  zero& operator=(const zero&) = delete;
  ~zero() {
    for (frame* one = isolation_ == 0 ? nullptr : innermost; one != nullptr; one = one->outer) {
      if (one->waits == this) {
        one->waits = nullptr;
        of_.end_wait(isolation_);
      }
    }
    if (is_entered_) {
      row& mine = row_of(&count_);
      const std::lock_guard<std::mutex> lock(mine.mutex);
      (previous_ != nullptr ? previous_->next_ : mine.first) = next_;
      if (next_ != nullptr) {
        next_->previous_ = previous_;
      }
      mine.entries.fetch_sub(1, std::memory_order_relaxed);  // who still looks finds it gone
    }
  }

  /// Has those ask again that wait for the count, which is zero or gone.
  static void tell(std::uintptr_t count) noexcept {
    row& there = row_of(reinterpret_cast<const void*>(count));
    // Pairs with the fence in enter(): either who waits is seen here, or sees there that the count is zero.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (there.entries.load(std::memory_order_relaxed) == 0) {
      return;
    }
    const std::lock_guard<std::mutex> lock(there.mutex);
    for (const zero* one = there.first; one != nullptr; one = one->next_) {
      if (reinterpret_cast<std::uintptr_t>(&one->count_) == count) {
        one->of_.tell();  // under the lock, so the one that waits is there
      }
    }
  }

private:
  static bool is_zero(const nopal_task_wait_end& end) noexcept {
    return thread_data::is_zero(static_cast<const zero&>(end).count_);
  }
  void enter() noexcept {
    row& mine = row_of(&count_);
    const std::lock_guard<std::mutex> lock(mine.mutex);
    next_ = mine.first;
    if (next_ != nullptr) {
      next_->previous_ = this;
    }
    mine.first = this;
    is_entered_ = true;
    // The fence pairs with the one in tell(), which comes after the change of the count.
    mine.entries.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  const d1::wait_context& count_;
  tasks& of_;
  const std::uint64_t isolation_;
  zero* next_ = nullptr;  // in its row, under the lock
  zero* previous_ = nullptr;
  bool is_entered_ = false;
};

void wait_until_zero(const d1::wait_context& count, tasks& of) {
  if (!thread_data::is_zero(count)) {
    zero end(count, of);
    of.wait_until(ours::nopal_detail::current_arena(), &end);
  }
}

/// The context's list, bound to what the caller is part of.
context_list& used(d1::task_group_context& context) noexcept {
  context_list& list = task_group_context_impl::of(context);
  list.bind(innermost != nullptr && list.is_bound() ? innermost->list : nullptr);
  has_begun = true;
  return list;
}

/// What the caller spawns with the context is one of these.
tasks& tasks_of(context_list& list) noexcept {
  return innermost != nullptr && innermost->list == &list ? *innermost->of : list.spawned();
}

class spawned final : public ours::nopal_detail::pending_task {
public:
  spawned(tasks& of, d1::task* one, d1::task_group_context& context, d1::slot_id affinity)
      : of_(of), one_(one), context_(context), with_{&context, slot_of_thread(), affinity},
        isolation_(of.isolation_now()) {
    if (isolation_ != 0) {
      of_.begin_isolated(isolation_);
    }
  }
  spawned(const spawned&) = delete;
  spawned& operator=(const spawned&) = delete;
  ~spawned() override {
    if (isolation_ != 0) {
      of_.end_isolated(isolation_);
    }
  }
  void call() noexcept override { run(one_, context_, of_, arena(), with_, isolation_); }

  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { give_block(memory, bytes); }

private:
  tasks& of_;
  d1::task* one_;
  d1::task_group_context& context_;
  d1::execution_data with_;
  const std::uint64_t isolation_;
};

}  // namespace

void run(d1::task* one, d1::task_group_context& context, tasks& of, arena_state* arena,
         d1::execution_data& with, std::uint64_t isolation) noexcept {
  // It is there until the task is over, as the one that runs is of its tasks or of those that some code in it waits for.
  context_list* const list = &task_group_context_impl::of(context);
  frame here{&context, list, &of, innermost, one, isolation != 0 ? &of : nullptr, isolation, nullptr};
  innermost = &here;
  const float_settings settings(context);
  try {
    const ours::nopal_detail::algorithm self(list->own(), arena);
    const ours::nopal_detail::body_call inside(&self.now());
    one = list->urgent().next(one);
    while (one != nullptr) {
      here.task = one;
      try {
        d1::task* const then =
            self.is_cancelled() || list->is_cancelled() ? one->cancel(with) : one->execute(with);
        one = then != nullptr ? list->urgent().next(then) : nullptr;
      } catch (...) {
        list->keep_exception();  // the task is there still, and is cancelled next
      }
    }
  } catch (...) {
    list->keep_exception();  // without memory for the call
    one = list->urgent().next(one);
    while (one != nullptr) {
      one = one->cancel(with);
    }
  }
  innermost = here.outer;
}

namespace {

void spawn_of(tasks& of, d1::task* one, d1::task_group_context& context, arena_state* arena,
              d1::slot_id affinity, bool is_of_graph) {
  try {
    auto pending = std::make_unique<spawned>(of, one, context, affinity);
    is_of_graph ? of.push_sharing(pending.get(), arena) : of.push(pending.get(), arena);
    static_cast<void>(pending.release());
  } catch (const std::bad_alloc&) {
    // Who spawns has counted the task already, so it is to run: now.
    d1::execution_data with{&context, slot_of_thread(), affinity};
    run(one, context, of, arena, with);
  }
}

}  // namespace

void spawn_in(d1::task* one, d1::task_group_context& context, arena_state* arena, d1::slot_id affinity,
              bool is_of_graph) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  spawn_of(tasks_of(used(actual)), one, actual, arena, affinity, is_of_graph);
}

void spawn_for_any(d1::task& one, d1::task_group_context& context) {
  spawn_of(used(context).spawned(), &one, context, nullptr, d1::no_slot, false);
}

void spawn(d1::task& one, d1::task_group_context& context) {
  spawn_in(&one, context, ours::nopal_detail::current_arena(), d1::no_slot, false);
}
void spawn(d1::task& one, d1::task_group_context& context, d1::slot_id affinity) {
  spawn_in(&one, context, ours::nopal_detail::current_arena(), affinity, false);
}

void execute_and_wait(d1::task& one, d1::task_group_context& context, d1::wait_context& count,
                      d1::task_group_context& context_of_wait) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  tasks& of = tasks_of(used(actual));
  d1::execution_data with{&actual, slot_of_thread(), d1::no_slot};
  run(&one, actual, of, ours::nopal_detail::current_arena(), with);
  wait_until_zero(count, of);
  task_group_context_impl::of(context_of_wait).throw_kept();
}

void wait(d1::wait_context& count, d1::task_group_context& context) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  const context_use kept(actual);
  wait_until_zero(count, tasks_of(used(actual)));
  kept->throw_kept();
}

void notify_waiters(std::uintptr_t count) { zero::tell(count); }

/// A group's tasks are counted in one place.
d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface* count) {
  return count;
}

d1::slot_id execution_slot(const d1::execution_data* with) {
  if (with == nullptr && ours::nopal_detail::current_arena() == nullptr) {
    ours::nopal_detail::keep_indices();  // it is the program that asks
  }
  const int index = index_of_thread();
  // A thread that has had nothing to do with the pool asks without a task, and is told so.
  return index >= 0                     ? static_cast<d1::slot_id>(index)
         : with != nullptr || has_begun ? 0
                                        : static_cast<d1::slot_id>(-1);
}

d1::task* current_task_ptr() { return innermost != nullptr ? innermost->task : nullptr; }
d1::task_group_context* current_context() { return innermost != nullptr ? innermost->context : nullptr; }

}  // namespace tbb::detail::r1
