// nopal_push_slow_path, nopal_push_and_publish, find_work, park and wake_one: real code.

#include "models/sleep_model.hpp"

#include "models/fake_runtime.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "strand/strand.hpp"

namespace explore {

namespace {

/// Of one word of a location; blinding wants its first address.
const void* word_of(nopal_deque& deque) { return &deque.top; }

class sleep_model final : public scheduler_model {
public:
  explicit sleep_model(const sleep_scenario& with) : with_(with) {}
  [[nodiscard]] int threads() const override { return with_.thieves + with_.strangers + 1; }

  /// They come before the thieves: who looks for a sleeper finds them first.
  [[nodiscard]] bool is_stranger(int thread) const { return thread > 0 && thread <= with_.strangers; }

  void set_up() override {
    faults.spreads_woken = with_.elsewhere;
    regions_matter = with_.short_regions;
    scheduler_model::set_up();
    const std::uint64_t control = nopal::internal::arch::float_control();
    for (int i = 0; i < threads(); ++i) {
      make_deque(workers[i].deque, i == 0);
      stacks[i].low = memory_;
      stacks[i].high = memory_ + sizeof memory_;
      nopal::internal::set_float_control_of(workers[i].deque.setting, control);
      nopal::internal::set_if_changed(workers[i].deque.setting.root, &workers[is_stranger(i) ? i : 0]);
      nopal::internal::the_runtime().table[i].store(&workers[i], __ATOMIC_RELAXED);
      if (i > 0) {
        workers[i].of_pool = !is_stranger(i);
        give_spare(i, &stacks[i]);
      }
    }
    nopal_deque& deque = workers[0].deque;
    deque.limit = with_.poisoned ? nopal_poisoned_limit : capacity;
    nopal::internal::strand::run_on(&workers[0], &stacks[0]);
    stacks[0].native_owner = with_.short_regions ? &workers[0] : nullptr;  // regions are those of roots
    for (int i = 0; i < most_entries; ++i) {
      frames_[i] = {};
      frames_[i].frame_pointer = frames_[i].call_stack_pointer = memory_ + 2 * i + 2;
      contents_[i].initialize(0);
      name(&contents_[i], sizeof(int), "content");
      taken_[i] = 0;
    }
    pushed_ = kept_ = 0;
    faults.barrier_refusals = with_.refusals;
    set_faults();
  }

  void run(int thread) override {
    if (thread > 0) {
      nopal::internal::find_work(&workers[thread]);
    }
    for (const char what : with_.owner) {
      if (what == '+') {
        push();
      } else if (kept_ > 0) {
        pop();
      }
    }
  }

  void resumed(nopal_frame* frame) override {
    const auto number = frame - frames_;
    require(nopal::internal::this_worker()->of_pool,
            "a strand of another's root runs on a thread of the program");
    require(number >= 0 && number < most_entries, "what is resumed is no entry");
    require(contents_[number].read() == 1, "the frame is not complete");
    ++taken_[number];
  }

  void check() override {
    const nopal_deque& deque = workers[0].deque;
    const std::int32_t left = deque.bottom - deque.top;
    int taken = 0;
    for (int i = 0; i < pushed_; ++i) {
      require(taken_[i] <= 1, "an entry was taken twice");
      taken += taken_[i];
    }
    require(taken + left == pushed_, "an entry was lost");
    for (int i = 1; i < threads(); ++i) {
      require(!is_kept_off_cpu(i), "a thread is kept off a CPU for good");
      if (!is_stranger(i) && waits(i) && left > 0) {
        require(with_.hasty, "somebody sleeps beside work");
        require(left == 1 && deque.limit == nopal_poisoned_limit, "somebody sleeps for good beside work");
      }
    }
  }

private:
  static constexpr std::int32_t capacity = 8;
  static constexpr int most_entries = 4;

  static void make_deque(nopal_deque& deque, bool of_owner) {
    const std::size_t cells = static_cast<std::size_t>(capacity) + nopal::internal::deque::slots_header;
    auto* const begin =
        static_cast<nopal_frame**>(allocate(nopal::internal::deque::slots_line, cells * sizeof(void*)));
    std::memset(static_cast<void*>(begin), 0, cells * sizeof(void*));
    begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(capacity));
    deque.owner_slots = deque.public_slots = begin + nopal::internal::deque::slots_header;
    name(&deque.bottom, sizeof deque.bottom, of_owner ? "bottom" : "thief's bottom");
    name(&deque.limit, sizeof deque.limit, of_owner ? "limit" : "thief's limit");
    name(&deque.top, 16, of_owner ? "word" : "thief's word");
    name(&deque.public_slots, sizeof deque.public_slots, of_owner ? "public_slots" : "thief's public_slots");
    name(&deque.owner_slots[0], sizeof(void*), of_owner ? "slot 0" : "thief's slot 0");
    name(&deque.owner_slots[1], sizeof(void*), of_owner ? "slot 1" : "thief's slot 1");
  }

  void set_faults() {
    const bool looks = with_.fault != sleep_fault::no_look;
    faults.unseen[0] = looks ? nullptr : &workers[0].deque.bottom;
    faults.unseen[1] = looks ? nullptr : word_of(workers[0].deque);
    faults.no_barrier_in_park = with_.fault == sleep_fault::no_barrier;
    faults.no_wake = with_.fault == sleep_fault::no_wake;
    blind(&nopal::internal::the_runtime().sleepers, with_.fault == sleep_fault::unannounced);
    blind(&workers[0].deque.limit, with_.fault == sleep_fault::unpoisoned);
  }

  /// As nopal_push, and as nopal_push_slow goes on from there.
  void push() {
    nopal::internal::worker* const self = &workers[0];
    nopal_deque& deque = self->deque;
    nopal_frame* const frame = &frames_[pushed_];
    contents_[pushed_].write(1);
    ++pushed_;
    ++kept_;
    if (deque.bottom >= __atomic_load_n(&deque.limit, __ATOMIC_RELAXED)) {
      const int rest = nopal_push_and_publish(frame, self);
      if (rest != nopal::internal::nothing_left) {
        nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest));
      }
      return;
    }
    nopal::internal::deque::append(deque, frame);
  }

  void pop() {
    if (nopal_pop() != 0) {
      --kept_;
      ++taken_[kept_];
      require(contents_[kept_].read() == 1, "the owner's frame was changed");
    } else {
      kept_ = 0;
    }
  }

  sleep_scenario with_;
  nopal_frame frames_[most_entries] = {};
  plain<int> contents_[most_entries];
  int taken_[most_entries] = {};
  int pushed_ = 0;
  int kept_ = 0;  // entries that the owner has not taken, by its own count
  char memory_[1024] = {};
};

}  // namespace

std::unique_ptr<model> make_sleep_model(const sleep_scenario& with) {
  return std::make_unique<sleep_model>(with);
}

}  // namespace explore
