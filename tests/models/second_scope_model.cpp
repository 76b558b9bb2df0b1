// nopal_arrive_at_join, nopal_finish_child, leave_for_good, start_stolen, drop_stack: real code.

#include "models/second_scope_model.hpp"

#include "models/fake_runtime.hpp"
#include "strand/strand.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
/// In steal_source.cpp: as steal_from goes on when it has found `frame`; `taken` where it has it.
void explored_steal(worker* self, worker* victim, nopal_frame* frame, void (*taken)(worker*));
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

class second_scope_model;
second_scope_model* the_model = nullptr;

class second_scope_model final : public scheduler_model {
public:
  second_scope_model(const char* program, int steals, second_scope_fault fault)
      : program_(program), steals_(steals), fault_(fault) {}
  [[nodiscard]] int threads() const override { return steals_ + 1; }

  void set_up() override {
    the_model = this;
    scheduler_model::set_up();
    const std::uint64_t control = nopal::internal::arch::float_control();
    for (nopal_frame& frame : frames_) {
      frame = {};
      frame.frame_pointer = memory_[0] + stack_bytes - 256;
      frame.float_control = static_cast<std::uint32_t>(control);
      frame.x87_control = static_cast<std::uint32_t>(control >> 32);
      name(&frame.unfinished, sizeof frame.unfinished, "unfinished");
      ignore(&frame.home_stack_pointer, sizeof frame.home_stack_pointer);  // mostly written as a plain field
    }
    for (int i = 0; i < threads(); ++i) {
      stacks[i].low = memory_[i];
      stacks[i].high = memory_[i] + stack_bytes;
      // As whoever had it before left it.
      stacks[i].second.store(i == 0 ? 0 : nopal::internal::child_over | nopal::internal::stays_away,
                             __ATOMIC_RELAXED);
      name(&stacks[i].second, sizeof stacks[i].second, "second");
      weaken_stores(&stacks[i].second, fault_ == second_scope_fault::nothing_released);
      weaken_loads(&stacks[i].second, fault_ == second_scope_fault::nothing_acquired);
      runs_[i].initialize(0);
      name(&runs_[i], sizeof(int), "runs");
      out_[i].initialize(1);
      name(&out_[i], sizeof(int), "out");
      results_[i].initialize(0);
      name(&results_[i], sizeof(int), "result");
      not_forked_[i] = not_stolen_[i] = 1;
      name(&not_forked_[i], sizeof not_forked_[i], "not forked");
      name(&not_stolen_[i], sizeof not_stolen_[i], "not stolen");
      forks_[i] = {nullptr, nullptr};
      nopal::internal::set_float_control_of(workers[i].deque.setting, control);
      nopal::internal::set_if_changed(workers[i].deque.setting.root, &workers[0]);
      ignore(&workers[i].deque, sizeof workers[i].deque);
      ignore(&workers[i].local, sizeof workers[i].local);
      ignore(&workers[i].inbox, sizeof workers[i].inbox);
      ignore(&workers[i].waits_for, sizeof workers[i].waits_for);
      workers[i].of_pool = true;
      give_spare(i, i == 0 ? nullptr : &stacks[i]);
    }
    strand_.initialize(0);
    name(&strand_, sizeof(int), "strand");
    at_ = program_;
    operations_ = stolen_ = 0;
    over_ = false;
    trail_[0] = {&stacks[0], nobody, memory_[0] + stack_bytes - 512};
    trail_length_ = 1;
    for (int i = 0; i < scopes; ++i) {
      homes_[i] = none;
      unjoined_[i] = 0;
    }
    for (int& scope : scope_of_child_) scope = nobody;
    nopal::internal::strand::run_on(&workers[0], &stacks[0]);
  }

  void run(int thread) override {
    if (thread == 0) {
      runs_[0].write(1);
      go_on();
    }
    lock(&not_forked_[thread]);
    nopal::internal::explored_steal(&workers[thread], forks_[thread].victim, forks_[thread].frame, taken);
  }

  void resumed_at(nopal_frame* frame, char* stack_pointer) override {
    const int scope = static_cast<int>(frame - frames_);
    nopal_stack* const stack = nopal::internal::get(nopal::internal::this_worker()->deque.strand.stack);
    strand_.write(operations_);
    if (joins_) {
      come_home(scope, stack, stack_pointer);
    } else {
      leave(scope, stack, stack_pointer);
    }
    require(out_[number(stack)].read() == 1, "a strand is on a stack that was given back");
    require(runs_[number(stack)].read() == 0, "two run on one stack");
    runs_[number(stack)].write(1);
    touch(stack);
    go_on();
  }

  void given(nopal_stack* stack) override {
    const int which = number(stack);
    require(which != 0, "the function's home is given back");
    require(out_[which].read() == 1, "a stack is given back twice");
    require(runs_[which].read() == 0, "a stack is given back that is run on");
    out_[which].write(0);
    touch(stack);
  }

  nopal_stack* wants_stack() override { explore::finish(); }

  void check() override {
    require(over_, "nobody resumes the strand");
    require(out_[0].read() == 1, "the function's home is gone");
    for (int i = 1; i < threads(); ++i) {
      require(out_[i].read() == 0, "a stack is lost");
    }
  }

private:
  static constexpr int scopes = 2;
  static constexpr int nobody = -1;
  static constexpr int none = -1;
  static constexpr std::size_t stack_bytes = 8192;

  /// A stack that the function's strand is on or comes back to.
  struct stay {
    nopal_stack* stack;
    int scope;     // whose steal brought the strand here
    char* ground;  // a stack pointer here, the same moment's at each of them
  };
  struct fork {
    nopal::internal::worker* victim;
    nopal_frame* frame;
  };

  static int number(const nopal_stack* stack) { return static_cast<int>(stack - stacks); }
  [[nodiscard]] stay& top() { return trail_[trail_length_ - 1]; }
  /// What calls have pushed at this operation: below the ground.
  [[nodiscard]] std::ptrdiff_t depth() const { return 16 * (operations_ % 5); }
  [[nodiscard]] char* stack_pointer() { return top().ground - depth(); }

  /// The strand, on the calling thread, up to its next fork or to a join that suspends it.
  [[noreturn]] void go_on() {
    for (;;) {
      ++operations_;
      strand_.write(operations_);
      const char what = next();
      if (what == '\0') {
        over_ = true;
        require(trail_length_ == 1, "the model's strand is not at home");
        runs_[0].write(0);
        explore::finish();
      }
      const int scope = what == 'a' || what == 'A' ? 0 : 1;
      if (what == 'a' || what == 'b') {
        fork_and_end(scope);
      }
      if (unjoined_[scope] != 0) {
        join(scope);
      }
    }
  }

  char next() {
    if (*program_ != '\0') {
      return *at_ == '\0' ? '\0' : *at_++;
    }
    char may[4];
    unsigned count = 0;
    if (stolen_ < steals_) {
      may[count++] = 'a';
      may[count++] = 'b';
    }
    if (unjoined_[0] != 0) may[count++] = 'A';
    if (unjoined_[1] != 0) may[count++] = 'B';
    return count == 0 ? '\0' : may[choose(count)];
  }

  [[noreturn]] void fork_and_end(int scope) {
    nopal::internal::worker* const self = nopal::internal::this_worker();
    nopal_stack* const stack = top().stack;
    nopal_frame* const frame = &frames_[scope];
    char* const pointer = stack_pointer();
    frame->call_stack_pointer = pointer - sizeof(void*);
    joins_ = false;
    const int child = ++stolen_;
    require(child < threads(), "the model has too few threads");
    scope_of_child_[child] = scope;
    forks_[child] = {self, frame};
    unlock(&not_forked_[child]);
    // From here on the strand is a thief's; this is the child.
    lock(&not_stolen_[child]);
    results_[child].write(100 + child);
    touch(stack);
    runs_[number(stack)].write(0);
    nopal_finish_child(frame, self, pointer);
  }

  static void taken(nopal::internal::worker* self) { unlock(&the_model->not_stolen_[self->index]); }

  [[noreturn]] void join(int scope) {
    nopal::internal::worker* const self = nopal::internal::this_worker();
    nopal_frame* const frame = &frames_[scope];
    require(frame->steals != 0, "a scope that was stolen from says that it was not");
    frame->call_stack_pointer = stack_pointer() - sizeof(void*);
    joins_ = true;
    touch(top().stack);
    runs_[number(top().stack)].write(0);
    nopal_arrive_at_join(frame, self);
  }

  /// The strand was stolen at a fork of `scope` and begins on `stack`.
  void leave(int scope, nopal_stack* stack, char* start) {
    require(start < stack->high && start > stack->low, "the strand begins elsewhere than on its stack");
    const std::ptrdiff_t to_home = trail_[0].ground - depth() - start;
    require(to_home % static_cast<std::ptrdiff_t>(nopal::internal::arch::stack_alignment) == 0,
            "the stack pointer is aligned otherwise");
    const bool at_home = trail_length_ == 1;
    if (at_home || unjoined_[scope] == 0) {
      homes_[scope] = trail_length_ - 1;
      ++trail_length_;
      top().scope = scope;
    }
    top().stack = stack;
    top().ground = start + depth();
    ++unjoined_[scope];
  }

  /// The strand is resumed at the join of `scope`.
  void come_home(int scope, nopal_stack* stack, char* pointer) {
    if (homes_[scope] != none) {
      trail_length_ = homes_[scope] + 1;
    }
    for (int& home : homes_) {
      home = home >= trail_length_ - 1 ? none : home;
    }
    require(stack == top().stack, "the strand comes home to another stack");
    require(pointer == stack_pointer(), "the strand comes home with another stack pointer");
    for (int i = 1; i <= stolen_; ++i) {
      if (scope_of_child_[i] == scope) {
        require(results_[i].read() == 100 + i, "a child's result is missing");
      }
    }
    unjoined_[scope] = 0;
    frames_[scope].steals = 0;
  }

  const char* program_;
  int steals_;
  second_scope_fault fault_;
  alignas(256) char memory_[most_workers][stack_bytes] = {};
  nopal_frame frames_[scopes] = {};

  // The strand's: whoever runs it has it alone, and strand_ says so.
  plain<int> strand_;
  const char* at_ = nullptr;
  int operations_ = 0;
  int stolen_ = 0;
  bool joins_ = false;
  bool over_ = false;
  stay trail_[most_workers] = {};
  int trail_length_ = 0;
  int homes_[scopes] = {};  // in the trail
  int unjoined_[scopes] = {};
  int scope_of_child_[most_workers] = {};

  fork forks_[most_workers] = {};
  std::uint32_t not_forked_[most_workers] = {};
  std::uint32_t not_stolen_[most_workers] = {};
  plain<int> runs_[most_workers];  // 1: somebody runs on it
  plain<int> out_[most_workers];   // 0: in the pool
  plain<int> results_[most_workers];
};

}  // namespace

std::unique_ptr<model> make_second_scope_model(const char* program, int steals, second_scope_fault fault) {
  return std::make_unique<second_scope_model>(program, steals, fault);
}

}  // namespace explore
