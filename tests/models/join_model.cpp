// nopal_arrive_at_join, nopal_finish_child, resume_at_home, and of the pinned root's thread find_work and park: real code.

#include "models/join_model.hpp"

#include "models/fake_runtime.hpp"
#include "strand/strand.hpp"

namespace explore {

namespace {

class join_model final : public scheduler_model {
public:
  join_model(join_home home, int children, join_fault fault, bool settling)
      : home_(home), children_(children), fault_(fault), settling_(settling) {}
  [[nodiscard]] int threads() const override { return children_ + 1; }

  void set_up() override {
    scheduler_model::set_up();
    frame_ = {};
    frame_.frame_pointer = &frame_;
    frame_.call_stack_pointer = &frame_;
    frame_.steals = settling_ ? 0 : static_cast<std::uint32_t>(children_);
    const std::uint64_t control = nopal::internal::arch::float_control();
    frame_.float_control = static_cast<std::uint32_t>(control);
    frame_.x87_control = static_cast<std::uint32_t>(control >> 32);
    name(&frame_.unfinished, sizeof frame_.unfinished, "unfinished");
    for (int i = 0; i < threads(); ++i) {
      results_[i].initialize(0);
      name(&results_[i], sizeof(int), "result");
      resumptions_[i] = 0;
      not_stolen_[i] = settling_ ? 1 : 0;
      name(&not_stolen_[i], sizeof not_stolen_[i], "not stolen");
      // All but the first child run where nothing but a strand of this activation is.
      stacks[i].origin.frame_pointer = frame_.frame_pointer;
      stacks[i].origin.scope = &frame_;
      nopal::internal::strand::run_on(&workers[i], &stacks[i]);
      ignore(&workers[i].deque, sizeof workers[i].deque);
    }
    if (home_ != join_home::stays) {
      frame_.home = &stacks[1];
      stacks[1].origin.frame_pointer = nullptr;
      stacks[1].origin.scope = nullptr;
    }
    if (home_ == join_home::pinned) {
      stacks[1].native_owner = &workers[1];
      give_spare(1, &stacks[most_workers - 1]);
    }
    tear(&frame_.unfinished, fault_ == join_fault::torn);
    weaken_stores(&frame_.unfinished, fault_ == join_fault::nothing_released);
    weaken_loads(&frame_.unfinished, fault_ == join_fault::nothing_acquired);
    faults.unseen[0] = fault_ == join_fault::inbox_unseen ? &workers[1].inbox : nullptr;
    faults.no_wake = fault_ == join_fault::no_wake;
  }

  void run(int thread) override {
    if (thread == 0) {
      steal_from_all();
    } else if (settling_) {
      lock(&not_stolen_[thread]);
    }
    results_[thread].write(100 + thread);
    touch(&stacks[thread]);
    if (thread == 0) {
      nopal_arrive_at_join(&frame_, &workers[0]);
    }
    nopal_finish_child(&frame_, &workers[thread], &frame_);
  }

  void resumed(nopal_frame* frame) override {
    require(frame == &frame_, "something else is resumed");
    for (int i = 0; i < threads(); ++i) {
      require(results_[i].read() == 100 + i, "a child's result is missing");
    }
    require(frame_.home == &stacks[home_ == join_home::stays ? 0 : 1], "the strand's home is another");
    touch(frame_.home);
    require(home_ != join_home::pinned || this_thread() == 1, "a foreign thread runs on a native stack");
    ++resumptions_[this_thread()];
  }

  void check() override {
    int all = 0;
    for (int i = 0; i < threads(); ++i) {
      all += resumptions_[i];
    }
    require(all >= 1, "nobody resumes the strand");
    require(all <= 1, "the strand is resumed twice");
  }

private:
  /// A child learns that its continuation is stolen before the thief counts the steal.
  void steal_from_all() {
    for (int i = 1; settling_ && i <= children_; ++i) {
      unlock(&not_stolen_[i]);
      nopal::internal::count_steal(&workers[0], &frame_);
      require(frame_.steals >= 1, "a scope that was stolen from says that it was not");
    }
  }

  join_home home_;
  int children_;
  join_fault fault_;
  bool settling_;
  nopal_frame frame_{};
  plain<int> results_[most_workers];
  std::uint32_t not_stolen_[most_workers] = {};
  int resumptions_[most_workers] = {};
};

}  // namespace

std::unique_ptr<model> make_join_model(join_home home, int children, join_fault fault) {
  return std::make_unique<join_model>(home, children, fault, false);
}

std::unique_ptr<model> make_settling_model(join_home home, int children, join_fault fault) {
  return std::make_unique<join_model>(home, children, fault, true);
}

}  // namespace explore
