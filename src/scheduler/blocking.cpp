// A strand in a call that may block in the system: what it can give away is given before, and nobody
// has to ask its thread for anything meanwhile.

#include <atomic>
#include <cerrno>

#include <nopal/detail/blocking.h>
#include <nopal/detail/noise.h>

#include "deque/deque.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/push.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sleep.hpp"
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

// What the end of a call is given: the generation, the number of the server that was told of the beginning,
// 0 being none, whether a place was given away, and whether the runtime is held meanwhile.
constexpr std::uint32_t gave = 1U << 31U;
constexpr std::uint32_t held = 1U << 30U;
constexpr std::uint32_t server_shift = 23;
constexpr std::uint32_t most_servers = (held >> server_shift) - 1;
constexpr std::uint32_t generation_bits = (1U << server_shift) - 1;

/// By number: one for each copy of the code that serves, as plug-ins have.
constinit std::atomic<const nopal_blocking_server*> servers[most_servers + 1];
/// The number of the one that is told of the calls of this thread that block.
thread_local constinit std::uint32_t this_server = 0;

/// Its number, which it gets if it has none; 0: no number is left, and it is told nothing.
std::uint32_t number_of(const nopal_blocking_server* server) noexcept {
  for (std::uint32_t i = 1; i <= most_servers; ++i) {
    const nopal_blocking_server* there = nullptr;
    // Release pairs with the acquires of those who tell it. Relaxed where it fails: pointers are compared.
    if (servers[i].compare_exchange_strong(there, server, std::memory_order_release,
                                           std::memory_order_relaxed) ||
        there == server) {
      return i;
    }
  }
  return 0;
}

const nopal_blocking_server* server_of(std::uint32_t number) noexcept {
  // Acquire pairs with the release in number_of: the end may be on another thread.
  return servers[number].load(std::memory_order_acquire);
}

/// Gives a place away, if there is one. What its end is given, 0 if there is none.
std::uint32_t give_place(worker* self, runtime& all) noexcept {
  promote_own();
  if (is_at_rest(self)) {
    return 0;
  }
  const std::uint32_t given = hold_runtime(self) ? gave | held : gave;
  offer_all(self);
  answer_no_question(self);
  // Sequentially consistent: before the look at who is there to take what was offered.
  all.blocked.fetch_add(1, std::memory_order_seq_cst);
  NOPAL_DISTURB();
  replace_blocked();
  if (anyone_sleeps() && strands_wait_in_sight()) {
    wake_keeper_of_place();
  }
  if (arenas_used != 0) {
    give_up_seats(self);
    go_on_in(self, nullptr);
  }
  return given;
}

}  // namespace

bool is_at_rest(const worker* self) noexcept {
  // In an arena tasks lie in its own list.
  return !has_tasks(thread_worker(self)->tasks) && arena_of(root_of(*self)) == nullptr &&
         has_forked_nothing(self);
}

bool serves_others() noexcept { return this_server != 0; }

void tell_server_of_sleep() noexcept {
  if (serves_others()) {
    server_of(this_server)->begins();
  }
}
void tell_server_of_wake() noexcept {
  if (serves_others()) {
    server_of(this_server)->ends();
  }
}

extern "C" NOPAL_EXPORT int nopal_is_outermost() {
  const worker* const self = this_worker();
  return self == nullptr || has_forked_nothing(self) ? 1 : 0;
}

extern "C" NOPAL_EXPORT void nopal_tell_of_blocking(const nopal_blocking_server* server) {
  this_server = server == nullptr ? 0 : number_of(server);
}

extern "C" NOPAL_EXPORT std::uint32_t nopal_begin_blocking() {
  worker* const self = this_worker();
  runtime& all = the_runtime();
  std::uint32_t begun = this_server << server_shift;
  if (begun != 0) {
    server_of(this_server)->begins();
  }
  if (self != nullptr) {
    begun |= give_place(self, all);
  }
  return begun == 0 ? 0 : begun | (all.generation & generation_bits);
}

extern "C" NOPAL_EXPORT void nopal_end_blocking(std::uint32_t begun) {
  if (begun == 0) {
    return;
  }
  const int error = errno;
  runtime& all = the_runtime();
  if ((begun & generation_bits) ==
      (all.generation & generation_bits)) {  // else it began in the parent of this process
    if ((begun & gave) != 0) {
      all.blocked.fetch_sub(1, std::memory_order_seq_cst);
    }
    if (const std::uint32_t number = (begun & ~(gave | held)) >> server_shift; number != 0) {
      server_of(number)->ends();
    }
  }
  if ((begun & held) != 0) {
    let_stacks_go(this_worker());  // the same: it is on its thread's own stack
  }
  if ((begun & gave) != 0 && arenas_used != 0) {
    worker* const self = this_worker();
    sit_again(self, arena_of(root_of(*self)));
  }
  errno = error;
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
