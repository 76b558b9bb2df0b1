// A strand in a call that may block in the system: what it can give away is given before, and nobody
// has to ask its thread for anything meanwhile.

#include <cerrno>

#include <nopal/detail/blocking.h>
#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/push.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/tasks.hpp"
#include "scheduler/waiters.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Whether all of its thread's code runs where it began, and has forked nothing that is open.
bool has_forked_nothing(const worker* self) noexcept {
  for (; self != nullptr; self = self->outer) {
    if (self->of_pool || get(self->deque.strand.stack) != &self->native ||
        self->deque.bottom != self->bottom_at_rest || self->native.forks.count != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_at_rest(const worker* self) noexcept {
  // In an arena tasks lie in its own list.
  return !has_tasks(thread_worker(self)->tasks) && arena_of(root_of(*self)) == nullptr &&
         has_forked_nothing(self);
}

extern "C" NOPAL_EXPORT int nopal_is_outermost() {
  const worker* const self = this_worker();
  return self == nullptr || has_forked_nothing(self) ? 1 : 0;
}

extern "C" NOPAL_EXPORT std::uint32_t nopal_begin_blocking() {
  worker* const self = this_worker();
  runtime& all = the_runtime();
  // Acquire pairs with the release at the end of start_runtime.
  if (self == nullptr || !all.running.load(std::memory_order_acquire)) {
    return 0;
  }
  promote_own();
  if (is_at_rest(self)) {
    return 0;
  }
  offer_all(self);
  answer_no_question(self);
  // Sequentially consistent: before the look at who is there to take what was offered.
  all.blocked.fetch_add(1, std::memory_order_seq_cst);
  NOPAL_DISTURB();
  replace_blocked();
  if (arenas_used != 0) {
    give_up_seats(self);
    go_on_in(self, nullptr);
  }
  return all.generation;
}

extern "C" NOPAL_EXPORT void nopal_end_blocking(std::uint32_t begun) {
  runtime& all = the_runtime();
  if (begun == all.generation) {  // else it began in the parent of this process
    all.blocked.fetch_sub(1, std::memory_order_seq_cst);
  }
  if (begun != 0 && arenas_used != 0) {
    const int error = errno;
    worker* const self = this_worker();
    sit_again(self, arena_of(root_of(*self)));
    errno = error;
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
