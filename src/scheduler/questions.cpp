// Who asks whom, how often, and what the handler answers.
//
// `asking` of a thread's first worker:
//   not_asked       a thief makes it `asked` and sends the signal
//   asked           the handler makes it one of the others
//   nothing_latent  the thread's limit is poisoned, so its next fork comes to the slow push, which
//                   makes it `not_asked`; there is nothing to ask for before that
// Answers that bring nothing make the next question come later.

#include "scheduler/questions.hpp"

#include "deque/deque.hpp"
#include "os/interruptions.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/push.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/short_regions.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/traced.hpp"
#include "scheduler/waiters.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

// After the first answer of several that brought nothing. Doubled by each, so that signals come to take
// less than a thousandth of the thread's time.

/// The answer could not be given, since the thread was in the library, or between a fork's look and its
/// call; or it was that there is nothing, and a slow push came since.
constexpr std::uint64_t short_pause_ns = 20'000;
/// What there is lies out of reach, and will for long.
constexpr std::uint64_t long_pause_ns = 2'000'000;
constexpr std::uint32_t most_doublings = 8;
/// A thread that blocks the signal, or does not run, is not waited for longer than this.
constexpr std::uint64_t answer_wait_ns = 20'000'000;

enum class answer : std::uint8_t {
  promoted,
  nothing,
  out_of_reach,  ///< what lies below code without tables
  unsure,
};

/// Whether there is a handler. Written under the runtime's lock.
std::atomic<bool> listening{false};

/// Notes how long a question took. One that took longer than this met a thread that had no CPU, or blocks the
/// signal; that is no price for thieves to wait for.
void note_price(std::uint64_t ticks) noexcept {
  constexpr std::uint64_t most = 250'000;
  if (ticks < most) {
    note_ticks(the_runtime().ticks_of_a_question, ticks);
  }
}

/// Between a latent fork's look and its call.
bool is_about_to_fork(const arch::registers& at) noexcept {
  // Code without tables may be such as cannot be read: of compilers at run time.
  return arch::look(at, true, true).kind != arch::code::unknown && arch::is_between_look_and_call(at);
}

answer answer_question(worker* self, const os::interrupted& here) noexcept {
  if (get(self->deque.strand.stack) == nullptr || !here.has_room || !may_promote_now(self)) {
    return answer::unsure;
  }
  if (self->exceptions != nullptr &&
      (self->exceptions->caught != nullptr || self->exceptions->uncaught != 0)) {
    return answer::unsure;  // forks may be older than the exception
  }
  if (!thread_worker(self)->is_ready_to_answer) {
    deque::poison(self->deque);
    return answer::nothing;  // no fork was pushed, and the first one is, before any is latent
  }
  if (is_about_to_fork(here.at) && !NOPAL_FAULT("look not seen")) {
    return answer::unsure;
  }
  const std::int32_t before = deque::size(self->deque);
  const promotion done = promote(self, here.at, {true, true, false});
  if (done.end == promotion_end::between || done.end == promotion_end::not_looked_up) {
    return answer::unsure;
  }
  if (done.forks == 0) {
    NOPAL_FAULT_OMITS("nothing unpoisoned", deque::poison(self->deque));
    return before > 0                              ? answer::unsure
           : done.end == promotion_end::cut        ? answer::out_of_reach
           : done.end == promotion_end::off_strand ? answer::unsure
                                                   : answer::nothing;
  }
  // The floating-point mode is told already: the first push of a region is a slow one (see
  // keep_oldest_public). The interrupted code may have another one for a few instructions. Only where
  // one worker is all there is, and a substitute asks, is the mode of the moment the best there is.
  if (the_runtime().chosen.workers == 1 || NOPAL_FAULT("mode of the moment")) {
    set_float_control_of(self->deque.setting, here.float_control);
  }
  set_if_changed(self->deque.setting.uncaught, 0);
  NOPAL_FAULT_DOES("promoted in silence", return answer::promoted);
  note_published(self, deque::publish(self->deque, deque::publish_batch(deque::size(self->deque))));
  NOPAL_FAULT_OMITS("nobody told", wake_one(self, root_of(*self)));
  return answer::promoted;
}

void on_question(const os::interrupted& here) {
  worker* const self = this_worker();
  if (self == nullptr) {
    return;
  }
  worker* const first = thread_worker(self);
  // Acquire pairs with the release of the one that asks.
  if (first->asking.load(std::memory_order_acquire) != asked) {
    return;
  }
  first->is_deaf.store(false, std::memory_order_relaxed);
  const answer given = answer_question(self, here);
  const std::uint32_t fruitless = first->fruitless.load(std::memory_order_relaxed);
  std::uint64_t pause = 0;
  if (given != answer::promoted) {
    const std::uint32_t doublings = fruitless < most_doublings ? fruitless : most_doublings;
    pause = (given == answer::out_of_reach ? long_pause_ns : short_pause_ns) << doublings;
  }
  first->fruitless.store(given == answer::promoted ? 0 : fruitless + 1, std::memory_order_relaxed);
  note_price(ticks_now() - first->asked_at.load(std::memory_order_relaxed));
  // Release pairs with the acquire of the next that asks. Before the pause is changed: a thief that found the pause over and
  // `asked` still there would take the thread for one that does not answer, and double its pause.
  first->asking.store(given == answer::nothing ? nothing_latent : not_asked, std::memory_order_release);
  first->not_asked_for.store(pause == 0 ? 0 : os::monotonic_ns() + pause, std::memory_order_relaxed);
}

}  // namespace

void listen_for_questions(int signal) noexcept {
  // Relaxed: who asks too early is refused by `interrupt`.
  if (!listening.load(std::memory_order_relaxed)) {
    listening.store(signal != 0 && os::answer_interruptions(signal, on_question), std::memory_order_relaxed);
  }
}

void pause_listening() noexcept {
  if (listening.exchange(false, std::memory_order_relaxed)) {
    os::pause_answers();
  }
}

void stop_listening() noexcept {
  listening.store(false, std::memory_order_relaxed);
  os::answer_no_more();
}

void begin_to_answer(worker* first) noexcept {
  first->asking.store(not_asked, std::memory_order_relaxed);
  first->fruitless.store(0, std::memory_order_relaxed);
  first->not_asked_for.store(0, std::memory_order_relaxed);
  first->is_deaf.store(false, std::memory_order_relaxed);
  first->asked_thread.store(os::current_thread_id(), std::memory_order_relaxed);
  first->stopped_at = nullptr;
  first->promotes = false;
  first->is_ready_to_answer = false;
}

void get_ready_to_answer(worker* first) noexcept {
  if (first->is_ready_to_answer) {
    return;
  }
  first->is_ready_to_answer = true;
  if (first->of_pool || serves_others()) {
    os::allow_interruptions(the_runtime().chosen.signal);
  }
  if (first->of_pool) {
    return;
  }
  void* low = nullptr;
  void* high = nullptr;
  // Where the system says nothing, walks have nowhere to go.
  if (!os::native_stack_bounds(low, high)) {
    low = high = nullptr;
  }
  first->native_low = static_cast<const char*>(low);
  first->native_high = static_cast<const char*>(high);
}

bool may_be_asked(const worker* victim) noexcept {
  return listening.load(std::memory_order_relaxed) &&
         thread_worker(victim)->asking.load(std::memory_order_relaxed) != nothing_latent &&
         os::monotonic_ns() >= thread_worker(victim)->not_asked_for.load(std::memory_order_relaxed);
}

bool ask(worker* self, worker* victim) noexcept {
  worker* const first = thread_worker(victim);
  std::uint32_t state = first->asking.load(std::memory_order_acquire);
  if (state == nothing_latent || !listening.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::uint64_t now = os::monotonic_ns();
  // Many thieves that stay awake for one answer would keep the thread from giving it.
  if (now < first->not_asked_for.load(std::memory_order_relaxed) ||
      !first->has_thread.load(std::memory_order_relaxed)) {
    return false;
  }
  // Sequentially consistent on both words, as in `visit`: the thread's end waits for visitors.
  NOPAL_FAULT_OMITS("question without a visit",
                    first->visitors.fetch_add(
                        1, NOPAL_FAULT_ORDER("visit of a question relaxed", std::memory_order_seq_cst)));
  bool sent = false;
  if ((first->has_thread.load(std::memory_order_seq_cst) || NOPAL_FAULT("asked without a thread")) &&
      first->asking.compare_exchange_strong(state, asked, std::memory_order_acq_rel)) {
    // Of `asked` too: the system drops a question while another signal of that number waits for the
    // thread. One that blocks the signal is asked less and less often.
    std::uint64_t wait = answer_wait_ns;
    if (state == asked) {
      const std::uint32_t fruitless = first->fruitless.load(std::memory_order_relaxed);
      first->fruitless.store(fruitless + 1, std::memory_order_relaxed);
      wait <<= fruitless < most_doublings ? fruitless : most_doublings;
    }
    first->not_asked_for.store(now + wait, std::memory_order_relaxed);
    // Relaxed, for the measurement alone; the handler that the question starts sees it as a rule.
    first->asked_at.store(ticks_now(), std::memory_order_relaxed);
    sent = os::interrupt(first->asked_thread.load(std::memory_order_relaxed));
    if (sent) {
      self->counts.signals_sent.add();
      trace::note(self, trace::what::asks, static_cast<std::uint64_t>(first->index));
    } else {
      first->asking.store(not_asked, std::memory_order_release);
    }
  }
  NOPAL_FAULT_OMITS("question without a visit", first->visitors.fetch_sub(1, std::memory_order_release));
  return sent;
}

bool has_nothing_latent(worker* first) noexcept {
  // Read first: the line is shared with those that ask.
  std::uint32_t state = first->asking.load(std::memory_order_relaxed);
  // Acquire and release pair with those of the thieves that ask. One that asked gets its answer.
  return state == nothing_latent ||
         (state == not_asked &&
          first->asking.compare_exchange_strong(state, nothing_latent, std::memory_order_acq_rel));
}

void answer_no_question(worker* self) noexcept {
  constexpr int most_yields = 1000;
  worker* const first = thread_worker(self);
  if (nopal_latent_forks_used == 0) {
    return;
  }
  // The signal comes at the latest as this thread comes back from the system, once it was sent. Where it
  // is blocked it does not come, and is not waited for a second time.
  const int yields = first->is_deaf.load(std::memory_order_relaxed) ? 1 : most_yields;
  bool is_told = has_nothing_latent(first);
  for (int i = 0; i < yields && !is_told; ++i) {
    os::yield();
    is_told = has_nothing_latent(first);
  }
  if (!is_told) {
    // The question is taken back: a signal that comes late finds none, and is no answer.
    first->is_deaf.store(true, std::memory_order_relaxed);
    std::uint32_t state = asked;
    first->asking.compare_exchange_strong(state, nothing_latent, std::memory_order_acq_rel);
  }
  deque::poison(self->deque);  // as nothing_latent says
}

namespace {

/// Whether this thread is one that looks up. The pool's are all alike, and one is enough: three hundred
/// that look up would take the CPU from those that work.
bool keeps_watch(worker* self) noexcept {
  // Sequentially consistent: it was counted as a sleeper before; see give_watch_up.
  if (self->of_pool && !runs_tasks_outside(self)) {
    return runs_tasks(self);  // what those in arenas alone may take is not for the one that watches
  }
  self->watches =
      self->watches || (self->of_pool && !the_runtime().watched.exchange(true, std::memory_order_seq_cst));
  return self->watches || !self->of_pool;
}

/// Until somebody may be asked by `self`, in ns, which are not 0; 0: nobody may.
std::uint64_t until_next_question(worker* self) noexcept {
  std::uint64_t soonest = 0;
  known_roots known{};
  const std::uint64_t now = os::monotonic_ns();
  for_each_worker(the_runtime(), [&](worker* other) {
    worker* const first = thread_worker(other);
    // Sequentially consistent, this and `asking`: after the watch was given up.
    const nopal_stack* const stack = __atomic_load_n(
        &other->deque.strand.stack, NOPAL_FAULT_ORDER("strand looked for relaxed", __ATOMIC_SEQ_CST));
    // So is this one, which a call that began since has stored before its first push.
    const bool is_called = other->outer == nullptr || __atomic_load_n(&other->is_called, __ATOMIC_SEQ_CST);
    if (first == thread_worker(self) || stack == nullptr || !is_called ||
        !(self->of_pool || may_run(self, root_of(*other), known)) || !may_sit_for(self, root_of(*other))) {
      return;
    }
    const std::uint32_t state =
        first->asking.load(NOPAL_FAULT_ORDER("question looked for relaxed", std::memory_order_seq_cst));
    const std::uint64_t when = first->not_asked_for.load(std::memory_order_relaxed);
    if (state == nothing_latent) {
      return;
    }
    const std::uint64_t pause = when > now ? when - now : 1;
    soonest = soonest == 0 || pause < soonest ? pause : soonest;
  });
  return soonest;
}

}  // namespace

std::uint64_t sleep_until_asking(worker* self) noexcept {
  if (nopal_latent_forks_used == 0 || !listening.load(std::memory_order_relaxed) || !keeps_watch(self)) {
    return 0;
  }
  const std::uint64_t pause = until_next_question(self);
  if (pause != 0 || !self->watches || NOPAL_FAULT("idle watch kept")) {
    return pause;
  }
  // Whoever sleeps until it is woken keeps no watch. A thread that may be asked from here on pushes
  // before its forks are latent, and wakes a sleeper; that one finds nobody watching when it begins to
  // work, or this one finds that thread: see hand_watch_on.
  self->watches = false;
  the_runtime().watched.store(false, std::memory_order_seq_cst);
  const std::uint64_t since = NOPAL_FAULT("no look after the watch") ? 0 : until_next_question(self);
  return since != 0 && keeps_watch(self) ? since : 0;
}

bool anyone_watches() noexcept {
  // Sequentially consistent: see sleep_until_asking.
  return nopal_latent_forks_used == 0 || !listening.load(std::memory_order_relaxed) ||
         the_runtime().watched.load(std::memory_order_seq_cst);
}

void ask_again(worker* self) noexcept {
  if (deque::size(self->deque) == 0) {
    self->buries_latent = false;  // what lay above them was left
  }
  worker* const first = thread_worker(self);
  // Sequentially consistent, as is the look at the watch: a thief that is about to sleep finds nobody watching,
  // or this thread's strand, which was stored before.
  std::uint32_t state = nothing_latent;
  first->asking.compare_exchange_strong(state, not_asked, std::memory_order_seq_cst);
  if (!anyone_watches()) {
    give_watch_up(self);
  }
}

void give_watch_up(worker* self) noexcept {
  if (self->watches) {
    self->watches = false;
    // Sequentially consistent on both words: either a thief that is about to sleep finds nobody
    // watching, or it is seen here.
    the_runtime().watched.store(false, std::memory_order_seq_cst);
  }
  if (anyone_sleeps()) {
    wake_pool_worker(self);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
