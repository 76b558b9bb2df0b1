// nopal_wait_for_event, nopal_wake_waiters, nopal_lock_mutex, nopal_unlock_mutex: real code.

#include "models/waiters_model.hpp"

#include "models/redirect.hpp"
// After the macros.
#include <nopal/detail/blocking.h>

#include "scheduler/ready.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/waiters.hpp"
#include "testing/fault_points.hpp"

namespace explore {

namespace {

class waiters_model final : public model {
public:
  explicit waiters_model(waiters_scenario with) : with_(std::move(with)) {}
  [[nodiscard]] int threads() const override { return static_cast<int>(with_.threads.size()); }

  void set_up() override {
    event_ = {nopal_event_not_set};
    mutex_ = {nopal_mutex_free, nullptr};
    name(&event_.state, sizeof event_.state, "event");
    name(&mutex_.state, sizeof mutex_.state, "mutex");
    name(&mutex_.queue, sizeof mutex_.queue, "queue");
    told_.initialize(0);
    held_.initialize(0);
    name(&told_, sizeof(int), "told");
    name(&held_, sizeof(int), "held");
  }

  void run(int thread) override {
    for (const char what : with_.threads[static_cast<std::size_t>(thread)]) {
      switch (what) {
      case 'w': wait(); break;
      case 's': set(); break;
      case 'l': hold(); break;
      default: give_up(&event_, sizeof event_); break;
      }
    }
  }

  void check() override {
    for (int i = 0; i < threads(); ++i) {
      require(!waits(i), "somebody waits for good");
    }
    require(mutex_.state == nopal_mutex_free && mutex_.queue == nullptr, "the mutex is held for good");
    int holders = 0;
    for (const std::string& one : with_.threads) {
      for (const char what : one) {
        holders += what == 'l' ? 1 : 0;
      }
    }
    require(held_.read() == holders, "two had the mutex at once");
  }

private:
  void wait() {
    nopal_wait_for_event(&event_);
    require(told_.read() == 1, "a wait ended before the event was set");
  }

  void set() {
    told_.write(1);
    // As event::set.
    const std::uintptr_t before = exchange(&event_.state, nopal_event_set, __ATOMIC_ACQ_REL);
    if (before != nopal_event_not_set && before != nopal_event_set) {
      nopal_wake_waiters(before);
    }
  }

  void hold() {
    // As mutex::lock and mutex::unlock, but that the library does all of it.
    nopal_lock_mutex(&mutex_);
    const int before = held_.read();
    held_.write(before + 1);
    unlock_further_down();
  }

  /// What the explorer knows as locations of the wait's record is no stack of this call.
  [[gnu::noinline]] void unlock_further_down() {
    char room[1024];
    std::memset(room, 0, sizeof room);
    asm volatile("" : : "r"(room) : "memory");
    nopal_unlock_mutex(&mutex_);
    asm volatile("" : : "r"(room) : "memory");
  }

  waiters_scenario with_;
  nopal_event event_{};
  nopal_mutex mutex_{};
  plain<int> told_;
  plain<int> held_;
};

}  // namespace

std::unique_ptr<model> make_waiters_model(const waiters_scenario& with) {
  return std::make_unique<waiters_model>(with);
}

}  // namespace explore

// What waiters.cpp calls.

extern "C" {
std::uint32_t nopal_begin_blocking() { return 0; }
void nopal_end_blocking(std::uint32_t) {}
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

constinit runtime the_only_runtime;

/// All of them wait as threads.
bool wait_suspended(waiter& self) noexcept {
  // Where an earlier record of this thread lay.
  explore::copy(&self.is_woken, &self.is_woken, sizeof self.is_woken);
  NOPAL_PLAIN_STORE(self.strand.frame, nullptr);
  return false;
}
void make_ready(ready_strand&) noexcept {}
void unpark(worker*) noexcept {}

namespace os {
void yield() noexcept { explore::yield(); }
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  explore::futex_wait(&word, expected, false);
}
bool futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t) noexcept {
  return explore::futex_wait(&word, expected, true);
}
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  return explore::futex_wake(&word, count);
}
}  // namespace os

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
