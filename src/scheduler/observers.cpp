// Who observes, and the calls of observers' functions.
//
// One lock guards the list and the counts; no function is called with it held. An observer's
// memory is its caller's again when it is not listed and its count of calls has come to zero. Calls
// begin under the lock and of listed observers alone, so none begins after nopal_observe_no_more
// has taken one off the list: its wait is for functions that run then, and no longer.

#include "scheduler/observers.hpp"

#include <cerrno>
#include <new>

#include <nopal/detail/pinned.h>

#include "scheduler/adoption.hpp"
#include "scheduler/nodes.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/seats.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

int observing = 0;

struct presence_note {
  presence_note* earlier;
  nopal_observer* of;  // may be gone, unless one of this number observes
  std::uint64_t number;
  void* kept;  // the observer's, as the next
  void (*drop)(void* kept);
};

namespace {

constinit pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
constinit pthread_cond_t call_ended = PTHREAD_COND_INITIALIZER;
// Under the lock, in the order of their numbers.
nopal_observer* first_observing = nullptr;
nopal_observer* last_observing = nullptr;
/// The latest number. Written under the lock; read without it, relaxed, by those who may come late.
std::atomic<std::uint64_t> latest_number{0};

class registry_guard {
public:
  registry_guard() noexcept { lock_observers(); }
  registry_guard(const registry_guard&) = delete;
  registry_guard& operator=(const registry_guard&) = delete;
  ~registry_guard() { unlock_observers(); }
};

/// A call of an observer's function, on the stack of the thread that makes it.
struct observer_call {
  const observer_call* around;
  nopal_observer* of;
  worker* self;
  void (*function)(nopal_observer*, int, void**);
  int is_worker;
  void** kept;
};

}  // namespace

extern "C" {
static __thread const observer_call* nopal_this_call __attribute__((tls_model("initial-exec"))) = nullptr;
}

namespace {

// Not inlined, as in this_worker.cpp: strands change threads.
[[gnu::noinline]] const observer_call* this_call() noexcept { return nopal_this_call; }
[[gnu::noinline]] void set_this_call(const observer_call* call) noexcept { nopal_this_call = call; }

/// The thread is no worker meanwhile: the function may be called from the scheduler, whose stack is for no
/// strand.
void call_function(observer_call& call) noexcept {
  const int error = errno;
  const void* const local = nopal_local();
  const std::uint32_t generation = the_runtime().generation;
  call.around = this_call();
  set_this_call(&call);
  set_this_worker(nullptr);
  nopal_call_unawaited(
      [](void* argument) {
        auto* const one = static_cast<observer_call*>(argument);
        one->function(one->of, one->is_worker, one->kept);
      },
      &call);
  if (the_runtime().generation != generation) {
    os::end_process("nopal: a child of fork(2) came to the end of an observer's function: let it end there "
                    "(_exit, exec)");
  }
  set_this_worker(call.self);
  set_this_call(call.around);
  set_this_local(local);
  errno = error;
}

// These under the lock.
void begin_call(nopal_observer& one) noexcept { ++one.calls; }
void end_call(nopal_observer& one) noexcept {
  --one.calls;
  if (one.number == 0) {
    pthread_cond_broadcast(&call_ended);
  }
}

/// The first that observes the arena and has a larger number than `seen`.
nopal_observer* later_observer(const nopal_arena* arena, std::uint64_t seen) noexcept {
  nopal_observer* one = first_observing;
  while (one != nullptr && (one->number <= seen || one->arena != arena)) {
    one = one->next;
  }
  return one;
}

bool is_listed(const presence_note& note) noexcept {
  const nopal_observer* one = first_observing;
  while (one != nullptr && one->number < note.number) {
    one = one->next;
  }
  return one != nullptr && one->number == note.number;
}

/// The next whose entry is to be called, noted. Null: none is left.
nopal_observer* note_next(presence& at, presence_note* note) noexcept {
  const registry_guard guard;
  nopal_observer* const one = later_observer(at.arena, at.seen);
  if (one == nullptr) {
    at.seen = latest_number.load(std::memory_order_relaxed);
    return nullptr;
  }
  at.seen = one->number;
  *note = {at.notes, one, one->number, nullptr, one->drop};
  at.notes = note;
  begin_call(*one);
  return one;
}

/// Without memory for a note nobody else is told: there would be no exit.
void call_entries(worker* self, presence& at) noexcept {
  while (at.seen != latest_number.load(std::memory_order_relaxed)) {
    auto* const note = new (std::nothrow) presence_note;
    if (note == nullptr) {
      return;
    }
    nopal_observer* const one = note_next(at, note);
    if (one == nullptr) {
      delete note;
      return;
    }
    observer_call call{nullptr, one, self, one->entry, at.is_worker ? 1 : 0, &note->kept};
    call_function(call);
    const registry_guard guard;
    end_call(*one);
  }
}

void call_exit(worker* self, const presence& at, presence_note& note) noexcept {
  {
    const registry_guard guard;
    if (!is_listed(note)) {
      return;
    }
    begin_call(*note.of);
  }
  observer_call call{nullptr, note.of, self, note.of->exit, at.is_worker ? 1 : 0, &note.kept};
  call_function(call);
  const registry_guard guard;
  end_call(*note.of);
}

void forget(presence_note* note) noexcept {
  if (note->drop != nullptr) {
    note->drop(note->kept);
  }
  delete note;
}

bool is_in(const presence& at, const nopal_arena* arena) noexcept {
  return at.is_there && at.arena == arena && at.cpus == cpus_of(arena);
}

void begin(presence& at, nopal_arena* arena, bool is_worker) noexcept {
  at = {arena, true, is_worker, 0, nullptr, cpus_of(arena), nullptr};
  if (at.cpus != nullptr) {
    at.before = bind_this_thread(*at.cpus);
  }
}

void end(worker* self, presence& at) noexcept {
  while (presence_note* const note = at.notes) {
    at.notes = note->earlier;
    call_exit(self, at, *note);
    forget(note);
  }
  unbind_this_thread(at.before);
  at = {};
}

bool is_pools(const worker* self) noexcept { return thread_worker(self)->of_pool; }

/// Where the thread is already, outside of the worker; null: nowhere. Code in a bound arena that was
/// left for another one needs its mask again.
presence* outer_presence(worker* self, const nopal_arena* arena) noexcept {
  if (cpus_of(arena) != nullptr) {
    return nullptr;
  }
  for (worker* one = self->outer; one != nullptr; one = one->outer) {
    for (presence* const at : {&one->away, &one->called}) {
      if (is_in(*at, arena)) {
        return at;
      }
    }
  }
  return nullptr;
}

/// Of the code around what the worker's scheduler runs. Null: none, or from before anybody observed.
presence* around(worker* self) noexcept {
  worker* one = self;
  for (; !one->called.is_there && one->outer != nullptr; one = one->outer) {
    if (one->outer->away.is_there) {
      return &one->outer->away;
    }
  }
  if (!one->called.is_there) {
    if (one->of_pool) {
      return nullptr;
    }
    begin(one->called, nullptr, false);  // a thread of the program is outside of arenas
  }
  return &one->called;
}

std::uint64_t own_calls(const nopal_observer* one) noexcept {
  std::uint64_t calls = 0;
  for (const observer_call* call = this_call(); call != nullptr; call = call->around) {
    calls += call->of == one ? 1 : 0;
  }
  return calls;
}

}  // namespace

void change_presence(worker* self, nopal_arena* arena) noexcept {
  presence* outside = around(self);
  if (outside == nullptr || !is_in(*outside, arena)) {
    outside = outer_presence(self, arena);
  }
  if (outside != nullptr) {
    come_back(self);
    call_entries(self, *outside);
    return;
  }
  if (!is_in(self->away, arena)) {
    come_back(self);
    begin(self->away, arena, is_pools(self));
  }
  call_entries(self, self->away);
}

void leave_away(worker* self) noexcept {
  const nopal_arena* const arena = self->away.arena;
  end(self, self->away);
  if (arena != nullptr && self->seat == arena) {
    give_up_own_seat(self);
  }
}

bool is_in_the_way(const worker* self, bool found_signs_of_work) noexcept {
  const nopal_arena* const arena = self->away.arena;
  // Relaxed: seen by the next look at the latest. Pairs with the step in wait_for_room.
  return arena != nullptr && ((!found_signs_of_work && !runs_tasks(self)) || self->expects ||
                              __atomic_load_n(&arena->entering, __ATOMIC_RELAXED) != 0);
}

void be_present_before_call() noexcept {
  worker* self = this_worker();
  if (self == nullptr && worker_of_observer_call() == nullptr) {
    self = adopt_this_thread();
  }
  if (self != nullptr) {
    change_presence(self, arena_of(root_of(*self)));
  }
}

void begin_presence_of_call(worker* nested, nopal_arena* arena, bool is_worker) noexcept {
  if (outer_presence(nested, arena) != nullptr) {
    return;
  }
  begin(nested->called, arena, is_worker || is_pools(nested));
  if (anyone_observes()) {
    call_entries(nested, nested->called);
  }
}

void leave_call(worker* nested) noexcept {
  end(nested, nested->away);  // its seat goes with the call's
  end(nested, nested->called);
}

void end_presences(worker* first_worker) noexcept {
  end(first_worker, first_worker->away);
  end(first_worker, first_worker->called);
}

void forget_presences(worker* one) noexcept {
  for (presence* const at : {&one->called, &one->away}) {
    while (presence_note* const note = at->notes) {
      at->notes = note->earlier;
      forget(note);
    }
    delete at->before;
    *at = {};
  }
}

worker* worker_of_observer_call() noexcept {
  const observer_call* const call = this_call();
  return call == nullptr ? nullptr : call->self;
}

bool may_be_adopted() noexcept {
  if (this_call() != nullptr) {
    os::end_process("nopal: an observer's function forked, entered an arena or waited for a group: it may do "
                    "none of these");
  }
  return true;
}

void lock_observers() noexcept { pthread_mutex_lock(&registry_lock); }
void unlock_observers() noexcept { pthread_mutex_unlock(&registry_lock); }

void forget_observer_calls() noexcept {
  new (&call_ended) pthread_cond_t(PTHREAD_COND_INITIALIZER);  // threads of the parent may wait there
  for (nopal_observer* one = first_observing; one != nullptr; one = one->next) {
    one->calls = own_calls(one);
  }
}

extern "C" NOPAL_EXPORT void nopal_observe(nopal_observer* observer) {
  {
    const registry_guard guard;
    if (observer->number != 0) {
      return;
    }
    observer->number = latest_number.load(std::memory_order_relaxed) + 1;
    observer->next = nullptr;
    (first_observing == nullptr ? first_observing : last_observing->next) = observer;
    last_observing = observer;
    latest_number.store(observer->number, std::memory_order_relaxed);
    __atomic_fetch_add(&observing, 1, __ATOMIC_RELAXED);
  }
  worker* const self = this_worker();
  if (self != nullptr && arena_of(root_of(*self)) == observer->arena) {
    change_presence(self, observer->arena);
  }
}

extern "C" NOPAL_EXPORT void nopal_observe_no_more(nopal_observer* observer) {
  const registry_guard guard;
  if (observer->number != 0) {
    nopal_observer* before = nullptr;
    for (nopal_observer* one = first_observing; one != observer; one = one->next) {
      before = one;
    }
    (before == nullptr ? first_observing : before->next) = observer->next;
    last_observing = last_observing == observer ? before : last_observing;
    observer->number = 0;
    __atomic_fetch_sub(&observing, 1, __ATOMIC_RELAXED);
  }
  while (observer->calls != 0 && own_calls(observer) == 0) {
    pthread_cond_wait(&call_ended, &registry_lock);
  }
}

extern "C" NOPAL_EXPORT int nopal_is_observing(const nopal_observer* observer) {
  const registry_guard guard;
  return observer->number != 0 ? 1 : 0;
}

extern "C" NOPAL_EXPORT nopal_arena* nopal_arena_of_caller() {
  const worker* self = this_worker();
  self = self != nullptr ? self : worker_of_observer_call();
  return self == nullptr ? nullptr : arena_of(root_of(*self));
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
