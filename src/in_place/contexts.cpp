// Contexts: cancellation, exceptions, and how one is inside of another.

#include "in_place/contexts.hpp"

#include <fenv.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace tbb::detail::r1 {

/// Of calls that tasks were put in which are not over.
struct tasks::counts {
  struct count {
    std::uint64_t call;
    std::size_t tasks;
    std::size_t waiting;  // of these
  };
  /// There is one. Under the lock, as all that follows.
  count& of(std::uint64_t call) noexcept {
    return *std::find_if(all.begin(), all.end(), [call](const count& one) { return one.call == call; });
  }

  ours::nopal_detail::tiny_lock mutex;
  std::vector<count> all;
};

tasks::~tasks() { delete isolated_.load(std::memory_order_acquire); }

void tasks::begin_isolated(std::uint64_t call) {
  // Release and acquire: who finds it finds it whole.
  counts* table = isolated_.load(std::memory_order_acquire);
  if (table == nullptr) {
    auto fresh = std::make_unique<counts>();
    if (isolated_.compare_exchange_strong(table, fresh.get(), std::memory_order_acq_rel)) {
      table = fresh.release();
    }
  }
  const std::lock_guard<ours::nopal_detail::tiny_lock> lock(table->mutex);
  for (counts::count& one : table->all) {
    if (one.call == call) {
      ++one.tasks;
      return;
    }
  }
  table->all.push_back({call, 1, 0});
}

void tasks::end_isolated(std::uint64_t call) noexcept {
  counts& table = *isolated_.load(std::memory_order_acquire);
  const std::lock_guard<ours::nopal_detail::tiny_lock> lock(table.mutex);
  counts::count& one = table.of(call);
  if (--one.tasks == 0) {
    one = table.all.back();
    table.all.pop_back();
  }
}

void tasks::begin_wait(std::uint64_t call) noexcept {
  counts& table = *isolated_.load(std::memory_order_acquire);
  const std::lock_guard<ours::nopal_detail::tiny_lock> lock(table.mutex);
  ++table.of(call).waiting;
}

void tasks::end_wait(std::uint64_t call) noexcept {
  counts& table = *isolated_.load(std::memory_order_acquire);
  const std::lock_guard<ours::nopal_detail::tiny_lock> lock(table.mutex);
  --table.of(call).waiting;
}

bool tasks::has_isolated(std::uint64_t call) noexcept {
  counts* const table = isolated_.load(std::memory_order_acquire);
  if (table == nullptr) {
    return false;
  }
  const std::lock_guard<ours::nopal_detail::tiny_lock> lock(table->mutex);
  return std::any_of(table->all.begin(), table->all.end(), [call](const counts::count& one) {
    return one.call == call && one.tasks != one.waiting;
  });
}

void urgent_tasks::push(d1::task& one) {
  const std::uint64_t isolation = nopal_isolation();
  const std::lock_guard<std::mutex> lock(mutex_);
  urgent_.push_back({&one, isolation});
  count_.fetch_add(1, std::memory_order_relaxed);
}

std::list<urgent_tasks::entry>::iterator urgent_tasks::first_in(std::list<entry>& list,
                                                                std::uint64_t isolation) noexcept {
  return std::find_if(list.begin(), list.end(),
                      [isolation](const entry& at) { return at.isolation == isolation; });
}

d1::task* urgent_tasks::next(d1::task* one) noexcept {
  // Relaxed: who pushed before `one` was spawned is seen by way of that, and later ones may be missed.
  if (one != nullptr && count_.load(std::memory_order_relaxed) == 0) {
    return one;
  }
  const std::uint64_t isolation = nopal_isolation();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto urgent = first_in(urgent_, isolation);
  if (urgent == urgent_.end()) {
    const auto put_off = one != nullptr ? put_off_.end() : first_in(put_off_, isolation);
    if (put_off != put_off_.end()) {
      one = put_off->one;
      put_off_.erase(put_off);
    }
    return one;
  }
  if (one != nullptr) {
    try {
      put_off_.push_back({one, isolation});
    } catch (...) {
      return one;  // without memory the order is another
    }
  }
  d1::task* const first = urgent->one;
  urgent_.erase(urgent);
  count_.fetch_sub(1, std::memory_order_relaxed);
  return first;
}

void context_list::bind(context_list* outer) noexcept {
  binding expected = binding::not_yet;
  // Acquire and release: who finds it bound finds what it is bound to.
  if (binding_.load(std::memory_order_acquire) != binding::not_yet ||
      !binding_.compare_exchange_strong(expected, binding::under_way, std::memory_order_acq_rel)) {
    return;
  }
  if (outer != nullptr && outer != this) {
    outer->refer();
    outer_.store(outer, std::memory_order_release);
  }
  binding_.store(binding::done, std::memory_order_release);
}

bool context_list::is_cancelled() const noexcept {
  if (!ours::nopal_detail::any_stopped()) [[likely]] {
    return false;
  }
  // Acquire pairs with the release in bind.
  for (const context_list* at = this; at != nullptr; at = at->outer_.load(std::memory_order_acquire)) {
    if (at->own_.is_group_execution_cancelled()) {
      return true;
    }
  }
  return false;
}

void context_list::reset() noexcept {
  own_.reset();
  failed_.store(false, std::memory_order_relaxed);  // nothing runs with it
  const std::lock_guard<std::mutex> lock(mutex_);
  thrown_ = nullptr;
}

void context_list::keep_exception() noexcept {
  ours::nopal_detail::end_if_asked();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (thrown_ == nullptr) {
      thrown_ = std::current_exception();
      // Release pairs with the acquire in throw_kept.
      failed_.store(true, std::memory_order_release);
    }
  }
  static_cast<void>(cancel());
}

void context_list::throw_kept() {
  if (!failed_.load(std::memory_order_acquire)) {
    return;
  }
  std::exception_ptr thrown;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    thrown = thrown_;
  }
  if (thrown != nullptr) {
    std::rethrow_exception(std::move(thrown));
  }
}

void context_list::end() noexcept {
  if (spawned_.is_done()) {
    delete this;
    return;
  }
  // A wait has ended with the count of the last task, whose caller has yet to tell `spawned_` so.
  const std::lock_guard<std::mutex> lock(mutex_of_over_);
  context_list* one = std::exchange(over_, this);
  next_over_ = nullptr;
  context_list** last = &next_over_;
  while (one != nullptr) {
    context_list* const next = one->next_over_;
    if (one->spawned_.is_done()) {
      delete one;
    } else {
      *last = one;
      last = &one->next_over_;
      *last = nullptr;
    }
    one = next;
  }
}

context_list::~context_list() {
  if (context_list* const outer = outer_.load(std::memory_order_acquire)) {
    outer->forget();
  }
}

#ifdef FE_DFL_MODE
std::uint64_t float_modes() noexcept {
  femode_t modes;
  static_assert(sizeof(modes) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  ::fegetmode(&modes);
  std::memcpy(&word, &modes, sizeof(modes));
  return word;
}
void set_float_modes(std::uint64_t word) noexcept {
  femode_t modes;
  std::memcpy(&modes, &word, sizeof(modes));
  ::fesetmode(&modes);
}
#else
std::uint64_t float_modes() noexcept { return static_cast<std::uint64_t>(::fegetround()); }
void set_float_modes(std::uint64_t modes) noexcept { ::fesetround(static_cast<int>(modes)); }
#endif

void task_group_context_impl::capture_float_settings(d1::task_group_context& context) noexcept {
  context.my_cpu_ctl_env = float_modes();
  context.my_traits.fp_settings = true;
}

void task_group_context_impl::initialize(d1::task_group_context& context) {
  context.my_cpu_ctl_env = 0;
  if (context.my_traits.fp_settings) {
    capture_float_settings(context);
  }
  context.my_cancellation_requested.store(0, std::memory_order_relaxed);
  context.my_may_have_children.store(0, std::memory_order_relaxed);
  context.my_state.store(d1::task_group_context::state::created, std::memory_order_relaxed);
  context.my_parent = nullptr;
  context.my_exception.store(nullptr, std::memory_order_relaxed);
  context.my_itt_caller = nullptr;
  context.my_context_list = new context_list(context.my_traits.bound);
}

void task_group_context_impl::destroy(d1::task_group_context& context) noexcept {
  context.my_state.store(d1::task_group_context::state::dead, std::memory_order_relaxed);
  std::exchange(context.my_context_list, nullptr)->forget();
}

void initialize(d1::task_group_context& context) { task_group_context_impl::initialize(context); }
void destroy(d1::task_group_context& context) { task_group_context_impl::destroy(context); }
void reset(d1::task_group_context& context) { task_group_context_impl::of(context).reset(); }
bool cancel_group_execution(d1::task_group_context& context) {
  return task_group_context_impl::of(context).cancel();
}
bool is_group_execution_cancelled(d1::task_group_context& context) {
  return task_group_context_impl::of(context).is_cancelled();
}
/// Tasks of other contexts have the settings of who spawned them.
void capture_fp_settings(d1::task_group_context& context) {
  task_group_context_impl::capture_float_settings(context);
}

}  // namespace tbb::detail::r1
