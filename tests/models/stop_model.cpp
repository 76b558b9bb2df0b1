// nopal_enter_stop, nopal_leave_stop, nopal_request_stop, part_of_oldest, and the pushes and steals around them: real code.

#include "models/stop_model.hpp"

#include "models/fake_runtime.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>
#include <nopal/detail/stop.h>

#include "deque/deque.hpp"
#include "scheduler/stops.hpp"
#include "strand/strand.hpp"

extern "C" {
void nopal_throw_push_failure() { explore::fail("a push fails"); }
void nopal_fail_push() { explore::fail("a push fails"); }
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace stops {
[[noreturn]] void throw_stopped() { explore::fail("a fork throws"); }
}  // namespace stops
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

class stop_model final : public scheduler_model {
public:
  explicit stop_model(const stop_scenario& with) : with_(with) {}
  [[nodiscard]] int threads() const override { return 1 + with_.thieves + with_.stops; }
  /// It, and those after it.
  [[nodiscard]] int first_requester() const { return 1 + with_.thieves; }

  void set_up() override {
    scheduler_model::set_up();
    const std::uint64_t control = nopal::internal::arch::float_control();
    for (int i = 0; i < threads(); ++i) {
      make_deque(workers[i].deque, i == 0);
      stacks[i].low = memory_;
      stacks[i].high = memory_ + sizeof memory_;
      nopal::internal::set_float_control_of(workers[i].deque.setting, control);
      nopal::internal::set_if_changed(workers[i].deque.setting.root, &workers[0]);
      nopal::internal::the_runtime().table[i].store(i >= first_requester() ? nullptr : &workers[i],
                                                    __ATOMIC_RELAXED);
      workers[i].of_pool = i > 0;
      if (i > 0) {
        give_spare(i, &stacks[i]);
      }
    }
    workers[0].deque.limit = with_.poisoned ? nopal_poisoned_limit : capacity;
    nopal::internal::strand::run_on(&workers[0], &stacks[0]);
    for (int i = 0; i < most_entries; ++i) {
      frames_[i] = {};
      frames_[i].frame_pointer = frames_[i].call_stack_pointer = memory_ + 2 * i + 2;
      expected_[i] = nullptr;
    }
    for (nopal_stop& part : parts_) {
      part = {};
    }
    name(&nopal_stops_requested, sizeof nopal_stops_requested, "requested");
    name(&workers[0].stops.count, sizeof(std::uint32_t), "steps");
    nopal_stops_requested = 0;
    nopal::internal::stops::last_request = 0;
    nopal_stops_used = 1;
    not_entered_ = 1;
    name(&not_entered_, sizeof not_entered_, "not entered");
    pushed_ = entered_ = 0;
    own_ = &parts_[most_parts - 1];
    nopal::internal::stops::forget_followers();
    ended_ = asked_ = follows_ = false;
    requesters_ended_ = 0;
  }

  void run(int thread) override {
    if (thread >= first_requester()) {
      lock(&not_entered_);
      unlock(&not_entered_);
      nopal_request_stop(&parts_[0]);
      ++requesters_ended_;
      return;
    }
    if (thread > 0) {
      nopal::internal::find_work(&workers[thread]);
    }
    std::size_t at = 0;
    goes_on(at);
    ended_ = true;
  }

  void resumed(nopal_frame* frame) override {
    const auto number = frame - frames_;
    require(number >= 0 && number < most_entries, "what is resumed is no entry");
    require(nopal::internal::stops::innermost(nopal::internal::this_worker()) == expected_[number],
            "a strand is in another part than its fork");
  }

  void check() override {
    if (with_.stops == 0 || !ended_) {
      return;
    }
    const bool stopped = nopal::internal::stops::is_stopped_here(&workers[0]);
    require(!stopped || workers[0].deque.limit == nopal_poisoned_limit, "a stopped strand forks on");
    const std::uint32_t requested = (parts_[0].requested != 0 ? 1 : 0) + (target_->requested != 0 ? 1 : 0);
    const bool all_asked = requesters_ended_ == with_.stops;
    require(!all_asked || nopal_stops_requested == requested, "requests are counted wrongly");
    require(!all_asked || !follows_ || target_->requested != 0, "a follower is not stopped");
  }

private:
  static constexpr std::int32_t capacity = 8;
  static constexpr int most_entries = 6;
  static constexpr int most_parts = 8;

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
  }

  nopal_stop* innermost() { return nopal::internal::stops::innermost(&workers[0]); }

  nopal_stop* enter() {
    nopal_stop* const part = &parts_[entered_++];
    require(nopal_enter_stop(part, nopal_stop_skips, nullptr) == 0, "a part is not entered");
    if (part == parts_ && with_.stops != 0) {
      unlock(&not_entered_);
    }
    return part;
  }

  /// From `at` on to where this level ends. False if the strand is over.
  bool goes_on(std::size_t& at) {
    nopal_stop* part = nullptr;
    while (at < with_.owner.size()) {
      switch (with_.owner[at++]) {
      case '(': part = enter(); break;
      case ')':
        nopal_leave_stop(part);
        *part = {};  // its function has returned
        part = nullptr;
        break;
      case '!':
        nopal_request_stop(&parts_[0]);
        asked_ = true;
        break;
      case '~':
        nopal_withdraw_stop(&parts_[0]);
        asked_ = false;
        break;
      case 'f':
        nopal_follow_stop(&follower_, target_, innermost());
        follows_ = true;
        break;
      case 'u':
        nopal_unfollow_stop(&follower_);
        follows_ = false;
        break;
      case '+':
        if (!push()) {
          skip_child(at);
        } else if (!goes_on(at) || !pop()) {
          return false;
        }
        break;
      default: return true;
      }
    }
    return true;
  }

  /// The child was not begun.
  void skip_child(std::size_t& at) const {
    for (int depth = 1; depth > 0; ++at) {
      depth += with_.owner[at] == '+' ? 1 : with_.owner[at] == '-' ? -1 : 0;
    }
  }

  /// As nopal_push and what its caller does. False: refused.
  bool push() {
    nopal::internal::worker* const self = &workers[0];
    nopal_deque& deque = self->deque;
    nopal_frame* const frame = &frames_[pushed_];
    expected_[pushed_] = innermost();
    ++pushed_;
    if (deque.bottom >= __atomic_load_n(&deque.limit, __ATOMIC_RELAXED)) {
      const int rest = nopal_push_and_publish(frame, self);
      if (rest != nopal::internal::nothing_left &&
          nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest)) != 0) {
        nopal_push_refused();
        require(nopal_stop_requested_here() != 0, "a push is refused that is not stopped");
        return false;
      }
    } else {
      nopal::internal::deque::append(deque, frame);
    }
    require(!asked_, "a fork begins after its strand has asked");
    return true;
  }

  /// Where the continuation was stolen the worker takes another strand.
  bool pop() {
    if (nopal_pop() != 0) {
      return true;
    }
    nopal::internal::worker* const self = &workers[0];
    nopal::internal::deque::reset(self->deque);
    nopal::internal::stops::begin(self, own_);
    asked_ = false;
    nopal_stop* const part = enter();
    if (push()) {
      static_cast<void>(nopal_pop());
    }
    static_cast<void>(part);
    return false;
  }

  stop_scenario with_;
  nopal_frame frames_[most_entries] = {};
  nopal_stop* expected_[most_entries] = {};
  nopal_stop parts_[most_parts] = {};
  nopal_stop* own_ = nullptr;
  nopal_stop* const target_ = &parts_[most_parts - 2];
  nopal_follower follower_ = {};
  bool follows_ = false;
  std::uint32_t not_entered_ = 1;
  int pushed_ = 0;
  int entered_ = 0;
  bool ended_ = false;
  bool asked_ = false;  ///< the strand, the first part
  int requesters_ended_ = 0;
  char memory_[1024] = {};
};

}  // namespace

std::unique_ptr<model> make_stop_model(const stop_scenario& with) {
  return std::make_unique<stop_model>(with);
}

}  // namespace explore
