// What tasks, their waits and pinned calls call below themselves, and their lists as part of the state.

#include "models/task_world.hpp"

#include <climits>
#include <new>

#include <nopal/detail/pinned.h>

#include "scheduler/adoption.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/foreign_exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/tasks.hpp"
#include "strand/strand.hpp"
#include "view/task_views.hpp"

extern "C" {
[[noreturn]] void nopal_run_call(nopal::internal::worker* self) noexcept;
[[noreturn]] void nopal_finish_call(void* stack_pointer, nopal::internal::worker* self) noexcept;

void nopal_call_scheduler(void* self) {
  explore::the_task_world->call_scheduler(static_cast<nopal::internal::worker*>(self));
}
void nopal_call_on_stack(void* stack_top, void (*function)(void*) noexcept, void* argument) {
  function(argument);
  nopal_finish_call(stack_top, nopal::internal::this_worker());
}
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

void set_this_worker(worker* self) noexcept { explore::the_task_world->set_worker(self); }
worker* make_worker() noexcept { return explore::the_task_world->nested_worker(); }
void end_visits_of(worker*) noexcept {}
const char* this_pinned_at() noexcept { return nullptr; }
void set_this_pinned_at(const char*) noexcept {}
void set_this_outside_part(nopal_stop*) noexcept {}
bool handles_end_of_thread() noexcept { return false; }
_Unwind_Exception* take_handled_foreign() noexcept { return nullptr; }
void check_task_of_old_process(const nopal_stack*) noexcept {}
void check_wait_of_old_process(const nopal_task_group*) noexcept {}
namespace view {
task_views::task_views(nopal_task_group* group, views_of) noexcept : group_(group) {}
task_views::~task_views() {  // none of them is used here
  (void)group_;
  (void)kind_;
  (void)base_;
  (void)callers_;
}
void* take_task_views(nopal_task_group*) noexcept { return nullptr; }
}  // namespace view

void explored_forget_arenas() noexcept;  // in arenas_source.cpp

namespace os {
bool native_stack_bounds(void*& low, void*& high) noexcept {
  low = high = nullptr;  // there is always room above the middle
  return true;
}
}  // namespace os

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

task_world* the_task_world = nullptr;
nopal::internal::worker task_world::nested_[most_workers];
nopal::internal::worker task_world::deeper_[most_workers];

void told_of_read(nopal::internal::task_list& list) { the_task_world->locked(&list); }
void told_of_write(nopal::internal::task_list& list) { the_task_world->unlocked(&list); }

void task_world::set_up() {
  the_task_world = this;
  scheduler_model::set_up();
  nopal::internal::runtime& all = nopal::internal::the_runtime();
  nopal::internal::explored_forget_arenas();
  new (&nopal::internal::tasks_of_nobody) nopal::internal::task_list{};
  new (&nopal::internal::tasks_of_old_process) nopal::internal::task_list{};
  ignore(&nopal::internal::tasks_of_old_process,
         sizeof nopal::internal::tasks_of_old_process);  // there are none
  for (plain<std::uint64_t>& shadow : shadows_) {
    shadow.initialize(0);
    name(&shadow, sizeof shadow, "list's content");
  }
  nopal::internal::workers_outside = INT_MAX;
  for (int i = threads() - 1; i >= 0; --i) {
    if (is(i, 'a')) {
      nopal::internal::workers_outside = i;
      nopal::internal::arenas_used = 1;
      all.chosen.workers = threads();
    }
  }
  for (int i = 0; i < threads(); ++i) {
    calls_scheduler_[i] = false;
    nopal::internal::worker& self = workers[i];
    self.native.native_owner = &self;
    self.of_pool = is_of_pool(i);
    new (&nested_[i]) nopal::internal::worker{};
    new (&deeper_[i]) nopal::internal::worker{};
    current_[i] = is(i, 's') ? nullptr : &self.deque;
    if (is(i, 's')) {
      continue;
    }
    all.table[i].store(&self, __ATOMIC_RELAXED);
    nopal::internal::set_if_changed(self.deque.setting.root, &self);
    stacks[i].low = reinterpret_cast<char*>(&stacks[i]);
    stacks[i].high = stacks[i].low + 4096;  // nothing is written there
    if (self.of_pool) {
      give_spare(i, &stacks[i]);
    } else {
      nopal::internal::strand::run_on(&self, &self.native);
    }
    // Nested workers are made once and kept. In the inner one runs a task that a call of the scheduler takes along; nobody waits there.
    nopal_current = &self.deque;
    nopal_pinned call;
    nopal_pinned inner;
    for (nopal::internal::worker* one : {&nested_[i], &deeper_[i]}) {
      one->random = 1;
      one->native.native_owner = one;
    }
    nopal_begin_pinned(&call);
    nopal_begin_pinned(&inner);
    nopal_end_pinned(&inner);
    nopal_end_pinned(&call);
    ignore(&deeper_[i], sizeof deeper_[i]);
    name_nested(nested_[i]);
    for (nopal::internal::worker* one : {&self, &nested_[i]}) {
      if (one != looked_at) {
        ignore(&one->deque, sizeof one->deque);
        ignore(&one->inbox, sizeof one->inbox);
        ignore(&one->task_group, sizeof one->task_group);
      }
      ignore(&one->nested, sizeof one->nested);
      ignore(&one->local, sizeof one->local);
      ignore(&one->cpu, sizeof one->cpu);
      ignore(&one->counts, sizeof one->counts);
      ignore(&one->visitors, sizeof one->visitors);
      ignore(&one->has_thread, sizeof one->has_thread);
      ignore(&one->starter, sizeof one->starter);
      ignore(&one->starter_number, sizeof one->starter_number);
      ignore(&one->task_number, sizeof one->task_number);
      name(&one->park, sizeof(int), "park");
      name(&one->waits_for, sizeof(void*), "waits_for");
      name(&one->keeps_place, sizeof(bool), "keeps_place");
      name(&one->tasks.count, sizeof(int), "count");
      name(&one->tasks.is_locked, sizeof(bool), "list's lock");
      name(&one->tasks.innermost, sizeof(void*), "innermost");
    }
    ignore(&self.waits_for, sizeof self.waits_for);  // it is nested workers that wait
  }
  name(&nopal::internal::tasks_of_nobody.count, sizeof(int), "nobody's count");
  name(&nopal::internal::tasks_of_nobody.is_locked, sizeof(bool), "nobody's lock");
}

void task_world::switch_to(int thread) { nopal_current = current_[thread]; }

void task_world::set_worker(nopal::internal::worker* self) {
  nopal_current = self == nullptr ? nullptr : &self->deque;
  if (this_thread() >= 0) {
    current_[this_thread()] = nopal_current;
  }
}

nopal::internal::worker* task_world::nested_worker() {
  nopal::internal::worker* const outer = nopal::internal::this_worker();
  if (outer >= workers && outer < workers + most_workers) {
    return &nested_[outer - workers];
  }
  require(outer >= nested_ && outer < nested_ + most_workers, "a pinned call is nested too deep");
  return &deeper_[outer - nested_];
}

void task_world::call_scheduler(nopal::internal::worker* self) {
  const int thread = this_thread();
  calls_scheduler_[thread] = true;
  if (__builtin_setjmp(ways_out_[thread]) == 0) {
    nopal_run_call(self);
  }
  calls_scheduler_[this_thread()] = false;
}
void task_world::leaves_scheduler() {
  if (calls_scheduler_[this_thread()]) {
    __builtin_longjmp(ways_out_[this_thread()], 1);
  }
}

std::uint64_t task_world::content_of(const nopal_task* oldest) {
  std::uint64_t hash = 1;
  for (const nopal_task* task = oldest; task != nullptr; task = task->younger) {
    hash = hash * 1099511628211U + reinterpret_cast<std::uintptr_t>(task) + task->number;
  }
  return hash;
}

std::uint64_t task_world::content_of(const nopal::internal::task_list& list) {
  if (&shadow_of(&list) == &shadows_[most_workers + 1]) {
    return arenas_content();
  }
  return content_of(list.oldest) * 31 + list.next_number;
}

plain<std::uint64_t>& task_world::shadow_of(const nopal::internal::task_list* list) {
  if (list == &nopal::internal::tasks_of_nobody) {
    return shadows_[most_workers];
  }
  for (int i = 0; i < threads(); ++i) {
    if (list == &workers[i].tasks) {
      return shadows_[i];
    }
  }
  return shadows_[most_workers + 1];
}

void task_world::locked(nopal::internal::task_list* list) { static_cast<void>(shadow_of(list).read()); }
void task_world::unlocked(nopal::internal::task_list* list) { shadow_of(list).write(content_of(*list)); }

}  // namespace explore
