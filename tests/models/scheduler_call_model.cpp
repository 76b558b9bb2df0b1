// nopal_task_wait, call_scheduler, nopal_run_call, find_work, end_scheduler_call, and the join of a pinned root: real code.

#include "models/task_model.hpp"
#include "models/task_world.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "view/task_views.hpp"

namespace explore {

namespace {

class scheduler_call_model;
scheduler_call_model* the_model = nullptr;

class scheduler_call_model final : public task_world {
public:
  explicit scheduler_call_model(bool needed) : task_world("ww"), needed_(needed) {}

  void set_up() override {
    the_model = this;
    task_world::set_up();
    group_.state = 1;
    name(&group_.state, sizeof group_.state, "group");
    nopal::internal::events_of(&group_).store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::events_of(&group_), sizeof(int), "events");
    nopal::internal::sleepers_on_events.store(0, __ATOMIC_RELAXED);
    name(&nopal::internal::sleepers_on_events, sizeof(int), "sleepers");
    task_ = {};
    task_.group = &group_;
    task_.float_control = nopal::internal::arch::float_control();
    task_.run = [](nopal_task* task) { the_model->run_task(task); };
    frame_ = {};
    frame_.frame_pointer = memory_ + sizeof memory_ / 2;
    frame_.call_stack_pointer = memory_ + sizeof memory_ / 2 - 64;
    name(&frame_.unfinished, sizeof frame_.unfinished, "unfinished");
    ignore(&frame_.home_stack_pointer, sizeof frame_.home_stack_pointer);
    for (int i = 0; i < threads(); ++i) {
      stacks[i].low = memory_;
      stacks[i].high = memory_ + sizeof memory_;
      out_[i].initialize(0);
      name(&out_[i], sizeof(int), "out");
      results_[i].initialize(0);
      name(&results_[i], sizeof(int), "result");
    }
    strand_.initialize(0);
    name(&strand_, sizeof(int), "strand");
    not_taken_ = 1;
    name(&not_taken_, sizeof not_taken_, "not taken");
    ignore(&nested_[1].waits_for, sizeof nested_[1].waits_for);
  }

  void run(int thread) override {
    if (thread == 1) {
      return nopal::internal::run_at_stage(&task_, &workers[1].tasks, nopal::internal::view::views_of::task);
    }
    nopal_task_wait(&group_, nullptr);
    require(results_[0].read() == 1 && results_[1].read() == 1, "what the task did is not seen");
    require(nopal::internal::this_worker() == &workers[0], "the wait comes back to another worker");
    for (const nopal::internal::worker* one : {&workers[0], &nested_[0]}) {
      require(nopal::internal::get(one->deque.strand.stack) == &one->native,
              "the wait comes back on another stack");
    }
    require(nopal::internal::root_of(nested_[0]) == &nested_[0], "the wait comes back with another root");
    give_up(&group_, sizeof group_);
  }

  void resumed_at(nopal_frame* frame, char* /*stack_pointer*/) override {
    require(frame == &frame_, "something else is resumed");
    if (strand_.read() == 0) {
      take();
    }
    come_home();
  }

  nopal_stack* wants_stack() override {
    const int thread = this_thread();
    require(out_[thread].read() == 0, "a worker takes more stacks than it needs");
    out_[thread].write(1);
    return &stacks[thread];
  }
  void given(nopal_stack* stack) override {
    const auto which = stack - stacks;
    require(out_[which].read() == 1, "a stack is given back twice");
    out_[which].write(0);
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(!waits(i), "somebody sleeps for good");
      require(out_[i].read() == 0, "a stack is lost");
    }
  }

protected:
  void name_nested(nopal::internal::worker& one) override {
    if (&one != &nested_[1]) {
      return;
    }
    nopal_deque& deque = one.deque;
    const std::size_t cells = capacity + nopal::internal::deque::slots_header;
    auto* const begin =
        static_cast<nopal_frame**>(allocate(nopal::internal::deque::slots_line, cells * sizeof(void*)));
    begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(capacity));
    deque.owner_slots = deque.public_slots = begin + nopal::internal::deque::slots_header;
    deque.limit = nopal_poisoned_limit;
    nopal::internal::set_float_control_of(deque.setting, nopal::internal::arch::float_control());
    name(&deque.bottom, sizeof deque.bottom, "bottom");
    name(&deque.limit, sizeof deque.limit, "limit");
    name(&deque.top, 16, "word");
    name(&deque.public_slots, sizeof deque.public_slots, "public_slots");
    name(&deque.owner_slots[0], sizeof(void*), "slot 0");
    ignore(&deque.strand, sizeof deque.strand);
    ignore(&deque.setting, sizeof deque.setting);
    name(&one.inbox, sizeof(void*), "inbox");
    name(&one.task_group, sizeof one.task_group, "task_group");
    looked_at = &one;
  }

private:
  static constexpr std::int32_t capacity = 8;

  void run_task(nopal_task*) {
    nopal::internal::worker* const self = nopal::internal::this_worker();
    push(self);
    results_[1].write(1);
    if (needed_) {
      lock(&not_taken_);
    }
    if (nopal_pop() != 0) {
      require(!needed_, "a continuation is taken twice");
      results_[0].write(1);
    } else {
      end_child(self);
    }
    require(nopal::internal::this_worker() == self, "the task goes on with another worker");
    require(results_[0].read() == 1, "what the continuation did is not seen");
    give_up(&frame_, sizeof frame_);
  }

  /// As nopal_push, and as nopal_push_slow goes on from there.
  void push(nopal::internal::worker* self) {
    if (self->deque.bottom >= __atomic_load_n(&self->deque.limit, __ATOMIC_RELAXED)) {
      const int rest = nopal_push_and_publish(&frame_, self);
      if (rest != nopal::internal::nothing_left) {
        nopal_push_slow_path(&frame_, static_cast<nopal::internal::push_remainder>(rest));
      }
      return;
    }
    nopal::internal::deque::append(self->deque, &frame_);
  }

  [[gnu::noinline]] void end_child(nopal::internal::worker* self) {
    if (__builtin_setjmp(way_home_) == 0) {
      nopal_finish_child(&frame_, self, memory_ + sizeof memory_ / 2 - 128);
    }
  }

  /// The continuation, on a stack of who waits.
  [[noreturn]] void take() {
    nopal::internal::worker* const self = nopal::internal::this_worker();
    require(self == &nested_[0], "a stranger takes the continuation");
    strand_.write(1);
    results_[0].write(1);
    if (needed_) {
      unlock(&not_taken_);
    }
    frame_.call_stack_pointer = memory_ + sizeof memory_ / 2 - 192;
    nopal_arrive_at_join(&frame_, self);
  }

  [[noreturn, gnu::noinline]] void come_home() {
    require(this_thread() == 1, "the task is resumed by another thread");
    strand_.write(2);
    __builtin_longjmp(way_home_, 1);
  }

  const bool needed_;
  nopal_task_group group_{};
  nopal_task task_{};
  nopal_frame frame_{};
  plain<int> strand_;  // 1: taken, 2: home
  plain<int> results_[most_workers];
  plain<int> out_[most_workers];
  std::uint32_t not_taken_ = 0;
  void* way_home_[5] = {};
  alignas(256) char memory_[4096] = {};
};

}  // namespace

std::unique_ptr<model> make_scheduler_call_model(bool needed) {
  return std::make_unique<scheduler_call_model>(needed);
}

}  // namespace explore
