// The list of ready strands, in the order of coming, behind a lock that is held for some steps.
//
// A worker takes the latest: it is the deepest, as what a worker goes on with in its own deque. So lists
// stay short. Every fourth time it takes the first, so that nobody waits for good.

#include "scheduler/ready.hpp"

#include <nopal/detail/noise.h>

#include "scheduler/join.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/stolen.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

constexpr std::uint32_t takes_per_first = 4;
constexpr int looks_before_yield = 64;

std::atomic<bool> is_locked{false};
// Under the lock.
ready_strand* first_ready = nullptr;
ready_strand* latest_ready = nullptr;
/// How many; written under the lock, looked at without
std::atomic<std::uint32_t> ready_count{0};

class ready_guard {
public:
  ready_guard() noexcept { lock_ready(); }
  ready_guard(const ready_guard&) = delete;
  ready_guard& operator=(const ready_guard&) = delete;
  ~ready_guard() { unlock_ready(); }
};

const worker* root_of(const ready_strand& one) noexcept { return static_cast<const worker*>(one.root); }

void append(ready_strand& one) noexcept {
  one.older = latest_ready;
  one.younger = nullptr;
  (latest_ready == nullptr ? first_ready : latest_ready->younger) = &one;
  latest_ready = &one;
  // Sequentially consistent: before the look for sleepers; pairs with has_ready.
  ready_count.store(ready_count.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
}

void remove(const ready_strand& one) noexcept {
  (one.older == nullptr ? first_ready : one.older->younger) = one.younger;
  (one.younger == nullptr ? latest_ready : one.younger->older) = one.older;
  ready_count.store(ready_count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

/// One that `self` may run, in whose arena there is room, or null. A strand that is listed keeps its root, so the
/// answer is right.
ready_strand* find(const worker* self, bool from_first) noexcept {
  ready_strand* one = from_first ? first_ready : latest_ready;
  while (one != nullptr && !(may_run(self, root_of(*one)) && may_sit_for(self, root_of(*one)))) {
    one = from_first ? one->younger : one->older;
  }
  return one;
}

}  // namespace

void lock_ready() noexcept {
  // Acquire pairs with the release in unlock_ready.
  while (is_locked.exchange(true, std::memory_order_acquire)) {
    for (int looks = 0; is_locked.load(std::memory_order_relaxed); ++looks) {
      looks < looks_before_yield ? os::cpu_relax() : os::yield();
    }
  }
}
void unlock_ready() noexcept { is_locked.store(false, std::memory_order_release); }

void make_ready(ready_strand& one) noexcept {
  const worker* const root = root_of(one);
  {
    const ready_guard guard;
    append(one);
  }
  NOPAL_DISTURB();
  if (!wake_one(this_worker(), root) && anyone_sleeps()) {
    wake_keeper_of_place();
  }
}

bool any_ready() noexcept { return ready_count.load(std::memory_order_seq_cst) != 0; }

bool has_ready(const worker* self) noexcept {
  if (!any_ready()) {
    return false;
  }
  const ready_guard guard;
  return find(self, false) != nullptr;
}

void take_ready(worker* self) noexcept {
  // Mostly none. Late is harmless: who goes to sleep looks again.
  if (ready_count.load(std::memory_order_relaxed) == 0) {
    return;
  }
  ready_strand taken;
  nopal_arena* seat = nullptr;
  {
    const ready_guard guard;
    ready_strand* const one = find(self, ++self->takes % takes_per_first == 0);
    if (one == nullptr || (arenas_used != 0 && !try_seat(self, root_of(*one), seat))) {
      return;
    }
    remove(*one);
    taken = *one;
  }
  nopal_arena* const arena = arena_of(root_of(taken));
  come_back_from_elsewhere(self, arena);
  if (seat != nullptr) {
    keep_seat(self, seat);
  }
  go_on_in(self, arena);
  be_present(self, arena);
  if (taken.stack != nullptr) {
    start_ready(self, taken);
  }
  set_if_changed(self->deque.setting.root, taken.root);
  set_this_local(taken.local);
  resume_at_home(self, taken.frame);
}

void forget_ready() noexcept {
  first_ready = nullptr;
  latest_ready = nullptr;
  ready_count.store(0, std::memory_order_relaxed);
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
