// nopal_task_wait, nopal_task_push, nopal_task_finish, nopal_arena_enter and _leave, nap, park, find_work: real code.

#include "models/task_model.hpp"

#include <nopal/detail/pinned.h>

#include "models/task_world.hpp"

namespace explore {

namespace {

class task_model;
task_model* the_model = nullptr;

class task_model final : public task_world {
public:
  task_model(task_scene scene, const char* threads) : task_world(threads), scene_(scene) {}

  void set_up() override {
    the_model = this;
    task_world::set_up();
    const int others = threads() - 1;
    const bool announced = scene_ != task_scene::pool && scene_ != task_scene::enter &&
                           scene_ != task_scene::arena && scene_ != task_scene::lend && !is_of_places();
    group_.state = !announced ? 0 : scene_ == task_scene::finish ? static_cast<std::uint64_t>(others) : 1;
    name(&group_.state, sizeof group_.state, "group");
    nopal::internal::events_of(&group_).store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::events_of(&group_), sizeof(int), "events");
    nopal::internal::sleepers_on_events.store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::sleepers_on_events, sizeof(int), "sleepers");
    nopal::internal::events_of(&arena_).store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::events_of(&arena_), sizeof(int), "events");
    for (nopal_task_group& gone : gone_) {
      std::atomic<std::uint32_t>& events = nopal::internal::events_of(&gone);
      if (&events != &nopal::internal::events_of(&group_) &&
          &events != &nopal::internal::events_of(&arena_)) {
        of_nobody_ = &gone;
      }
    }
    give_up(&nopal::internal::events_of(of_nobody_), sizeof(int));
    task_ = {};
    task_.group = &group_;
    task_.run = [](nopal_task* task) { the_model->run_task(task); };
    arena_ = {};
    arena_.limit = scene_ == task_scene::push_to_arena || is_of_places() ? 2 : 1;
    arena_.worker_limit = scene_ == task_scene::lend ? 0 : 1;
    arena_.references = 2;
    arena_.threads =
        scene_ == task_scene::enter || scene_ == task_scene::arena || scene_ == task_scene::lend ? 1 : 0;
    arena_.destroy = [](nopal_arena*) {};
    name(&arena_.threads, sizeof arena_.threads, "arena");
    name(&arena_.entering, sizeof arena_.entering, "entering");
    name(&arena_.lent, sizeof arena_.lent, "lent");
    name(&arena_.references, sizeof arena_.references, "references");
    for (int i = 0; i < most_workers; ++i) {
      results_[i].initialize(0);
      name(&results_[i], sizeof(int), "result");
    }
    for (int i = 0; i < threads(); ++i) {
      out_[i].initialize(0);
      name(&out_[i], sizeof(int), "out");
    }
    ran_.initialize(0);
    name(&ran_, sizeof(int), "ran");
    inside_.initialize(scene_ == task_scene::enter ? 1 : 0);
    name(&inside_, sizeof(int), "inside");
    not_run_ = 1;
    name(&not_run_, sizeof not_run_, "not run");
    nopal::internal::the_runtime().blocked.store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::the_runtime().blocked, sizeof(int), "blocked");
    waiters_ = scene_ == task_scene::both_wait ? 2 : 1;
    name(&waiters_, sizeof waiters_, "who waits");
  }

  void run(int thread) override {
    switch (scene_) {
    case task_scene::finish: return thread == 0 ? wait() : finish(thread);
    case task_scene::push: return thread == 0 ? wait() : push_and_finish(thread);
    case task_scene::push_last: return thread == 0 ? wait() : push();
    case task_scene::push_to_arena: return thread == 0 ? wait() : push_and_finish(thread);
    case task_scene::push_and_end: return thread == 0 ? wait() : push_and_end(thread);
    case task_scene::both_wait: return thread < 2 ? wait() : finish(thread);
    case task_scene::pool:
      if (thread != 0) nopal::internal::find_work(&workers[thread]);
      require(nopal_task_push(&task_) == 0, "a task is not taken");
      return lock(&not_run_);
    case task_scene::pool_at_end:
      if (thread != 0) nopal::internal::find_work(&workers[thread]);
      push_and_end(thread);
      return lock(&not_run_);
    case task_scene::enter: return thread == 0 ? leave() : enter_and_leave();
    case task_scene::arena:
      if (thread != 0) nopal::internal::find_work(&workers[thread]);
      task_.arena = &arena_;
      require(nopal_task_push(&task_) == 0, "a task is not taken");
      nopal_arena_leave(&arena_);
      return lock(&not_run_);
    case task_scene::lend:
      if (thread != 0) nopal::internal::find_work(&workers[thread]);
      return push_and_lend();
    case task_scene::place:
    case task_scene::place_in_arena:
    case task_scene::place_of_another:
      if (is(thread, 'a')) nopal::internal::find_work(&workers[thread]);
      if (thread == 1 && scene_ == task_scene::place_of_another) return sleep_once_in_call();
      if (thread != 0) sleep_in_call();
      task_.arena = scene_ == task_scene::place_in_arena ? &arena_ : nullptr;
      require(nopal_task_push(&task_) == 0, "a task is not taken");
    }
  }

  /// Threads of the pool are of no more interest when they have used the one that they had.
  nopal_stack* wants_stack() override {
    const int thread = this_thread();
    if (is_of_pool(thread)) {
      if (scene_ == task_scene::lend && nopal::internal::get(workers[thread].seat) == &arena_) {
        nopal_arena_leave_worker(&arena_);  // as it would when it looks for work
      }
      return nullptr;
    }
    require(out_[thread].read() == 0, "a worker takes more stacks than it needs");
    out_[thread].write(1);
    return &stacks[thread];
  }
  void given(nopal_stack* stack) override {
    const auto which = stack - stacks;
    require(is_of_pool(static_cast<int>(which)) || out_[which].read() == 1, "a stack is given back twice");
    out_[which].write(0);
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(out_[i].read() == 0, "a stack is lost");
      require(is_of_pool(i) || !waits(i), "somebody sleeps for good");
    }
    if (is_of_places()) {
      const auto& blocked = nopal::internal::the_runtime().blocked;
      require(blocked.load(__ATOMIC_RELAXED) >= 1, "a place is kept beside a task");
    }
  }

protected:
  std::uint64_t arenas_content() override { return content_of(arena_.oldest); }

private:
  void wait() {
    nopal_task_wait(&group_, scene_ == task_scene::push_to_arena ? &arena_ : nullptr);
    for (int i = 1; i < threads(); ++i) {
      if (scene_ == task_scene::finish || (i == threads() - 1 && scene_ != task_scene::push_last)) {
        require(results_[i].read() == 1, "what a task did is not seen");
      }
    }
    require(nopal::internal::this_worker() == (is(this_thread(), 's') ? nullptr : &workers[this_thread()]),
            "the wait comes back to another worker");
    if (scene_ == task_scene::push || scene_ == task_scene::push_last ||
        scene_ == task_scene::push_to_arena || scene_ == task_scene::push_and_end) {
      require(ran_.read() == 1, "a task did not run");
    }
    if (fetch_sub(&waiters_, 1U, __ATOMIC_ACQ_REL) == 1) {
      give_up(&group_, sizeof group_);
    }
  }

  void finish(int thread) {
    results_[thread].write(1);
    nopal_task_finish(&group_);
  }
  void push_and_finish(int thread) {
    task_.arena = scene_ == task_scene::push_to_arena ? &arena_ : nullptr;
    require(nopal_task_push(&task_) == 0, "a task is not taken");
    lock(&not_run_);  // by somebody else
    finish(thread);
  }
  void push_and_end(int thread) {
    require(nopal_task_push(&task_) == 0, "a task is not taken");
    nopal::internal::leave_tasks(workers[thread].tasks);
    finish(thread);
  }
  void push() { require(nopal_task_push_announced(&task_) == 0, "a task is not taken"); }

  void run_task(nopal_task* task) {
    require(task == &task_, "what runs is no task");
    require(ran_.read() == 0, "a task runs twice");
    ran_.write(1);
    task_.run = nullptr;  // the memory may be gone
    task_.group = of_nobody_;
    unlock(&not_run_);
  }

  [[nodiscard]] bool is_of_places() const {
    return scene_ == task_scene::place || scene_ == task_scene::place_in_arena ||
           scene_ == task_scene::place_of_another;
  }
  /// As at a join: each time that it is woken it looks, finds nothing, and sleeps again.
  [[noreturn]] void sleep_in_call() {
    nopal_pinned call;
    require(nopal_begin_pinned(&call) == 0, "a call does not begin");
    for (;;) {
      nopal::internal::park(nopal::internal::this_worker());
    }
  }

  void sleep_once_in_call() {
    nopal_pinned call;
    require(nopal_begin_pinned(&call) == 0, "a call does not begin");
    nopal::internal::park(nopal::internal::this_worker());
    nopal_end_pinned(&call);
  }

  void push_and_lend() {
    nopal::internal::worker& self = workers[0];
    nopal::internal::set(self.home, nopal::internal::seat_at_home::entered);
    nopal::internal::set(self.arena, &arena_);
    self.home_amount = 1;
    task_.arena = &arena_;
    require(nopal_task_push(&task_) == 0, "a task is not taken");
    const int lent = nopal_arena_lend(&arena_);
    lock(&not_run_);
    nopal_arena_take_back(&arena_, lent);
    require((__atomic_load_n(&arena_.threads, __ATOMIC_RELAXED) & 1U) == 1, "a seat is lost");
    require(__atomic_load_n(&arena_.lent, __ATOMIC_RELAXED) == 0, "a seat is lent for good");
    nopal::internal::set(self.home, nopal::internal::seat_at_home::none);
    nopal::internal::set(self.arena, nullptr);
  }

  void leave() {
    inside_.write(inside_.read() - 1);
    nopal_arena_leave(&arena_);
  }
  void enter_and_leave() {
    nopal_arena_enter(&arena_);
    require(inside_.read() == 0, "too many are inside");
    inside_.write(inside_.read() + 1);
    leave();
  }

  task_scene scene_;
  nopal_task_group group_{};
  // Far enough from one another for different counts of events.
  nopal_task_group gone_[6]{};
  nopal_task_group* of_nobody_ = nullptr;  ///< what a task's memory says when the task is gone
  nopal_task task_{};
  nopal_arena arena_{};
  plain<int> results_[most_workers];
  plain<int> ran_;
  plain<int> inside_;
  plain<int> out_[most_workers];  // 1: a worker of the program has the stack
  std::uint32_t not_run_ = 0;
  std::uint32_t waiters_ = 0;
};

}  // namespace

std::unique_ptr<model> make_task_model(task_scene scene, const char* threads) {
  return std::make_unique<task_model>(scene, threads);
}

}  // namespace explore
