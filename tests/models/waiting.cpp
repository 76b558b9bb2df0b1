// What threads do to one another, each a step of the engine: barriers, futexes, locks.

#include "models/engine.hpp"

namespace explore {

void engine::barrier() {
  for (int i = -1; i <= static_cast<int>(fibers_.size()); ++i) {
    const bool own = i < 0 || i == static_cast<int>(fibers_.size());
    if (!own && i == running_) {
      continue;
    }
    step();
    if (own) {
      memory_->fence(running_, __ATOMIC_SEQ_CST);
    } else {
      memory_->fence_elsewhere(i);
    }
    remember(6, {}, static_cast<std::uint64_t>(i + 1));
    trace("%d: barrier on %d\n", running_, own ? running_ : i);
  }
  show_memory(running_);
}

void engine::yield() {
  self().yielded = true;
  step();
  if (self().yielded) {
    // Nobody else could move, so time passes: what was stored is seen.
    memory_->settle(running_);
    show_memory(running_);
  }
  self().yielded = false;
  remember(10, {}, 0);
}

void engine::interrupt(int thread, std::uint64_t told) {
  step();
  memory_->fence(running_, __ATOMIC_SEQ_CST);
  fiber& to = fibers_[static_cast<std::size_t>(thread)];
  const bool dropped = to.signalled || to.state == fiber_state::finished;
  if (!dropped) {
    to.signalled = true;
    to.told = told;
  }
  remember(15, {}, static_cast<std::uint64_t>(thread));
  trace("%d: interrupts %d%s\n", running_, thread, dropped ? ", in vain" : "");
  show_memory(running_);
}

void engine::instruction() {
  if (program_.interruptible(running_) && !self().in_handler) {
    step();
    remember(16, {}, 0);
  }
}

/// A wait that is interrupted begins again, as the system has it.
bool engine::futex_wait(const void* address, std::uint32_t expected, bool timed) {
  for (;;) {
    const bool woken = futex_wait_once(address, expected, timed);
    if (!self().begins_again) {
      return woken;
    }
    self().begins_again = false;
  }
}

bool engine::futex_wait_once(const void* address, std::uint32_t expected, bool timed) {
  step();
  const access of = find(address, sizeof expected);
  // The system looks at the word under a lock that a waker takes too.
  memory_->fence(running_, __ATOMIC_SEQ_CST);
  const std::uint64_t value = memory_->read_newest(running_, of.where, __ATOMIC_SEQ_CST).part(of);
  remember(7, of, value);
  if (value != expected) {
    trace_access("does not wait for", of, value, __ATOMIC_SEQ_CST);
    show_memory(running_);
    return true;
  }
  trace_access(timed ? "waits a little for" : "waits for", of, value, __ATOMIC_SEQ_CST);
  self().state = fiber_state::waiting;
  self().waits_for = address;
  self().timed = timed;
  schedule();
  const bool woken = self().state != fiber_state::waiting;
  self().state = fiber_state::ready;
  self().timed = false;
  if (!woken && !how_.early_timeouts) {
    memory_->settle(running_);
    show_memory(running_);
  }
  remember(8, of, woken ? 1 : 0);
  trace("%d: %s\n", running_, woken ? "wakes" : "has waited for long enough");
  return woken;
}

int engine::futex_wake(const void* address, int count) {
  step();
  memory_->fence(running_, __ATOMIC_SEQ_CST);
  int woken = 0;
  for (std::size_t i = 0; i < fibers_.size() && woken < count; ++i) {
    fiber& one = fibers_[i];
    if (one.state == fiber_state::waiting && one.waits_for == address) {
      one.state = fiber_state::ready;
      one.waits_for = nullptr;
      ++woken;
      trace("%d: wakes %zu\n", running_, i);
    }
  }
  remember(9, {}, static_cast<std::uint64_t>(woken));
  show_memory(running_);
  return woken;
}

void engine::lock(void* address) {
  step();
  const access of = find(address, sizeof(std::uint32_t));
  for (;;) {
    content value = memory_->read_newest(running_, of.where, __ATOMIC_ACQUIRE);
    if (value.part(of) == 0) {
      value.set_part(of, 1);
      memory_->write_newest(running_, of.where, value, __ATOMIC_RELAXED);
      break;
    }
    // Learns nothing but that it has to wait, so its history stays as it is.
    trace("%d: waits for %s\n", running_, locations_[of.where].name.c_str());
    self().state = fiber_state::waiting;
    self().waits_for = address;
    schedule();
    self().begins_again = false;  // as it does anyway
  }
  remember(11, of, 0);
  trace("%d: locks %s\n", running_, locations_[of.where].name.c_str());
  show_memory(running_);
}

void engine::unlock(void* address) {
  step();
  const access of = find(address, sizeof(std::uint32_t));
  content value = memory_->read_newest(running_, of.where, __ATOMIC_RELAXED);
  value.set_part(of, 0);
  memory_->write_newest(running_, of.where, value, __ATOMIC_RELEASE);
  for (fiber& one : fibers_) {
    if (one.state == fiber_state::waiting && one.waits_for == address) {
      one.state = fiber_state::ready;
      one.waits_for = nullptr;
    }
  }
  remember(12, of, 0);
  trace("%d: unlocks %s\n", running_, locations_[of.where].name.c_str());
  show_memory(running_);
}

}  // namespace explore
