// begin_task_root, end_task_root, note_starter, may_run, observe, deque::steal: real code.

#include "models/root_model.hpp"

#include "models/fake_runtime.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
/// In steal_source.cpp: a look at one victim, up to the steal.
nopal_frame* explored_look(worker* self, worker* victim, known_roots& known);
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

/// The thread of the tasks is 0, the one that waits 1.
class root_model : public scheduler_model {
public:
  [[nodiscard]] int threads() const override { return 2; }

  void set_up() override {
    scheduler_model::set_up();
    for (int i = 0; i < roots; ++i) {
      nopal::internal::worker& one = *new (&roots_[i]) nopal::internal::worker{};
      one.outer = &workers[0];
      nopal::internal::set_if_changed(one.deque.setting.root, &one);
      name_root(one);
    }
    name_root(workers[0]);
    workers[1].waits_for.store(&waited_, __ATOMIC_RELAXED);
    ignore(&workers[1].waits_for, sizeof workers[1].waits_for);
  }

protected:
  static constexpr int roots = 3;

  static void name_root(nopal::internal::worker& one) {
    ignore(&one.deque.setting, sizeof one.deque.setting);
    name(&one.task_group, sizeof one.task_group, "task_group");
    name(&one.starter, sizeof one.starter, "starter");
    name(&one.starter_number, sizeof one.starter_number, "starter_number");
    name(&one.task_number, sizeof one.task_number, "task_number");
  }

  /// A task that the code of `root` pushes.
  nopal_task pushed_by(nopal::internal::worker* root, nopal_task_group* group) {
    nopal_task task{};
    task.group = group;
    nopal_current = root == nullptr ? nullptr : &root->deque;
    nopal::internal::note_starter(&task);
    nopal_current = &workers[this_thread() < 0 ? 0 : this_thread()].deque;
    return task;
  }

  nopal_task_group waited_{};
  nopal_task_group other_{};
  nopal_task_group third_{};
  nopal::internal::worker roots_[roots];
};

class walk_model final : public root_model {
public:
  walk_model(root_fault fault, bool same_address) : fault_(fault), same_address_(same_address) {}

  void set_up() override {
    root_model::set_up();
    nopal_task task = pushed_by(nullptr, same_address_ ? &waited_ : &other_);
    nopal::internal::begin_task_root(pusher_, &task);
    task = pushed_by(pusher_, &third_);
    nopal::internal::begin_task_root(strands_, &task);
    task = pushed_by(nullptr, &waited_);
    nopal::internal::begin_task_root(of_wait_, &task);
    weaken_stores(&pusher_->task_group, fault_ == root_fault::nothing_released);
    weaken_stores(&pusher_->starter, fault_ == root_fault::nothing_released);
    weaken_stores(&pusher_->starter_number, fault_ == root_fault::nothing_released);
    weaken_loads(&pusher_->task_group, fault_ == root_fault::nothing_acquired);
    weaken_loads(&pusher_->starter, fault_ == root_fault::nothing_acquired);
    weaken_loads(&pusher_->starter_number, fault_ == root_fault::nothing_acquired);
    new (&waits_for_other_) nopal::internal::worker{};
    waits_for_other_.waits_for.store(&other_, __ATOMIC_RELAXED);
    ignore(&waits_for_other_.waits_for, sizeof waits_for_other_.waits_for);
    not_over_ = 1;
    name(&not_over_, sizeof not_over_, "not over");
  }

  void run(int thread) override {
    if (thread == 0) {
      nopal::internal::end_task_root(pusher_);
      if (same_address_) {
        unlock(&not_over_);
      }
      nopal_task task{};
      task.group = &third_;
      task.starter = of_wait_;
      task.starter_number = of_wait_->task_number.load(__ATOMIC_RELAXED);
      nopal::internal::begin_task_root(pusher_, &task);
      nopal::internal::end_task_root(pusher_);
      task.group = &waited_;
      task.starter = nullptr;
      task.starter_number = 0;
      nopal::internal::begin_task_root(pusher_, &task);
      return;
    }
    if (same_address_) {
      lock(&not_over_);
    } else if (choose(2) == 1) {
      // Of the pusher's own group, what it has started is until it ends.
      const bool answer = nopal::internal::may_run(&waits_for_other_, strands_);
      require(answer || pusher_->task_number.load(__ATOMIC_SEQ_CST) != 1,
              "what a task has started is not of it");
      return;
    }
    require(!nopal::internal::may_run(&workers[1], strands_),
            "somebody waits for a group and takes a stranger's strand");
  }

private:
  root_fault fault_;
  bool same_address_;
  nopal::internal::worker* const pusher_ = &roots_[0];
  nopal::internal::worker* const strands_ = &roots_[1];
  nopal::internal::worker* const of_wait_ = &roots_[2];
  nopal::internal::worker waits_for_other_;
  std::uint32_t not_over_ = 0;
};

class take_model final : public root_model {
public:
  explicit take_model(int first) : first_(first) {}

  void set_up() override {
    root_model::set_up();
    nopal_deque& deque = roots_[0].deque;
    const std::size_t cells = capacity + nopal::internal::deque::slots_header;
    auto* const begin =
        static_cast<nopal_frame**>(allocate(nopal::internal::deque::slots_line, cells * sizeof(void*)));
    begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(capacity));
    deque.owner_slots = deque.public_slots = begin + nopal::internal::deque::slots_header;
    deque.limit = capacity;
    ignore(&deque.strand, sizeof deque.strand);
    ignore(&deque.setting, sizeof deque.setting);
    name(&deque.bottom, sizeof deque.bottom, "bottom");
    name(&deque.limit, sizeof deque.limit, "limit");
    name(&deque.top, 16, "word");
    name(&deque.public_slots, sizeof deque.public_slots, "public_slots");
    name(&deque.owner_slots[0], sizeof(void*), "slot 0");
    for (int i = 0; i < tasks; ++i) {
      frames_[i] = {};
      of_wait_[i].initialize(0);
      name(&of_wait_[i], sizeof(int), "of the wait");
    }
  }

  void run(int thread) override {
    if (thread == 1) {
      nopal::internal::known_roots known{};  // by the first look, for the second
      for (int looks = 0; looks < 2; ++looks) {
        if (nopal_frame* const frame = nopal::internal::explored_look(&workers[1], &roots_[0], known)) {
          require(of_wait_[frame - frames_].read() == 1,
                  "somebody waits for a group and takes a stranger's strand");
          return;
        }
      }
      return;
    }
    nopal_deque& deque = roots_[0].deque;
    for (int i = 0; i < tasks; ++i) {
      nopal_task task{};
      task.group = i == first_ ? &waited_ : &other_;
      nopal::internal::begin_task_root(&roots_[0], &task);
      of_wait_[i].write(i == first_ ? 1 : 0);
      nopal_current = &deque;
      nopal::internal::deque::append(deque, &frames_[i]);
      nopal::internal::deque::publish(deque, capacity);
      const bool kept = pop(deque);
      if (!kept) {
        return;  // the task waits for its strand
      }
      nopal::internal::end_task_root(&roots_[0]);
    }
  }

private:
  static constexpr int tasks = 2;
  static constexpr std::int32_t capacity = 8;

  /// As the inlined pop; nothing else is private.
  static bool pop(nopal_deque& deque) {
    store(&deque.bottom, deque.bottom - 1, __ATOMIC_RELEASE);
    return nopal::internal::deque::pop_slow(deque, [](void*) { return true; }, nullptr);
  }

  int first_;
  nopal_frame frames_[tasks] = {};
  plain<int> of_wait_[tasks];
};

}  // namespace

std::unique_ptr<model> make_walk_model(root_fault fault) {
  return std::make_unique<walk_model>(fault, false);
}
std::unique_ptr<model> make_same_address_model() {
  return std::make_unique<walk_model>(root_fault::none, true);
}
std::unique_ptr<model> make_take_model(int first) { return std::make_unique<take_model>(first); }

}  // namespace explore
