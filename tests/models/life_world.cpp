// The system, the stacks and the parts of the library that the real start, stop and adoption call.

#include "models/life_world.hpp"

#include <cstdlib>

#include "deque/deque.hpp"
#include "scheduler/adoption.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/overflow.hpp"
#include "scheduler/report.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"
#include "scheduler/tags.hpp"
#include "scheduler/worker_memory.hpp"
#include "strand/strand.hpp"

using explore::the_life_world;

// Workers, at the same addresses in each execution, and fatal to touch once they are deleted.
void* nopal::internal::take_worker_memory() noexcept {
  void* const memory = explore::allocate(alignof(worker), sizeof(worker));
  explore::copy(memory, memory, sizeof(worker));  // whoever reads what is made of it comes later
  the_life_world->name_worker(static_cast<worker*>(memory));
  return memory;
}
void nopal::internal::give_worker_memory(void* memory) noexcept { explore::free_memory(memory); }

extern "C" {
__thread nopal_deque* nopal_current __attribute__((tls_model("initial-exec")));
__thread nopal_quiet_loops nopal_quiet __attribute__((tls_model("initial-exec")));

void nopal_enter_scheduler(void* self) {
  if (__builtin_setjmp(the_life_world->way_out()) == 0) {
    nopal::internal::find_work(static_cast<nopal::internal::worker*>(self));
  }
}
void nopal_leave_scheduler(void*) { __builtin_longjmp(the_life_world->way_out(), 1); }
void nopal_resume(nopal_frame* frame, void*, void*) {
  nopal::internal::worker* const self = nopal::internal::this_worker();
  nopal_stack* const stack = self->deque.strand.stack;
  the_life_world->touch(stack);
  the_life_world->resumed(frame);
  nopal::internal::strand::run_on(self, nullptr);
  nopal::internal::return_stack(self, stack);
  the_life_world->over(frame);
  nopal::internal::find_work(self);
}

int explored_key_create(pthread_key_t* key, void (*at_end)(void*)) noexcept {
  *key = 0;
  the_life_world->keep_end(at_end);
  return 0;
}
int explored_key_delete(pthread_key_t) noexcept { return 0; }
int explored_setspecific(pthread_key_t, const void* value) noexcept {
  return the_life_world->keep_value(const_cast<void*>(value)) ? 0 : ENOMEM;
}
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {

worker* this_worker() noexcept { return the_life_world->worker_of_this(); }
void set_this_worker(worker* self) noexcept { the_life_world->set_worker(self); }
exception_state* this_thread_exceptions() noexcept { return the_life_world->exceptions(); }
void forget_exceptions() noexcept {}
void* take_exception(nopal_frame*) noexcept { return nullptr; }
void* stopped_at_join() noexcept { return nullptr; }
nopal_stop* this_outside_part() noexcept { return nullptr; }
void leave_old_process(runtime&, worker*) noexcept {}
bool take_kept(nopal_frame*) noexcept { return false; }
void note_old_children(nopal_frame*) noexcept {}
bool has_old_children(const nopal_frame*) noexcept { return false; }
void check_join_of_old_process(const nopal_frame*) noexcept {}
void check_child_of_old_process(const worker*) noexcept {}
void* caught_at(void*, const void*, const nopal_stack*) noexcept { return nullptr; }
bool handlers_known(void*, const nopal_stack*) noexcept { return true; }
void watch_for_overflow(worker*) noexcept {}
void stop_watching_for_overflow(worker*) noexcept {}
void forget_overflow_handler() noexcept {}
void free_signal_stack(worker*) noexcept {}
bool is_thread_of_pool() noexcept { return the_life_world->is_pool_thread(); }
void set_thread_of_pool(bool) noexcept {}
void print_statistics() noexcept {}
settings read_settings(const configuration&) { return the_life_world->asked(); }
int usual_workers() { return the_life_world->asked().workers; }

bool stack_pool::start(const policy&) noexcept {
  the_life_world->stacks_start();
  return true;
}
void stack_pool::stop() noexcept { the_life_world->stacks_stop(); }
bool stack_pool::is_high(const nopal_stack*) const noexcept { return true; }
nopal_stack* stack_pool::take(const void*, int) noexcept { return the_life_world->stack_of_this(); }
int stack_pool::node_of(const nopal_stack*) const noexcept { return 0; }
std::size_t stack_pool::give(nopal_stack* stack) noexcept {
  the_life_world->touch(stack);
  return 0;
}
std::size_t stack_pool::retain(nopal_stack* stack, const void*) noexcept {
  the_life_world->touch(stack);
  return 0;
}
void stack_pool::reuse(nopal_stack* stack) noexcept { the_life_world->touch(stack); }

namespace os {

void call_at_fork(void (*)(), void (*)(), void (*)()) noexcept {}
void call_no_more_at_fork() noexcept {}
signal_bits blocked_signals() noexcept { return 0; }
void block_as_starter(signal_bits) noexcept {}
std::size_t page_size() noexcept { return 4096; }
void* map_stack_memory(std::size_t) noexcept {
  static char scheduler_stack[1];  // nobody runs there
  return scheduler_stack;
}
bool protect_none(void*, std::size_t) noexcept { return true; }
void unmap(void*, std::size_t) noexcept {}

int start_thread(void (*entry)(void*), void* argument, std::size_t, thread_handle& thread,
                 stack_from) noexcept {
  const int refused = the_life_world->start_thread(entry, argument, thread.native_);
  thread.joinable_ = refused == 0;
  thread.mapping_ = nullptr;
  thread.mapped_bytes_ = 0;
  return refused;
}
int join_thread(thread_handle& thread) noexcept {
  if (thread.joinable_) {
    the_life_world->join_thread(thread.native_);
    thread.joinable_ = false;
  }
  return 0;
}
void name_current_thread(const char*) noexcept {}
bool pin_current_thread(int) { return true; }
std::vector<int> current_affinity() { return {}; }
topology read_topology(const std::vector<int>&, const char*) { return {}; }
int topology::distance(int, int) const noexcept { return 0; }
int topology::node_index(int) const noexcept { return 0; }
int current_cpu() noexcept { return 0; }
void prepare_allocation() noexcept {}
const std::uint32_t* this_threads_cpu() noexcept { return nullptr; }
bool forbid_cpu(int, int, cpu_bits&) noexcept { return false; }
bool allow_cpus(const cpu_bits&) noexcept { return true; }
bool is_kept_off(int, int, const cpu_bits&) noexcept { return true; }
bool waits_for_equals() noexcept { return false; }
bool allow_cpus_but(int, int, cpu_bits&) noexcept { return true; }
bool allow_cpus_again(int, const cpu_bits&) noexcept { return true; }
int current_thread_id() noexcept { return the_life_world->thread_number(); }
bool native_stack_bounds(void*&, void*&) noexcept { return false; }
bool thread_is_ending() noexcept { return false; }
bool first_thread_ends() noexcept { return the_life_world->first_thread_ends(); }
bool near_first_stacks_end() noexcept { return false; }
not_cancelled::not_cancelled() noexcept : before_(0) {}
not_cancelled::~not_cancelled() { static_cast<void>(before_); }
std::uint64_t monotonic_ns() noexcept { return 0; }
void yield() noexcept { explore::yield(); }
void write_stderr(const char*, ...) noexcept {}
void end_process(const char*) noexcept { std::abort(); }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  explore::futex_wait(&word, expected, false);
}
bool futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t) noexcept {
  return explore::futex_wait(&word, expected, true);
}
bool futex_wait_exactly(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t ns) noexcept {
  return futex_wait_for(word, expected, ns);
}
int futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  return explore::futex_wake(&word, count);
}
bool process_barrier_register() noexcept { return true; }
bool process_barrier() noexcept {
  if (the_life_world->parks_again()) {
    explore::yield();  // around again without having slept: somebody else is in the middle of something
  }
  return explore::process_barrier();
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

life_world* the_life_world = nullptr;

life_world::~life_world() {
  nopal::internal::the_runtime().hooks_installed =
      false;  // there is nothing to stop at the end of the process
  the_life_world = nullptr;
}

void life_world::set_up() {
  the_life_world = this;
  nopal::internal::runtime& all = nopal::internal::the_runtime();
  all.lock = PTHREAD_MUTEX_INITIALIZER;
  all.chosen = asked();
  all.settings_known = true;
  delete all.topology;
  all.topology = nullptr;
  all.idle_workers = all.idle_pool_workers = nullptr;
  all.stacks_mapped = false;
  all.hooks_installed = all.unloaded = false;
  all.stops.store(0, __ATOMIC_RELAXED);
  for (auto* const flag : {&all.running, &all.barrier_works}) {
    flag->store(false, __ATOMIC_RELAXED);
  }
  all.stopping.store(nopal::internal::goes_on, __ATOMIC_RELAXED);
  for (auto* const count : {&all.table_used, &all.sleepers, &all.waiting_joins}) {
    count->store(0, __ATOMIC_RELAXED);
  }
  for (int i = 0; i < 2 * most_threads; ++i) {
    all.table[i].store(nullptr, __ATOMIC_RELAXED);
    name(&all.table[i], sizeof all.table[i], ("place " + std::to_string(i)).c_str());
  }
  ignore(&all.left_counts, sizeof all.left_counts);
  ignore(&all.times_unmapped, sizeof all.times_unmapped);  // it never comes back to what it was
  ignore(&all.barrier_works, sizeof all.barrier_works);
  all.substitutes = all.resting_substitutes = nullptr;
  all.substitute_threads = 0;
  for (auto* const count : {&all.blocked, &all.substituting}) {
    count->store(0, __ATOMIC_RELAXED);
    if (substitutes == 0) {
      ignore(count, sizeof *count);
    }
  }
  name(&all.lock, sizeof(std::uint32_t), "lock");
  name(&all.running, sizeof all.running, "running");
  name(&all.stopping, sizeof all.stopping, "stopping");
  name(&all.table_used, sizeof(int), "table_used");
  name(&all.stops, sizeof all.stops, "stops");
  name(&all.sleepers, sizeof(int), "sleepers");

  started_ = workers_made_ = values_kept_ = stack_starts_ = stack_stops_ = 0;
  at_end_ = nullptr;
  for (int i = 0; i < most_threads; ++i) {
    workers_[i] = nullptr;
    values_[i] = nullptr;
    states_[i] = {};
    parked_[i] = false;
    stacks_[i].low = memory_;
    stacks_[i].high = memory_ + sizeof memory_;
    used_[i].initialize(0);
    pool_[i] = {nullptr, nullptr, 1, 1, false};
    name(&states_[i].caught, sizeof(void*), "exceptions caught");
    name(&states_[i].uncaught, sizeof(int), "exceptions in flight");
    name(&used_[i], sizeof(int), "stack in use");
    name(&pool_[i].not_started, sizeof(std::uint32_t), "thread not started");
    name(&pool_[i].not_over, sizeof(std::uint32_t), "thread not over");
  }
  give_up(used_, sizeof used_);
  for (acting_ = 0; acting_ < adopted_at_first; ++acting_) {
    nopal::internal::worker* const self = nopal::internal::adopt_this_thread();
    if (!poisoned_at_first) {
      nopal::internal::deque::unpoison(self->deque);
    }
  }
}

void life_world::switch_to(int thread) {
  acting_ = thread;
  set_worker(workers_[thread]);
}

void life_world::set_worker(nopal::internal::worker* self) {
  workers_[acting_] = self;
  nopal_current = self == nullptr ? nullptr : &self->deque;
}

nopal::internal::settings life_world::asked() const {
  nopal::internal::settings result;
  result.workers = pool_threads + 1;
  result.substitutes = substitutes;
  return result;
}

void life_world::name_worker(nopal::internal::worker* made) {
  const auto numbered = [number = std::to_string(workers_made_++)](const char* what) {
    return what + number;
  };
  name(&made->deque.bottom, sizeof made->deque.bottom, numbered("bottom ").c_str());
  name(&made->deque.limit, sizeof made->deque.limit, numbered("limit ").c_str());
  name(&made->deque.top, 16, numbered("word ").c_str());
  name(&made->deque.public_slots, sizeof made->deque.public_slots, numbered("public_slots ").c_str());
  name(&made->park, sizeof made->park, numbered("park ").c_str());
  name(&made->inbox, sizeof made->inbox, numbered("inbox ").c_str());
  name(&made->visitors, sizeof made->visitors, numbered("visitors ").c_str());
  name(&made->has_thread, sizeof made->has_thread, numbered("has_thread ").c_str());
  name(&made->stands_by, sizeof made->stands_by, numbered("stands_by ").c_str());
  nopal_strand& strand = made->deque.strand;
  const std::size_t watched = watch_strands ? sizeof strand.stack : 0;
  name(&strand.stack, sizeof strand.stack, numbered("stack of ").c_str());
  ignore(reinterpret_cast<char*>(&strand) + watched, sizeof strand - watched);
  if (watch_holds) {
    name(&made->holds_stacks, sizeof made->holds_stacks, numbered("holds_stacks ").c_str());
  } else {
    ignore(&made->holds_stacks, sizeof made->holds_stacks);
  }
  ignore(&made->deque.setting, sizeof made->deque.setting);
  ignore(&made->counts, sizeof made->counts);
  ignore(&made->cpu, sizeof made->cpu);
  ignore(&made->regions.workers, sizeof made->regions.workers);
  ignore(&made->regions.quiet_loops, sizeof made->regions.quiet_loops);
}

int life_world::start_thread(void (*entry)(void*), void* argument, std::uintptr_t& handle) {
  if (started_ == threads_granted) {
    return EAGAIN;
  }
  pool_thread& started = pool_[started_];
  handle = static_cast<std::uintptr_t>(started_++);
  started.entry = entry;
  started.argument = argument;
  unlock(&started.not_started);
  return 0;
}

void life_world::be_pool_thread(int thread) {
  pool_thread& self = pool_[thread - program_threads];
  lock(&self.not_started);
  self.entry(self.argument);
  last_destructors(thread);
  end_thread();
  self.over = true;
  unlock(&self.not_over);
}

bool life_world::pool_is_over() const {
  bool over = true;
  for (int i = 0; i < started_; ++i) {
    over = over && pool_[i].over;
  }
  return over;
}

void life_world::join_thread(std::uintptr_t handle) { lock(&pool_[handle].not_over); }

bool life_world::keep_value(void* value) {
  const bool counts = !is_pool_thread();
  if (counts && values_kept_ == values_granted) {
    return false;
  }
  values_kept_ += counts ? 1 : 0;
  values_[acting_] = value;
  return true;
}

void life_world::end_thread() {
  if (void* const value = values_[acting_]) {
    at_end_(value);
  }
  give_up(&states_[acting_], sizeof states_[acting_]);
}

bool life_world::parks_again() {
  const nopal::internal::worker* const self = workers_[acting_];
  if (self == nullptr || *reinterpret_cast<const std::uint32_t*>(&self->park) != nopal::internal::parked) {
    return false;
  }
  const bool before = parked_[acting_];
  parked_[acting_] = true;
  return before;
}

void life_world::stacks_start() {
  ++stack_starts_;
  give_up(used_, sizeof used_, false);
}
void life_world::stacks_stop() {
  ++stack_stops_;
  give_up(used_, sizeof used_);
}
nopal_stack* life_world::stack_of_this() {
  touch(&stacks_[acting_]);
  return &stacks_[acting_];
}
void life_world::touch(const nopal_stack* stack) {
  if (stack >= stacks_ && stack < stacks_ + most_threads) {
    used_[stack - stacks_].write(acting_);
  }
}

}  // namespace explore
