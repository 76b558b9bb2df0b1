// The end of threads: whoever stops the runtime and those who come meanwhile, and threads that are
// ended inside a scope.
//
// The pool's threads are joined without the lock: what a program runs at a thread's end may fork,
// or ask for anything else. A thread that pthread_exit or pthread_cancel ends is unwound through
// the frames of its strand, and goes on from there as that thread; so the strand must be one that
// this thread alone has run. docs/adoption.md has both.

#include <climits>
#include <exception>

#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::uint64_t look_again_ns = 1'000'000;
constexpr std::uint64_t look_soon_ns = 50'000;
constexpr int yields_before_nap = 100;
constexpr int looks_before_nap = 100;
constexpr int most_looks = NOPAL_BOUND(looks_before_nap + 20, 1);

/// Whether the strand, and each one that its pinned calls interrupt, runs on its thread's own
/// stack.
bool is_on_own_stack(const worker* self) {
  // unreached below: asks-with-fork
  if (self == nullptr) {
    return false;
  }
  for (; self != nullptr; self = self->outer) {
    // unreached below: asks-with-fork
    if (self->of_pool || get(self->deque.strand.stack) != &self->native) {
      return false;
    }
  }
  return true;
}

bool is_at_work(const worker& one) noexcept {
  const nopal_stack* const at_rest = one.of_pool ? nullptr : &one.native;
  return __atomic_load_n(&one.deque.strand.stack, __ATOMIC_ACQUIRE) != at_rest;
}

}  // namespace

void refuse_end() noexcept {
  os::end_process("nopal: a thread was ended (pthread_exit, pthread_cancel) inside a scope that was stolen "
                  "from, or in a strand on another thread than the scope's: it may end where every scope has "
                  "been joined, or where nothing was stolen");
}

/// A fork that may be stolen is in a deque; then the thief is at work, which it says before it takes the entry; then the
/// strand runs on a stack, until it waits at its join, which it counts before it leaves the stack. Looking in this
/// order, one that is active throughout is met in one of these states, unless it went from a join back to work
/// between the looks: it is at work before it counts its resumption, and does that before it waits no more. Who holds the
/// stacks has said so under the lock, and says it until it has given back what it took.
bool any_strand_active(runtime& all) noexcept {
  const auto any = [&all](auto active) {
    bool found = false;
    for_each_worker(all, [&found, active](const worker* other) { found = found || active(*other); });
    return found;
  };
  const auto has_entries = [](const worker& one) { return deque::size(one.deque) > 0; };
  // Acquire pairs with the release in let_stacks_go: what that one did with the stacks comes before they are unmapped.
  const auto holds = [](const worker& one) { return one.holds_stacks.load(std::memory_order_acquire); };
  const auto resumptions = [&all] {
    std::uint64_t sum = 0;
    for_each_worker(all, [&sum](const worker* other) { sum += other->counts.resumptions.get(); });
    return sum;
  };
  const std::uint64_t before = resumptions();
  return any(holds) || any(has_entries) || any(is_at_work) ||
         all.waiting_joins.load(std::memory_order_seq_cst) != 0 ||
         resumptions() != before;  // unreached: race
}

bool hold_stacks(worker* self) noexcept {
  // What `self` interrupts stands still meanwhile: it is at work until this call is over, and nobody is in need of the lock.
  for (const worker* one = self->outer; one != nullptr; one = one->outer) {
    if (is_at_work(*one)) {
      return true;
    }
  }
  // A stop holds the lock from its last look for active strands until the stacks are gone. So either that look comes later, and
  // meets this worker, or the stacks are found gone here. While a stop waits for threads to end, the lock is free, and its last
  // look is still to come.
  runtime& all = the_runtime();
  for (;;) {
    {
      const locked guard(all);
      if (all.stacks_mapped) {
        NOPAL_FAULT_OMITS("stacks not held", self->holds_stacks.store(true, std::memory_order_relaxed));
        return true;
      }
    }
    if (!start_runtime(all)) {  // unreached: refused-wait
      return false;             // unreached: refused-wait
    }
  }
}

bool hold_runtime(worker* self) noexcept {
  // The end of a thread of the pool is what a stop waits for.
  if (is_thread_of_pool()) {
    return false;
  }
  // Elsewhere the strand is at work. A wait's task may be so on a stack that it took while a stop was settled: then nobody else works.
  const bool is_to_hold = is_on_own_stack(self) && !self->holds_stacks.load(std::memory_order_relaxed);
  runtime& all = the_runtime();
  for (;;) {
    {
      const locked guard(all);
      while (is_being_stopped(all)) {
        await_stop(all);
      }
      // Relaxed, both: under the lock, as the look of who stops the runtime.
      if (all.running.load(std::memory_order_relaxed)) {
        if (is_to_hold) {
          self->holds_stacks.store(true, std::memory_order_relaxed);
        }
        return is_to_hold;
      }
    }
    if (!start_runtime(all)) {  // unreached: refused-wait
      return false;             // unreached: refused-wait
    }
  }
}

void let_stacks_go(worker* self) noexcept {
  if (self->holds_stacks.load(std::memory_order_relaxed)) {
    // Release pairs with the acquire in any_strand_active.
    self->holds_stacks.store(false, std::memory_order_release);
  }
}

namespace {

bool pool_stands_by(runtime& all) noexcept {
  bool all_do = true;
  for_each_worker(all, [&all_do](const worker* one) {
    // Sequentially consistent, both: a thread that is not there yet reads `stopping` after it has said that it is, and one that stood by
    // for an earlier stop reads it after it has said that it does no more. It pairs with the first store in stand_by, too: what the
    // thread did before is over.
    all_do = all_do && (!one->of_pool || !one->has_thread.load(std::memory_order_seq_cst) ||
                        one->stands_by.load(std::memory_order_seq_cst));
  });
  return all_do;
}

}  // namespace

bool settle_stop(runtime& all) noexcept {
  std::atomic<std::uint32_t> nothing{0};
  bool is_settled = false;
  for (int yields = 0; !is_settled && !any_strand_active(all);) {
    is_settled = pool_stands_by(all);
    if (is_settled) {
      break;
    }
    if (yields < yields_before_nap) {
      yields += NOPAL_BOUND(1, 0);
      os::yield();
    } else {
      os::futex_wait_for(nothing, 0, look_soon_ns);
    }
  }
  // Sequentially consistent, as when it was asked for.
  all.stopping.store(is_settled ? pool_leaves : goes_on, std::memory_order_seq_cst);
  wake_at(all.stopping, INT_MAX);
  return is_settled;
}

bool stand_by(runtime& all, worker* self) noexcept {
  give_beat_up(self);
  come_back(self);
  // Sequentially consistent: before the caller goes on, its word that it stands by is taken back, and then looked whether another stop
  // was asked for meanwhile. Who asks stores, and reads that word then. So one of the two sees the other.
  std::uint32_t state = all.stopping.load(std::memory_order_seq_cst);
  for (; state == stop_is_asked; state = all.stopping.load(std::memory_order_seq_cst)) {
    // Release pairs with the look in pool_stands_by.
    self->stands_by.store(true, std::memory_order_release);
    if (all.wakes_work) {
      os::futex_wait(all.stopping, stop_is_asked);
    } else {
      os::futex_wait_for(all.stopping, stop_is_asked, look_again_ns);  // unreached: no-wakes
    }
    NOPAL_FAULT_OMITS("stands by for good", self->stands_by.store(false, std::memory_order_seq_cst));
  }
  return state == pool_leaves;
}

void begin_stop(runtime& all) noexcept {
  all.stops.fetch_add(1, std::memory_order_relaxed);
  pthread_mutex_unlock(&all.lock);
}

void end_stop(runtime& all) noexcept {
  pthread_mutex_lock(&all.lock);
  // Relaxed: the lock orders what those who wait look at. They find it held until the stop is
  // complete.
  all.stops.fetch_add(1, std::memory_order_relaxed);
  NOPAL_FAULT_OMITS("end of stop not told", wake_at(all.stops, INT_MAX));
}

void await_stop(runtime& all) noexcept {
  const std::uint32_t seen = all.stops.load(std::memory_order_relaxed);
  const unlocked meanwhile(all);
  if (all.wakes_work) {  // unreached: no-wakes
    os::futex_wait(all.stops, seen);
  } else {
    os::futex_wait_for(all.stops, seen, look_again_ns);  // unreached: no-wakes
  }
}

bool no_thread_is_left(runtime& all) noexcept {
  // Relaxed: the lock orders both.
  if (all.running.load(std::memory_order_relaxed) && all.chosen.workers > 1) {
    return false;
  }
  bool any = false;
  for_each_first_worker(all, [&any](const worker*) { any = true; });
  return !any && os::first_thread_ends();
}

bool stop_patiently(runtime& all) noexcept {
  // Of the strands that its pinned calls interrupt, too: none of them ends before this call.
  bool in_strand = is_thread_of_pool();
  for (const worker* one = this_worker(); one != nullptr && !in_strand; one = one->outer) {
    in_strand = one->of_pool || deque::size(one->deque) > 0 || get(one->deque.strand.stack) != &one->native;
  }
  std::atomic<std::uint32_t> nothing{0};
  for (int looks = 1; !stop_runtime(all); ++looks) {
    if (in_strand || looks == most_looks) {
      return false;
    }
    const unlocked meanwhile(all);  // who ends its strand may need the lock for that
    looks < looks_before_nap ? os::yield() : static_cast<void>(os::futex_wait_for(nothing, 0, look_again_ns));
  }
  return true;
}

/// The C++ runtime has no exception object for this: the unwinder made the exception itself.
// unreached: throws-at-end
bool handles_end_of_thread() noexcept { return os::thread_is_ending() && !std::current_exception(); }

extern "C" NOPAL_EXPORT int nopal_thread_is_ending() { return os::thread_is_ending() ? 1 : 0; }

void pass_fork_at_end(nopal_frame* frame) noexcept {
  if (!is_on_own_stack(this_worker()) || (!nopal_pop() && !take_kept(frame))) {  // unreached: throws-at-end
    refuse_end();
  }
}

void check_fork_at_end() noexcept {
  if (!is_on_own_stack(this_worker())) {
    refuse_end();
  }
}

void check_end_of_thread(worker* self, const nopal_stack* stack, bool waits) noexcept {
  if (stack == &self->native) {
    self->ends_already = os::thread_is_ending();
  } else if (waits && !self->ends_already && os::thread_is_ending()) {
    refuse_end();
  }
}

void check_end_of_main() noexcept {
  // Strands of the pool run on its stacks until they return further than their scope's function.
  // unreached below: missing-join
  if (is_thread_of_pool() && os::near_first_stacks_end()) {
    os::end_process("nopal: main returned on a thread of the pool: a C function returned without its join; "
                    "join every scope before its function returns");
  }
}

void check_at_rest(const worker* self) noexcept {
  // unreached: ends-in-scope
  if (this_worker() != self || !is_on_own_stack(self) || self->deque.bottom != self->bottom_at_rest ||
      self->native.forks.of_old_process != 0) {  // unreached: ends-in-scope
    os::end_process(
        "nopal: a thread ended inside a scope (pthread_exit, pthread_cancel, or a C function that "
        "returned without its join): join every scope before its thread ends");
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
