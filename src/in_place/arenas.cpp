// Arenas, observers and the settings of the process: ours, behind the words that oneTBB's objects have for the library.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "in_place/contexts.hpp"

namespace tbb::detail::r1 {

/// What an arena of theirs has here: one of ours, or none, where it was attached to by code in no arena.
class arena {
public:
  arena(int most, unsigned reserved, ours::task_arena::priority importance, int node)
      : own_(std::in_place, ours::task_arena::constraints(node, most), reserved, importance) {
    own_->execute([this] { state_ = ours::nopal_detail::current_arena(); });  // nobody else is in it
  }
  explicit arena(ours::task_arena::attach current) : state_(ours::nopal_detail::current_arena()) {
    if (state_ != nullptr) {
      own_.emplace(current);
    }
  }
  [[nodiscard]] ours::nopal_detail::arena_state* state() const noexcept { return state_; }
  /// Null: it stands for all workers.
  [[nodiscard]] ours::task_arena* own() noexcept { return own_ ? &*own_ : nullptr; }
  [[nodiscard]] int max_concurrency() const {
    return own_ ? own_->max_concurrency() : ours::nopal_detail::concurrency_of(nullptr);
  }
  template <class F>
  void execute(const F& call) {
    if (own_) {
      own_->execute(call);
    } else if (ours::nopal_detail::current_arena() == nullptr) {
      call();
    } else {
      ours::task_group_context context;
      const ours::nopal_detail::algorithm self(context, ours::nopal_detail::algorithm::entry_of(nullptr));
      const ours::nopal_detail::body_call inside(&self.now());
      call();
    }
  }

private:
  std::optional<ours::task_arena> own_;
  ours::nopal_detail::arena_state* state_ = nullptr;  // which that keeps
};

struct task_arena_impl {
  static arena& of(d1::task_arena_base& base) noexcept {
    return *base.my_arena.load(std::memory_order_acquire);
  }
  static arena* made(const d1::task_arena_base& base) noexcept {
    return base.my_arena.load(std::memory_order_acquire);
  }
  static void initialize(d1::task_arena_base& base) {
    using priority = ours::task_arena::priority;
    const priority importance = base.my_priority == d1::task_arena_base::priority::high  ? priority::high
                                : base.my_priority == d1::task_arena_base::priority::low ? priority::low
                                                                                         : priority::normal;
    auto fresh = std::make_unique<arena>(base.my_max_concurrency, base.my_num_reserved_slots, importance,
                                         base.my_numa_id);
    base.my_max_concurrency = fresh->max_concurrency();
    base.my_arena.store(fresh.release(), std::memory_order_release);
  }
  static void terminate(d1::task_arena_base& base) noexcept {
    delete base.my_arena.exchange(nullptr, std::memory_order_acq_rel);
  }
  static bool attach(d1::task_arena_base& base) {
    if (ours::nopal_detail::current_arena() == nullptr && !has_begun) {
      return false;
    }
    auto same = std::make_unique<arena>(ours::task_arena::attach());
    base.my_max_concurrency = same->max_concurrency();
    base.my_arena.store(same.release(), std::memory_order_release);
    return true;
  }
  /// Of one that is not active: as it would have.
  static int concurrency(const d1::task_arena_base& base) {
    return base.my_max_concurrency > 0 ? base.my_max_concurrency
                                       : ours::info::default_concurrency(base.my_numa_id);
  }
};

void initialize(d1::task_arena_base& base) { task_arena_impl::initialize(base); }
void terminate(d1::task_arena_base& base) { task_arena_impl::terminate(base); }
bool attach(d1::task_arena_base& base) { return task_arena_impl::attach(base); }
void execute(d1::task_arena_base& base, d1::delegate_base& call) {
  has_begun = true;
  task_arena_impl::of(base).execute([&call] { call(); });
}
/// Nothing: threads of the pool leave an arena that has no work.
void wait(d1::task_arena_base&) {}
/// Nothing: they come back as fast in any phase.
void enter_parallel_phase(d1::task_arena_base*, std::uintptr_t) {}
void exit_parallel_phase(d1::task_arena_base*, std::uintptr_t) {}

d1::slot_id execution_slot(const d1::task_arena_base& base) {
  const arena* const one = task_arena_impl::made(base);
  const int index = index_of_thread();
  return one != nullptr && one->state() == ours::nopal_detail::current_arena() && index >= 0
             ? static_cast<d1::slot_id>(index)
             : d1::no_slot;
}

int max_concurrency(const d1::task_arena_base* base) {
  if (base == nullptr) {
    return ours::this_task_arena::max_concurrency() +
           (is_beside_workers && ours::nopal_detail::current_arena() == nullptr ? 1 : 0);
  }
  if (arena* const one = task_arena_impl::made(*base)) {
    return one->max_concurrency();
  }
  return task_arena_impl::concurrency(*base);
}

void isolate_within_arena(d1::delegate_base& call, std::intptr_t) {
  // Waits in it run nothing that others have spawned, whatever contexts they have in common: see `tasks`.
  has_begun = true;
  ours::this_task_arena::isolate([&call] { call(); });
}

namespace {

/// Runs a task that nobody waits for.
void run_enqueued(d1::task& one, d1::task_group_context* context) {
  has_begun = true;
  if (ours::nopal_detail::current_arena() == nullptr && nopal::worker_index() < 0) {
    is_beside_workers = true;  // a thread that runs nothing but what was enqueued
  }
  if (context != nullptr) {
    d1::task_group_context& used = task_group_context_impl::actual(*context);
    const context_use list(used);
    d1::execution_data with{&used, slot_of_thread(), d1::no_slot};
    run(&one, used, list->spawned(), ours::nopal_detail::current_arena(), with);
    return;
  }
  d1::task_group_context own(d1::task_group_context::isolated);
  tasks of;
  d1::execution_data with{&own, slot_of_thread(), d1::no_slot};
  run(&one, own, of, ours::nopal_detail::current_arena(), with);
  of.wait(ours::nopal_detail::current_arena());
  try {
    task_group_context_impl::of(own).throw_kept();
  } catch (...) {
    std::terminate();  // nobody could catch it
  }
}

/// For workers of the pool, whose indices are nobody else's.
class enqueued_for_pool final : public ours::nopal_detail::pending_task {
public:
  explicit enqueued_for_pool(d1::task& one) : one_(one) {}
  void call() noexcept override { run_enqueued(one_, nullptr); }
  static void push(d1::task& one) {
    static auto& all = *new tasks;  // nobody waits for them
    auto fresh = std::make_unique<enqueued_for_pool>(one);
    all.push(fresh.get(), nullptr);
    static_cast<void>(fresh.release());
  }

private:
  d1::task& one_;
};

/// A call that keeps the context's list, and so the group that the call is of.
class call_with_context {
public:
  struct of {
    d1::task& one;
    d1::task_group_context& context;
  };
  explicit call_with_context(const of& what) noexcept : what_(what), kept_(what.context) {}
  void operator()() { run_enqueued(what_.one, &what_.context); }

private:
  const of what_;
  const context_use kept_;
};

/// What is enqueued in `base`, which null stands for the caller's, is for.
ours::nopal_detail::arena_state* where_of(d1::task_arena_base* base) noexcept {
  return base != nullptr ? task_arena_impl::of(*base).state() : ours::nopal_detail::current_arena();
}

bool is_for_pool(const ours::nopal_detail::arena_state* where) {
  return where == nullptr && ours::nopal_detail::concurrency_of(nullptr) > 1;
}

}  // namespace

void enqueue(d1::task& one, d1::task_arena_base* base) {
  has_begun = true;
  ours::nopal_detail::arena_state* const where = where_of(base);
  if (is_for_pool(where)) {
    return enqueued_for_pool::push(one);
  }
  const auto call = [&one] { run_enqueued(one, nullptr); };
  ours::nopal_detail::enqueued::push(
      new ours::nopal_detail::enqueued_call<std::remove_const_t<decltype(call)>>(where, call));
}

/// Whoever waits for tasks of the context may call it, too: in an arena that is full perhaps all wait that are there.
void enqueue(d1::task& one, d1::task_group_context& context, d1::task_arena_base* base) {
  d1::task_group_context& actual = task_group_context_impl::actual(context);
  ours::nopal_detail::arena_state* const where = where_of(base);
  if (is_for_pool(where)) {
    return spawn_for_any(one, actual);
  }
  try {
    auto* const call =
        new ours::nopal_detail::enqueued_call<call_with_context>(where, call_with_context::of{one, actual});
    call->group = &task_group_context_impl::of(actual).spawned();
    ours::nopal_detail::enqueued::push(call);
  } catch (const std::bad_alloc&) {
    // Whoever enqueues has counted the task for a wait, which would never end.
    spawn_in(&one, actual, where, d1::no_slot, false);
  }
}

void submit(d1::task& one, d1::task_group_context& context, arena* where, std::uintptr_t is_urgent) {
  if (is_urgent != 0) {
    task_group_context_impl::of(context).urgent().push(one);
  }
  spawn_in(is_urgent != 0 ? nullptr : &one, context, where == nullptr ? nullptr : where->state(), d1::no_slot,
           true);
}

class observer_proxy final : public ours::task_scheduler_observer {
public:
  explicit observer_proxy(d1::task_scheduler_observer& of) : of_(of) {}
  observer_proxy(d1::task_scheduler_observer& of, ours::task_arena& where)
      : ours::task_scheduler_observer(where), of_(of) {}
  ~observer_proxy() override { ours::task_scheduler_observer::observe(false); }
  void on_scheduler_entry(bool is_worker) override { of_.on_scheduler_entry(is_worker); }
  void on_scheduler_exit(bool is_worker) override { of_.on_scheduler_exit(is_worker); }

private:
  d1::task_scheduler_observer& of_;
};

void observe(d1::task_scheduler_observer& one, bool on) {
  if (!on) {
    delete one.my_proxy.exchange(nullptr, std::memory_order_acq_rel);
    return;
  }
  if (one.my_proxy.load(std::memory_order_acquire) != nullptr) {
    return;
  }
  std::unique_ptr<observer_proxy> fresh;
  if (one.my_task_arena == nullptr) {
    fresh = std::make_unique<observer_proxy>(one);
  } else {
    one.my_task_arena->initialize();
    ours::task_arena* const where = task_arena_impl::of(*one.my_task_arena).own();
    fresh = where != nullptr ? std::make_unique<observer_proxy>(one, *where)
                             : std::make_unique<observer_proxy>(one);
  }
  observer_proxy* const begins = fresh.get();
  one.my_proxy.store(fresh.release(), std::memory_order_release);
  begins->ours::task_scheduler_observer::observe(true);
}

/// Has access to the settings.
struct global_control_impl {
  static ours::global_control::parameter which(const d1::global_control& one) noexcept {
    return static_cast<ours::global_control::parameter>(one.my_param);
  }
  static std::size_t value(const d1::global_control& one) noexcept { return one.my_value; }
};

namespace {

struct controls {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<ours::global_control>> all;
};
controls& all_controls() {
  static auto* const one = new controls;  // objects of the program may end after those of this library
  return *one;
}

}  // namespace

void create(d1::global_control& one) {
  auto made = std::make_unique<ours::global_control>(global_control_impl::which(one),
                                                     global_control_impl::value(one));
  controls& table = all_controls();
  const std::lock_guard<std::mutex> lock(table.mutex);
  table.all[&one] = std::move(made);
}
void destroy(d1::global_control& one) {
  controls& table = all_controls();
  const std::lock_guard<std::mutex> lock(table.mutex);
  table.all.erase(&one);
}
std::size_t global_control_active_value(int which) {
  return ours::global_control::active_value(static_cast<ours::global_control::parameter>(which));
}

/// The word of a handle leads to one of ours.
void get(d1::task_scheduler_handle& handle) {
  handle.m_ctl = reinterpret_cast<d1::global_control*>(new ours::task_scheduler_handle(ours::attach()));
}
void release_impl(d1::task_scheduler_handle& handle) {
  delete reinterpret_cast<ours::task_scheduler_handle*>(std::exchange(handle.m_ctl, nullptr));
}
bool finalize_impl(d1::task_scheduler_handle& handle) {
  const bool is_over =
      innermost == nullptr &&  // in a task there is something to end, whether the pool runs or not
      ours::finalize(*reinterpret_cast<ours::task_scheduler_handle*>(handle.m_ctl), std::nothrow);
  release_impl(handle);
  return is_over;
}
bool finalize(d1::task_scheduler_handle& handle, std::intptr_t mode) {
  if (mode == d1::release_nothrowing) {
    release_impl(handle);
    return true;
  }
  const bool is_over = finalize_impl(handle);
  if (!is_over && mode == d1::finalize_throwing) {
    throw_exception(d0::exception_id::unsafe_wait);
  }
  return is_over;
}

}  // namespace tbb::detail::r1
