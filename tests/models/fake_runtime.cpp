// What the scheduler calls below itself and beside itself.

#include "models/fake_runtime.hpp"

#include <new>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/ending.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/tags.hpp"

extern "C" {
__thread nopal_deque* nopal_current __attribute__((tls_model("initial-exec")));
__thread nopal_quiet_loops nopal_quiet __attribute__((tls_model("initial-exec")));

void nopal_resume(nopal_frame* frame, void* stack_pointer, void*) {
  explore::the_scheduler_model->resumed_at(frame, static_cast<char*>(stack_pointer));
  explore::finish();
}
void nopal_leave_scheduler(void*) {
  explore::the_scheduler_model->leaves_scheduler();
  explore::finish();
}
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

constinit runtime the_only_runtime;

worker* this_worker() noexcept { return reinterpret_cast<worker*>(nopal_current); }
worker* adopt_this_thread() noexcept { return nullptr; }
bool start_runtime(runtime&) noexcept { return true; }
bool stand_by(runtime&, worker*) noexcept { return true; }
bool hold_stacks(worker*) noexcept { return true; }  // nobody stops the runtime
void let_stacks_go(worker*) noexcept {}
void* take_exception(nopal_frame*) noexcept { return nullptr; }
void* stopped_at_join() noexcept { return nullptr; }
nopal_stop* this_outside_part() noexcept { return nullptr; }
void check_end_of_thread(worker*, const nopal_stack*, bool) noexcept {}
void note_old_children(nopal_frame*) noexcept {}
bool has_old_children(const nopal_frame*) noexcept { return false; }
void check_join_of_old_process(const nopal_frame*) noexcept {}
void check_child_of_old_process(const worker*) noexcept {}
void* caught_at(void*, const void*, const nopal_stack*) noexcept { return nullptr; }
bool handlers_known(void*, const nopal_stack*) noexcept { return true; }

nopal_stack* stack_pool::take(const void* below, int) noexcept {
  return below == nullptr ? explore::the_scheduler_model->wants_stack() : nullptr;
}
bool stack_pool::is_high(const nopal_stack*) const noexcept { return false; }  // so workers keep none
int stack_pool::node_of(const nopal_stack*) const noexcept { return 0; }
std::size_t stack_pool::give(nopal_stack* stack) noexcept {
  explore::the_scheduler_model->given(stack);
  return 0;
}
std::size_t stack_pool::retain(nopal_stack* stack, const void*) noexcept {
  explore::the_scheduler_model->touch(stack);
  return 0;
}
void stack_pool::reuse(nopal_stack* stack) noexcept { explore::the_scheduler_model->touch(stack); }

namespace os {

void yield() noexcept {}
int current_cpu() noexcept { return this_worker()->index; }
void prepare_allocation() noexcept {}
const std::uint32_t* this_threads_cpu() noexcept { return nullptr; }
// The latent model has a clock of its own.
[[gnu::weak]] std::uint64_t monotonic_ns() noexcept { return 0; }
bool forbid_cpu(int thread_id, int, cpu_bits&) noexcept {
  explore::the_scheduler_model->keep_off_cpu(thread_id);
  return true;
}
bool allow_cpus(const cpu_bits&) noexcept {
  explore::the_scheduler_model->allow_cpu(this_worker()->index);
  return true;
}
bool is_kept_off(int, int, const cpu_bits&) noexcept { return true; }
bool waits_for_equals() noexcept { return false; }

bool allow_cpus_but(int thread_id, int, cpu_bits&) noexcept {
  explore::the_scheduler_model->keep_off_other_cpu(thread_id);
  return true;
}
bool allow_cpus_again(int, const cpu_bits& before) noexcept { return allow_cpus(before); }
int topology::distance(int, int) const noexcept { return 0; }
int topology::node_index(int) const noexcept { return 0; }
void write_stderr(const char*, ...) noexcept {}

bool process_barrier() noexcept {
  const worker* const self = this_worker();
  const auto* const park_word = reinterpret_cast<const std::uint32_t*>(&self->park);
  const bool parks = *park_word == parked;
  if (parks && explore::the_scheduler_model->parked_before(self->index)) {
    explore::yield();  // around again without having slept: somebody else is in the middle of something
  }
  const bool refused = explore::the_scheduler_model->barrier_refused(self->index);
  if (!refused && (!parks || !explore::the_scheduler_model->faults.no_barrier_in_park)) {
    explore::process_barrier();
  }
  if (parks) {
    explore::the_scheduler_model->park_begins();
  }
  return !refused;
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  explore::the_scheduler_model->park_sleeps();
  explore::futex_wait(&word, expected, false);
}
bool futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
  if (this_worker() != nullptr && &word == &this_worker()->park && expected == awake) {
    explore::finish();  // wait_for_stack: the model gave this worker none, since it is of no more interest
  }
  const bool woken = explore::futex_wait(&word, expected, explore::the_scheduler_model->passes(ns));
  if (!woken) {
    explore::the_scheduler_model->passed(ns);
  }
  return woken;
}
bool futex_wait_exactly(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
  return futex_wait_for(word, expected, ns);
}
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  return explore::the_scheduler_model->faults.no_wake ? 0 : explore::futex_wake(&word, count);
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

scheduler_model* the_scheduler_model = nullptr;
nopal::internal::worker scheduler_model::workers[most_workers];
nopal_stack scheduler_model::stacks[most_workers];

void scheduler_model::set_up() {
  the_scheduler_model = this;
  nopal::internal::runtime& all = nopal::internal::the_runtime();
  all.running.store(true, __ATOMIC_RELAXED);
  all.barrier_works.store(true, __ATOMIC_RELAXED);
  all.table_used.store(threads(), __ATOMIC_RELAXED);
  all.sleepers.store(0, __ATOMIC_RELAXED);
  all.wakes_work = true;
  all.looked_up_for.store(false, __ATOMIC_RELAXED);
  all.some_wake_late.store(false, __ATOMIC_RELAXED);
  all.late_wakes_seen.store(0, __ATOMIC_RELAXED);
  all.come_seldom.store(false, __ATOMIC_RELAXED);
  all.looks_left.store(0, __ATOMIC_RELAXED);
  all.some_slept.store(true, __ATOMIC_RELAXED);
  all.expects_region.store(0, __ATOMIC_RELAXED);
  all.spreads_woken = faults.spreads_woken;
  // What never changes during an execution, and what only statistics are made of.
  const auto ignore_between = [](const void* first, const void* last) {
    ignore(first, static_cast<std::size_t>(static_cast<const char*>(last) - static_cast<const char*>(first)));
  };
  ignore_between(&all.running, &all.table_used);
  ignore_between(table_grows ? &all.table_used + 1 : &all.table_used, &all.sleepers);
  name(&all.table_used, sizeof(int), "table_used");
  ignore(&all.waiting_joins, sizeof all.waiting_joins);
  ignore(all.table, sizeof all.table[0] * most_workers);
  name(&all.sleepers, sizeof(int), "sleepers");
  name(&all.expects_region, sizeof all.expects_region, "expects region");
  ignore(&all.some_slept, sizeof all.some_slept);

  for (int i = 0; i < most_workers; ++i) {
    new (&stacks[i]) nopal_stack{};
    touched_[i].initialize(0);
    kept_off_[i].initialize(0);
    name(&kept_off_[i], sizeof(int), "CPUs allowed");
    parked_[i] = false;
    refused_[i] = 0;
    name(&touched_[i], sizeof(int), "stack in use");

    nopal::internal::worker& one = *new (&workers[i]) nopal::internal::worker{};
    one.index = i;
    one.random = 1;
    one.thread_id = i;
    one.has_thread.store(true, __ATOMIC_RELAXED);
    nopal::internal::worker_counters& counts = one.counts;
    ignore(&counts, regions_matter ? sizeof counts - sizeof counts.late_wakes : sizeof counts);
    nopal_strand& strand = one.deque.strand;
    const std::size_t watched = strands_matter ? sizeof strand.stack : 0;
    name(&strand.stack, sizeof strand.stack, "stack of strand");
    ignore(reinterpret_cast<char*>(&strand) + watched, sizeof strand - watched);
    if (!settings_matter) {
      ignore(&one.deque.setting, sizeof one.deque.setting);
    }
    ignore(&one.cpu, sizeof one.cpu);
    ignore(&one.visitors, sizeof one.visitors);
    ignore(&one.has_thread, sizeof one.has_thread);
    name(&one.park, sizeof(int), "park");
    name(&one.inbox, sizeof(void*), "inbox");
    all.table[i].store(nullptr, __ATOMIC_RELAXED);
  }
}

void scheduler_model::switch_to(int thread) { nopal_current = &workers[thread].deque; }

void scheduler_model::touch(const nopal_stack* stack) { touched_[stack - stacks].write(this_thread()); }

void scheduler_model::keep_off_cpu(int worker) {
  require(kept_off_[worker].read() == 0, "a thread loses a CPU for good");
  kept_off_[worker].write(1);
}
void scheduler_model::keep_off_other_cpu(int worker) {
  require(kept_off_[worker].read() != 0, "a thread is kept off another CPU than it was, and was off none");
  kept_off_[worker].write(1);
}
void scheduler_model::allow_cpu(int worker) { kept_off_[worker].write(0); }
bool scheduler_model::is_kept_off_cpu(int worker) { return kept_off_[worker].read() != 0; }

bool scheduler_model::parked_before(int worker) {
  const bool before = parked_[worker];
  parked_[worker] = true;
  return before;
}

bool scheduler_model::barrier_refused(int worker) {
  if (refused_[worker] == faults.barrier_refusals || choose(2) == 1) {
    return false;
  }
  ++refused_[worker];
  return true;
}

void scheduler_model::park_begins() {
  for (const void* const one : faults.unseen) {
    if (one != nullptr) blind(one);
  }
}
void scheduler_model::park_sleeps() {
  for (const void* const one : faults.unseen) {
    if (one != nullptr) blind(one, false);
  }
}

}  // namespace explore
