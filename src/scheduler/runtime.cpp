// Starting and stopping: settings, the pool of stacks, the threads of the pool.

#include "scheduler/runtime.hpp"
#include "scheduler/traced.hpp"
#include "view/views.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/latent.hpp"
#include "scheduler/observers.hpp"
#include "scheduler/overflow.hpp"
#include "scheduler/profiling.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/samples.hpp"
#include "scheduler/scheduler_stack.hpp"
#include "scheduler/seats.hpp"
#include "scheduler/sequence_numbers.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/stops.hpp"
#include "scheduler/substitutes.hpp"
#include "scheduler/worker_memory.hpp"
#include "testing/fault_points.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

namespace {

/// Whether some pair of CPUs is nearer than another.
bool has_hierarchy(const os::topology& topology) {
  int nearest = os::distance_levels;
  int farthest = -1;
  for (const os::cpu_place& a : topology.places) {
    for (const os::cpu_place& b : topology.places) {
      if (a.cpu < b.cpu) {
        const int distance = topology.distance(a.cpu, b.cpu);
        nearest = distance < nearest ? distance : nearest;     // unreached: hierarchy
        farthest = distance > farthest ? distance : farthest;  // unreached: hierarchy
      }
    }
  }
  return nearest < farthest;
}

/// Without memory for the description the machine is flat.
void read_machine(runtime& all) {
  if (all.topology != nullptr) {
    return;
  }
  all.hierarchy = false;
  try {
    all.topology = new os::topology(os::read_topology(os::current_affinity(), all.machine_files));
    all.hierarchy = has_hierarchy(*all.topology);
  } catch (const std::bad_alloc&) {
    all.topology = nullptr;
  }
}

/// Starts the pool's threads; as many as the system grants.
void start_threads(runtime& all) {
  all.starter_blocks = os::blocked_signals();
  for (int index = 1; index < all.chosen.workers; ++index) {
    worker* const self = take_pool_worker(all);
    int refused = ENOMEM;
    if (self != nullptr) {
      self->of_pool = true;
      self->watches = false;
      self->looks_up = false;
      self->keeps_beat = false;
      self->expects = false;
      enter_table(all, self, index);
      self->starter_cpu = os::current_cpu();
      refused = start_pool_thread(all, self);
    }
    if (refused != 0) {
      NOPAL_FAULT_DOES("refused worker freed",
                       if (self != nullptr) all.table[index].store(nullptr, std::memory_order_release),
                       free_worker(self));
      // The worker without a thread stays in the table until the end: thieves may be looking at it
      // already.
      os::write_stderr("nopal: started %d of %d workers: the system refused another thread: %s\n", index,
                       all.chosen.workers, std::strerror(refused));
      return;
    }
  }
}

/// Threads adopted in an earlier life of the runtime may have indices that are the pool's in this
/// one.
void make_room_for_pool(runtime& all) {
  const int workers = all.chosen.workers;
  int free_index = workers;
  for (int index = 1; index < workers; ++index) {
    worker* const adopted = all.table[index].load(std::memory_order_relaxed);
    if (adopted == nullptr) {
      continue;
    }
    while (all.table[free_index].load(std::memory_order_relaxed) != nullptr) {
      ++free_index;
    }
    all.table[index].store(nullptr, std::memory_order_release);
    enter_table(all, adopted, free_index);
  }
}

bool start_locked(runtime& all) {
  sanitizers::look();
  read_machine(all);
  const settings& chosen = all.chosen;
  if (chosen.trace.name != nullptr) {
    static_cast<void>(trace::open(chosen.trace.name, chosen.trace.name_bytes, chosen.trace.ring_bytes));
  }
  if (const int refused = install_hooks(all)) {
    os::write_stderr("nopal: no thread-specific key to learn of a thread's end: %s\n",
                     std::strerror(refused));
    return false;
  }
  const int nodes = all.topology == nullptr ? 1 : std::min(all.topology->nodes, stack_pool::most_nodes);
  if (!all.stacks_mapped &&
      !all.stacks.start({chosen.stack_bytes, chosen.workers, chosen.reclaim, chosen.reclaim_with, nodes})) {
    os::write_stderr(
        "nopal: no address space for %d stacks of %zu bytes: lower NOPAL_STACK_SIZE or NOPAL_WORKERS, "
        "or raise the limit on address space\n",
        chosen.workers + 1, chosen.stack_bytes);
    return false;
  }
  all.stacks_mapped = true;
  // Without the barrier each push comes to the slow path and publishes, which is what is wanted where
  // each continuation is to be stolen.
  all.barrier_works.store(!chosen.steals_always && os::process_barrier_register(), std::memory_order_relaxed);
  all.wakes_work = wakes_work();
  all.have_own_cpus =
      all.topology != nullptr && all.topology->places.size() >= static_cast<std::size_t>(chosen.workers);
  all.spreads_woken = !chosen.pin && all.have_own_cpus;
  all.stopping.store(goes_on, std::memory_order_relaxed);
  all.watched.store(false, std::memory_order_relaxed);
  all.most_substitutes.store(chosen.substitutes, std::memory_order_relaxed);
  all.looked_up_for.store(false, std::memory_order_relaxed);
  all.beat_kept.store(false, std::memory_order_relaxed);
  all.expects_region.store(0, std::memory_order_relaxed);
  start_profile(chosen.profile_file, chosen.workers);
  allow_latent_forks(all);
  if (all.table_used.load(std::memory_order_relaxed) < chosen.workers) {
    all.table_used.store(chosen.workers, std::memory_order_seq_cst);
  }
  make_room_for_pool(all);
  start_threads(all);
  start_samples();
  tell_number_of_workers(all);
  // Release pairs with the acquire in the slow push.
  all.running.store(true, std::memory_order_release);
  return true;
}

/// Without the lock, which code at a thread's end may take. The workers of the pool stay in the
/// table until the caller holds it again, and no others take indices among them.
void join_threads(runtime& all) {
  for (int i = 1; i < all.chosen.workers; ++i) {
    // Acquire pairs with the release in enter_table.
    worker* const self = all.table[i].load(std::memory_order_acquire);
    if (self != nullptr && !NOPAL_FAULT("not joined")) {
      os::join_thread(self->thread);
    }
  }
}

/// The worker of a thread that was stopped, and is in the table no more.
void leave_pool(runtime& all, worker* self) noexcept {
  leave_tasks(self->tasks);
  if (self->spare != nullptr) {
    all.stacks.give(self->spare);
    self->spare = nullptr;
  }
  all.left_counts.add(self->counts);
  sanitizers::stack_unmade(self->own_scheduler_record);  // it was the thread's
  self->own_scheduler_record = {};
  NOPAL_FAULT_DOES("stopped worker freed", return free_worker(self));
  // Not freed: a push that began after the caller looked for strands may be about to wake it.
  self->next_idle = all.idle_pool_workers;
  all.idle_pool_workers = self;
}

/// What blocked while a stop was asked for that was given up has no substitute.
void replace_those_that_blocked(runtime& all) {
  const unlocked meanwhile(all);
  for (int missing =
           all.blocked.load(std::memory_order_seq_cst) - all.substituting.load(std::memory_order_seq_cst);
       missing > 0; --missing) {
    replace_blocked();
  }
}

/// False, and they go on, if one of them has begun a strand after the caller looked: that may block, and what it waits for needs them.
bool stop_threads(runtime& all) {
  // Sequentially consistent, as the look in find_work, and a sleeper's last look.
  all.stopping.store(stop_is_asked, std::memory_order_seq_cst);
  NOPAL_FAULT_OMITS("sleepers not woken", wake_all());
  NOPAL_FAULT_OMITS("joined with the lock", begin_stop(all));
  const bool is_settled = settle_stop(all);
  if (is_settled) {
    wake_substitutes(all);
    join_threads(all);
    join_substitutes(all);
  }
  NOPAL_FAULT_OMITS("joined with the lock", end_stop(all));
  if (!is_settled) {
    NOPAL_FAULT_OMITS("blocked not replaced", replace_those_that_blocked(all));
    return false;
  }
  forget_substitutes(all, leave_pool);
  for_each_worker(all, [](worker* self) { deque::poison(self->deque); });
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    worker* const self = all.table[i].load(std::memory_order_relaxed);
    if (self != nullptr && self->of_pool) {
      all.table[i].store(nullptr, std::memory_order_release);
      leave_pool(all, self);
    }
  }
  return true;
}

/// With the pool's threads gone, nobody takes a stack but who waits at a join, which counts as active, and who holds the stacks, which
/// takes the lock first: it is met by this look, or finds the stacks gone.
void free_what_strands_use(runtime& all) {
  // unreached below: fork-beside-stop
  if (any_strand_active(all)) {
    return;  // Begun after the caller looked. The next life of the runtime goes on with all of it.
  }
  const int used = all.table_used.load(std::memory_order_relaxed);
  for (int i = 0; i < used; ++i) {
    if (worker* const adopted = all.table[i].load(std::memory_order_relaxed)) {
      adopted->spare = nullptr;
    }
  }
  all.stacks.stop();
  // Relaxed: who is on a stack of a later life has got that from whoever began this life, under the lock.
  all.times_unmapped.store(all.times_unmapped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  all.stacks_mapped = false;
  view::trim_views();
  delete all.topology;
  all.topology = nullptr;
}

}  // namespace

constinit runtime the_only_runtime;

const settings& settings_under_lock(runtime& all) {
  while (!all.settings_known) {
    const configuration asked = all.asked;
    const bool keeps_to_arenas = all.keeps_to_arenas;
    const std::uint64_t times_asked = all.times_asked;
    settings read;
    int most_outside = 0;
    {
      // A bad variable ends the program, and what runs then may fork.
      const unlocked while_reading(all);
      const no_worker_on_scheduler_stack by_the_program;
      read = read_settings(asked);
      most_outside = keeps_to_arenas ? usual_workers() : read.workers;
    }
    // Else another thread has read them, or has configured others, which are to be read.
    // unreached: race
    if (!all.settings_known && all.times_asked == times_asked) {
      all.chosen = read;
      all.chosen.workers = all.unloaded ? 1 : read.workers;
      all.settings_known = true;
      // Relaxed, as in forget_settings: the number is all that is read by it.
      all.known_workers.store(all.chosen.workers, std::memory_order_relaxed);
      all.known_outside.store(std::min(most_outside, all.chosen.workers), std::memory_order_relaxed);
      keep_others_to_arenas(most_outside, all.chosen.workers);
    }
  }
  return all.chosen;
}

settings known_settings(runtime& all) {
  const locked guard(all);
  return settings_under_lock(all);
}

void tell_number_of_workers(runtime& all) noexcept {
  // Relaxed: see known_workers.
  const int known = all.known_workers.load(std::memory_order_relaxed);
  for_each_first_worker(all, [known](worker* one) { tell_workers(one->regions, known); });
}

void forget_settings(runtime& all) noexcept {
  all.settings_known = false;
  all.known_workers.store(0, std::memory_order_relaxed);
  all.known_outside.store(0, std::memory_order_relaxed);
  tell_number_of_workers(all);  // the next life may have another one, by the environment as well
}

bool start_runtime(runtime& all) noexcept {
  // unreached below: split-stack
  if (arch::splits_stack()) {
    os::end_process("nopal: code compiled with -fsplit-stack cannot run on other stacks: compile without it");
  }
  const locked guard(all);
  try {
    // Known from here on until the runtime has been stopped: the lock is not released before it runs.
    settings_under_lock(all);
  } catch (const std::bad_alloc&) {
    os::write_stderr("nopal: no memory to read the settings\n");
    return false;
  }
  return all.running.load(std::memory_order_relaxed) || start_locked(all);
}

bool stop_runtime(runtime& all) noexcept {
  for (;; await_stop(all)) {
    if (any_strand_active(all)) {
      return false;
    }
    if (!all.running.load(std::memory_order_relaxed) ||
        (is_being_stopped(all) && !NOPAL_FAULT("waits for itself") && is_thread_of_pool())) {
      return true;
    }
    if (!is_being_stopped(all) || NOPAL_FAULT("stopped by two")) {
      break;
    }
  }
  // Its own thread neither stands by nor ends before this call is over.
  if (is_thread_of_pool() || !stop_threads(all)) {
    return false;
  }
  pause_listening();
  free_what_strands_use(all);
  forget_settings(all);
  all.running.store(false,
                    std::memory_order_seq_cst);  // before the looks for tasks: see nopal_task_push_announced
  return true;
}

worker* make_worker() noexcept {
  void* const memory = take_worker_memory();
  if (memory == nullptr) {
    return nullptr;
  }
  auto* const self = new (memory) worker();
  if (!deque::make(self->deque)) {
    self->~worker();
    give_worker_memory(self);
    return nullptr;
  }
  self->random = os::monotonic_ns() ^ reinterpret_cast<std::uintptr_t>(self) ^ 0x9e3779b97f4a7c15U;
  self->random |= 1;
  set_float_control_of(self->deque.setting, arch::float_control());
  const std::uint64_t old = the_runtime().last_old_ticket;
  self->deque.strand.latest_ticket = old > sequences_start_at.ticket ? old : sequences_start_at.ticket;
  self->deque.version_and_raising = sequences_start_at.version << 1;
  self->cpu.store(-1, std::memory_order_relaxed);
  self->native.native_owner = self;
  return self;
}

void free_worker(worker* self) noexcept {
  if (worker* const nested = self->nested.load(std::memory_order_relaxed)) {
    free_worker(nested);
  }
  sanitizers::stack_unmade(self->own_scheduler_record);
  forget_presences(self);
  deque::destroy(self->deque);
  stops::forget(self);
  free_signal_stack(self);
  self->~worker();
  give_worker_memory(self);
}

void enter_table(runtime& all, worker* self, int index) noexcept {
  NOPAL_PLAIN_WRITE(self->index);
  self->index = index;
  // Relaxed: as in tell_number_of_workers.
  self->regions.workers.store(all.known_workers.load(std::memory_order_relaxed), std::memory_order_relaxed);
  // Those nested in it, which an earlier thread has left, come along.
  for (worker* one = self->nested.load(std::memory_order_relaxed); one != nullptr;
       one = one->nested.load(std::memory_order_relaxed)) {
    NOPAL_PLAIN_WRITE(one->index);
    one->index = index;
  }
  // Release pairs with the acquire of thieves: the worker is complete.
  all.table[index].store(self, std::memory_order_release);
  if (index >= all.table_used.load(std::memory_order_relaxed)) {
    all.table_used.store(index + 1, std::memory_order_seq_cst);
  }
}

}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
