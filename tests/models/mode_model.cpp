// nopal_push_slow_path, nopal_push_and_publish, nopal_pop_slow and the deque: real code.

#include "models/mode_model.hpp"

#include "models/fake_runtime.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "deque/shared_word.hpp"
#include "strand/strand.hpp"

namespace explore {

namespace {

/// Bits of the x87 word, which nothing here computes with: where it rounds to.
constexpr int rounding_shift = 32 + 10;

class mode_model final : public scheduler_model {
public:
  explicit mode_model(const mode_scenario& with) : with_(with) { settings_matter = true; }
  [[nodiscard]] int threads() const override { return 1 + static_cast<int>(with_.thieves.size()); }

  void set_up() override {
    scheduler_model::set_up();
    nopal::internal::worker& owner = workers[0];
    nopal_deque& deque = owner.deque;
    const std::size_t cells = static_cast<std::size_t>(capacity) + nopal::internal::deque::slots_header;
    auto* const begin =
        static_cast<nopal_frame**>(allocate(nopal::internal::deque::slots_line, cells * sizeof(void*)));
    begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(capacity));
    deque.owner_slots = deque.public_slots = begin + nopal::internal::deque::slots_header;
    deque.limit = nopal_poisoned_limit;  // of a root at rest
    name(&deque.bottom, sizeof deque.bottom, "bottom");
    name(&deque.limit, sizeof deque.limit, "limit");
    name(&deque.top, 16, "word");
    name(&deque.public_slots, sizeof deque.public_slots, "public_slots");
    for (std::int32_t i = 0; i < capacity; ++i) {
      name(&deque.owner_slots[i], sizeof(void*), ("slot " + std::to_string(i)).c_str());
    }
    name(&deque.setting.x87_control, sizeof deque.setting.x87_control, "mode told");
    // What does not change here.
    ignore(&deque.setting.float_control, sizeof deque.setting.float_control);
    ignore(&deque.setting.uncaught, sizeof deque.setting.uncaught);
    ignore(&deque.setting.root, sizeof deque.setting.root);
    ignore(&nopal::internal::the_runtime().sleepers, sizeof nopal::internal::the_runtime().sleepers);
    usual_ = nopal::internal::arch::float_control();
    nopal::internal::set_float_control_of(deque.setting, usual_);
    nopal::internal::set_if_changed(deque.setting.root, &owner);
    stacks[0].native_owner = &owner;
    nopal::internal::strand::run_on(&owner, &stacks[0]);
    for (int i = 0; i < most_entries; ++i) {
      entries_[i].mode.initialize(-1);
      entries_[i].not_over = 1;
      name(&entries_[i].mode, sizeof(int), ("mode of " + std::to_string(i)).c_str());
      name(&entries_[i].not_over, sizeof entries_[i].not_over, ("end of " + std::to_string(i)).c_str());
    }
    kept_.clear();
    pushed_ = mode_ = 0;
  }

  void run(int thread) override {
    if (thread > 0) {
      steal_by_script(with_.thieves[static_cast<std::size_t>(thread) - 1]);
      return;
    }
    for (const char what : with_.owner) {
      if (what == '+') {
        push();
      } else if (what == '-') {
        pop();
      } else if (kept_.empty()) {
        // Its own load: what thieves store there is the same.
        require(__atomic_load_n(&workers[0].deque.limit, __ATOMIC_RELAXED) == nopal_poisoned_limit,
                "a root's next push will be fast");
        nopal::internal::arch::set_float_control(control_of(++mode_));
      }
    }
  }

  void resumed(nopal_frame* /*frame*/) override { fail("a strand is resumed"); }

private:
  static constexpr std::int32_t capacity = 8;
  static constexpr int most_entries = 8;
  struct entry {
    plain<int> mode;         // that it was pushed in
    std::uint32_t not_over;  // a gate: its taker opens it
  };

  [[nodiscard]] std::uint64_t control_of(int mode) const {
    return usual_ ^ static_cast<std::uint64_t>(mode) << rounding_shift;
  }

  /// As nopal_push, and as nopal_push_slow goes on from there.
  void push() {
    nopal::internal::worker* const self = &workers[0];
    auto* const frame = reinterpret_cast<nopal_frame*>(&entries_[pushed_]);
    entries_[pushed_].mode.write(mode_);
    kept_.push_back(pushed_++);
    if (self->deque.bottom < __atomic_load_n(&self->deque.limit, __ATOMIC_RELAXED)) {
      nopal::internal::deque::append(self->deque, frame);
      return;
    }
    const int rest = nopal_push_and_publish(frame, self);
    if (rest != nopal::internal::nothing_left) {
      nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest));
    }
  }

  void pop() {
    if (kept_.empty()) {
      return;
    }
    if (nopal_pop() != 0) {
      kept_.pop_back();
      return;
    }
    // The youngest was stolen, hence all. The join waits for them, and the root goes on as resume_at_join has it.
    for (const int number : kept_) {
      lock(&entries_[number].not_over);
    }
    kept_.clear();
    nopal_deque& deque = workers[0].deque;
    if (deque.bottom != 0) {
      nopal::internal::deque::reset(deque);
    }
    nopal::internal::deque::poison(deque);
    nopal::internal::set_float_control_of(deque.setting, control_of(mode_));
  }

  void steal_by_script(const std::string& script) {
    nopal_deque& deque = workers[0].deque;
    for (const char what : script) {
      if (what == 's') {
        steal();
      } else if (what == 'p') {
        nopal::internal::deque::poison(deque);
      } else {
        const auto refused = +[] { return false; };
        const auto answer = what == 'k' ? +[](void*) { return false; } : +[](void*) { return true; };
        nopal::internal::deque::force_publish(deque, what == 'r' ? refused : +process_barrier, answer,
                                              nullptr);
      }
    }
  }

  /// As steal_from and start_stolen.
  static void steal() {
    struct observation {
      const nopal_strand_setting* of;
      std::uint64_t float_control;
    } seen{&workers[0].deque.setting, 0};
    const auto observe = [](void* context) {
      auto& into = *static_cast<observation*>(context);
      into.float_control = nopal::internal::float_control_of(*into.of);
      return true;
    };
    nopal_frame* frame = nullptr;
    if (nopal::internal::deque::steal(workers[0].deque, frame, observe, &seen) ==
        nopal::internal::deque::steal_outcome::taken) {
      const auto& model = *static_cast<mode_model*>(the_scheduler_model);
      auto& stolen = *reinterpret_cast<entry*>(frame);
      require(seen.float_control == model.control_of(stolen.mode.read()), "a thief was told another mode");
      unlock(&stolen.not_over);
    }
  }

  mode_scenario with_;
  std::uint64_t usual_ = 0;
  entry entries_[most_entries];
  std::vector<int> kept_;  // entries that the owner has not taken, by its own count
  int pushed_ = 0;
  int mode_ = 0;
};

}  // namespace

std::unique_ptr<model> make_mode_model(const mode_scenario& with) {
  return std::make_unique<mode_model>(with);
}

}  // namespace explore
