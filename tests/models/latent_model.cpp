// nopal_promote_before_push, promote, on_question, ask, the slow pushes, nopal_pop, find_work, park: real code.

#include "models/latent_model.hpp"

#include "models/fake_runtime.hpp"
#include "models/interruptions.hpp"
#include "models/latent_frames.hpp"
// After the macros.
#include <nopal/detail/fast_path.h>

#include "deque/deque.hpp"
#include "deque/shared_word.hpp"
#include "scheduler/promotion.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/tags.hpp"
#include "strand/strand.hpp"

extern "C" int nopal_promote_before_push(nopal::internal::worker* self,
                                         const nopal::internal::arch::registers* at) noexcept;

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
nopal_frame* explored_look(worker* self, worker* victim, known_roots& known);
}
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

namespace {

using nopal::internal::worker;
namespace deque = nopal::internal::deque;

class latent_model;
latent_model* the_latent_model = nullptr;

class latent_model final : public scheduler_model, public interrupter {
public:
  explicit latent_model(const latent_scenario& with) : with_(with) {
    for (const std::string& script : with.thieves) {
      sleeps_ = sleeps_ || script.find_first_of("dmnw") != std::string::npos;
      asks_ = asks_ || script.find_first_of("aw") != std::string::npos;
    }
    strands_matter = sleeps_;
    table_grows = with.alone;
  }
  [[nodiscard]] int threads() const override { return 1 + static_cast<int>(with_.thieves.size()); }
  [[nodiscard]] bool interruptible(int thread) const override { return thread == 0 && asks_; }
  [[nodiscard]] std::uint64_t draw(std::uint64_t /*drawn*/) const override { return 0; }  // the owner

  void set_up() override;
  void run(int thread) override;
  void check() override;

  void interrupted(int thread, std::uint64_t told) override;
  bool send(int thread_id) override;
  void resumed(nopal_frame* frame) override;
  [[nodiscard]] bool passes(std::uint64_t /*ns*/) const override {
    return looks_[this_thread()] < with_.looks;
  }
  void passed(std::uint64_t ns) override {
    ++looks_[this_thread()];
    clocks_[this_thread()] += ns;
  }
  [[nodiscard]] std::uint64_t now() const { return clocks_[this_thread() < 0 ? 0 : this_thread()]; }
  [[nodiscard]] int thread_number() const { return number_ + 1; }
  [[nodiscard]] const call_stack& calls() const { return calls_; }

private:
  static constexpr int most_forks = 6;
  static constexpr std::int32_t usual_capacity = latent_scenario{}.capacity;

  void make_deque(nopal_deque& one, int number);
  void name_all();
  void ignore_what_stays();
  void own();
  void fork(call_kind kind);
  void push(nopal_frame* frame);
  void copy();
  void leave();
  void take_back(int fork);
  void lose_strand();
  void begin_anew();
  void steal(worker* self, worker* victim);
  static void sleep_until_woken(worker* self, bool sleeps);
  void steal_by_script(int thread, const std::string& script);
  void check_order();
  [[nodiscard]] bool is_below_promoted(int call) const;
  [[nodiscard]] bool has_copied(int call) const;
  [[nodiscard]] bool is_latent(int call) const {
    return calls_.kind(call) != call_kind::unknown && calls_.is_latent(call);
  }
  [[nodiscard]] int number_of(const nopal_frame* frame) const { return static_cast<int>(frame - frames_); }

  latent_scenario with_;
  int number_ = 0;  // of the worker that is made
  call_stack calls_;
  spot spot_ = spot::in_code;  // of the owner
  bool sleeps_ = false;  // some thief does
  bool asks_ = false;    // the same
  bool lost_ = false;          // the owner's strand went on elsewhere
  int forks_ = 0;
  nopal_frame frames_[most_forks] = {};
  int runs_[most_forks] = {};                // of each continuation
  bool away_[most_forks] = {};               // latent when an older strand took them along
  plain<int> arguments_[most_forks];  // of a child that copies them; 1 until the continuation ends them
  std::uint32_t not_over_[most_forks] = {};  // gates: their takers open them
  std::uint32_t never_ = 1;                  // a gate that stays shut
  std::uint64_t clocks_[most_threads] = {};
  int looks_[most_threads] = {};
  char memory_[1024] = {};
};

void latent_model::make_deque(nopal_deque& one, int number) {
  const std::size_t cells = static_cast<std::size_t>(with_.capacity) + deque::slots_header;
  auto* const begin = static_cast<nopal_frame**>(allocate(deque::slots_line, cells * sizeof(void*)));
  begin[1] = reinterpret_cast<nopal_frame*>(static_cast<std::intptr_t>(with_.capacity));
  one.owner_slots = one.public_slots = begin + deque::slots_header;
  const std::string whose = number == 0 ? "" : "thief's ";
  name(&one.bottom, sizeof one.bottom, (whose + "bottom").c_str());
  name(&one.limit, sizeof one.limit, (whose + "limit").c_str());
  name(&one.top, 16, (whose + "word").c_str());
  name(&one.public_slots, sizeof one.public_slots, (whose + "public_slots").c_str());
  for (std::int32_t i = 0; i < with_.capacity; ++i) {
    name(&one.owner_slots[i], sizeof(void*), (whose + "slot " + std::to_string(i)).c_str());
  }
}

void latent_model::name_all() {
  worker& owner = workers[0];
  name(&owner.asking, sizeof owner.asking, "asking");
  name(&owner.fruitless, sizeof owner.fruitless, "fruitless");
  name(&owner.not_asked_for, sizeof owner.not_asked_for, "not asked for");
  name(&nopal::internal::the_runtime().watched, sizeof(bool), "watched");
  name(&never_, sizeof never_, "the end");
  for (int i = 0; i < most_forks; ++i) {
    name(&frames_[i].resume_address, sizeof(void*), ("record of " + std::to_string(i)).c_str());
    name(&not_over_[i], sizeof not_over_[i], ("end of " + std::to_string(i)).c_str());
    name(&arguments_[i], sizeof arguments_[i], ("arguments of " + std::to_string(i)).c_str());
  }
  ignore_what_stays();
}

/// What does not change, or matters to one thread alone.
void latent_model::ignore_what_stays() {
  for (int i = 0; i < threads(); ++i) {
    worker& one = workers[i];
    ignore(&one.asked_thread, sizeof one.asked_thread);
    ignore(&one.nested, sizeof one.nested);
    ignore(&one.task_group, static_cast<std::size_t>(reinterpret_cast<char*>(&one.holds_stacks) -
                                                     reinterpret_cast<char*>(&one.task_group)));
    ignore(&one.inbox, sizeof one.inbox);
    if (with_.capacity == usual_capacity) {
      ignore(&one.deque.public_slots, sizeof one.deque.public_slots);
    }
    if (i > 0 && threads() == 2) {
      ignore(&one.deque, sizeof one.deque);
      ignore(one.deque.owner_slots, usual_capacity * sizeof(void*));
    }
  }
  for (int i = 0; i < most_forks; ++i) {
    ignore(&frames_[i].steals, sizeof frames_[i] - offsetof(nopal_frame, steals));  // what joins count
  }
  ignore(word_of_listening(), 1);
  ignore(&workers[0].promotes, sizeof workers[0].promotes);  // of the owner and its handler
  if (!strands_matter) {
    ignore(&nopal::internal::the_runtime().sleepers, sizeof(int));
  }
}

void latent_model::set_up() {
  scheduler_model::set_up();
  the_latent_model = this;
  the_interrupter = this;
  the_call_stack = &calls_;
  nopal_latent_forks_used = 1;
  nopal::internal::the_runtime().watched.store(false, __ATOMIC_RELAXED);
  nopal::internal::listen_for_questions(1);
  if (with_.alone) {
    nopal::internal::the_runtime().table_used.store(1, __ATOMIC_RELAXED);
  }
  calls_.clear();
  spot_ = spot::in_code;
  lost_ = false;
  forks_ = 0;
  never_ = 1;
  const std::uint64_t control = nopal::internal::arch::float_control();
  for (number_ = 0; number_ < threads(); ++number_) {
    worker& one = workers[number_];
    make_deque(one.deque, number_);
    clocks_[number_] = static_cast<std::uint64_t>(looks_[number_] = 0);
    stacks[number_].low = number_ == 0 ? const_cast<char*>(calls_.low()) : memory_;
    stacks[number_].high = number_ == 0 ? const_cast<char*>(calls_.high()) : memory_ + sizeof memory_;
    nopal::internal::set_float_control_of(one.deque.setting, control);
    nopal::internal::set_if_changed(one.deque.setting.root, &workers[0]);
    nopal::internal::the_runtime().table[number_].store(&one, __ATOMIC_RELAXED);
    nopal::internal::begin_to_answer(&one);
    if (number_ > 0) {
      one.of_pool = true;
      give_spare(number_, &stacks[number_]);
      const char first = with_.thieves[static_cast<std::size_t>(number_) - 1][0];
      if (first == 'd' || first == 'm') {
        one.park.store(nopal::internal::parked, __ATOMIC_RELAXED);
        nopal::internal::the_runtime().sleepers.fetch_add(1, __ATOMIC_RELAXED);
      }
    }
  }
  if (with_.watcher > 0) {
    workers[with_.watcher].watches = true;
    nopal::internal::the_runtime().watched.store(true, __ATOMIC_RELAXED);
  }
  worker& owner = workers[0];
  stacks[0].native_owner = with_.root ? &owner : nullptr;
  nopal::internal::get_ready_to_answer(&owner);
  owner.asking.store(with_.nothing_latent ? nopal::internal::nothing_latent : nopal::internal::not_asked,
                     __ATOMIC_RELAXED);
  owner.deque.limit = with_.poisoned || with_.root || with_.nothing_latent ? nopal_poisoned_limit : nopal_latent_limit;
  nopal::internal::strand::run_on(&owner, &stacks[0]);
  for (int i = 0; i < most_forks; ++i) {
    frames_[i] = {};
    runs_[i] = 0;
    away_[i] = false;
    not_over_[i] = 1;
    arguments_[i].initialize(1);
  }
  name_all();
  weaken_stores(&owner.deque.bottom, with_.fault == latent_fault::push_relaxed);
}

void latent_model::run(int thread) {
  if (thread == 0) {
    own();
  } else {
    steal_by_script(thread, with_.thieves[static_cast<std::size_t>(thread) - 1]);
  }
}

void latent_model::own() {
  for (const char what : with_.owner) {
    instruction();
    if (what == '|') {
      begin_anew();
    } else if (what == 'z') {
      futex_wait(&never_, 1, true);
    } else if (lost_) {
      continue;
    } else if (what == 'r') {
      leave();
    } else if (what == 'k') {
      copy();
    } else if (what == 'o') {
      nopal::internal::promote_own();
    } else if (what == 'u') {
      calls_.call(call_kind::unknown, nullptr);
    } else if (what == 'x') {
      lose_strand();
    } else if (what == 'l') {
      lock(&never_);
    } else {
      fork(what == 'f'   ? call_kind::latent
           : what == 'i' ? call_kind::in_place
           : what == 'g' ? call_kind::copying
                         : call_kind::eager);
    }
    check_order();
  }
  spot_ = spot::out_of_strand;
}

/// As fork_latently, and nopal_enter_fork.
void latent_model::fork(call_kind kind) {
  nopal_frame* const frame = &frames_[forks_++];
  frame->frame_pointer = calls_.frame_pointer();
  if (kind == call_kind::copying) {
    __atomic_store_n(&frame->resume_address, nullptr, __ATOMIC_RELAXED);
  }
  if (kind != call_kind::eager && NOPAL_LESS_THAN(-1, &workers[0].deque.limit) == 0) {
    spot_ = spot::before_call;
    instruction();
    calls_.call(kind, frame);
    spot_ = spot::in_code;
    return;
  }
  frame->call_stack_pointer = calls_.return_slot();
  calls_.call(call_kind::eager, frame);
  plain_write(&frame->resume_address, sizeof(void*));
  store(&frame->resume_address, calls_.continuation(calls_.calls() - 1), plain_order);
  push(frame);
}

/// As nopal_push, and nopal_push_slow.
void latent_model::push(nopal_frame* frame) {
  worker* const self = &workers[0];
  if (NOPAL_LESS_THAN(self->deque.bottom, &self->deque.limit)) {
    fail("a push is fast where forks may be latent");
  }
  const nopal::internal::arch::registers at = calls_.registers(spot::in_code);
  spot_ = spot::out_of_strand;
  int rest = nopal_promote_before_push(self, &at);
  rest = rest == nopal::internal::nothing_left ? nopal_push_and_publish(frame, self) : rest;
  if (rest != nopal::internal::nothing_left) {
    require(nopal_push_slow_path(frame, static_cast<nopal::internal::push_remainder>(rest)) == 0,
            "a push failed");
  }
  spot_ = spot::in_code;
}

/// The end of a child's copying, as set_copied has it.
void latent_model::copy() {
  nopal_frame* const frame = calls_.frame(calls_.calls() - 1);
  // An eager fork has its arguments copied before its push.
  if (calls_.kind(calls_.calls() - 1) == call_kind::copying) {
    require(arguments_[number_of(frame)].read() == 1, "arguments were gone before they were copied");
    __atomic_store_n(&frame->resume_address, static_cast<void*>(memory_), __ATOMIC_RELAXED);
  }
}

/// The end of the youngest call's function.
void latent_model::leave() {
  const int call = calls_.calls() - 1;
  const call_kind kind = calls_.kind(call);
  const int fork = kind == call_kind::unknown ? 0 : number_of(calls_.frame(call));
  if (kind == call_kind::unknown) {
    calls_.leave();
  } else if (calls_.is_latent(call)) {
    spot_ = spot::after_latent;
    instruction();
    calls_.leave();
    spot_ = spot::in_code;
    ++runs_[fork];
  } else {
    if (calls_.is_promoted(call)) {
      spot_ = spot::after_promoted;
      instruction();
      calls_.end_promoted();
    }
    take_back(fork);
  }
}

/// As nopal_end_promoted, and the end of an eager child.
void latent_model::take_back(int fork) {
  spot_ = spot::in_end;
  const bool mine = nopal_pop() != 0;
  if (!mine) {
    spot_ = spot::out_of_strand;
    lose_strand();
    return;
  }
  const nopal_deque& own = workers[0].deque;
  require(nopal::internal::untagged(own.owner_slots[own.bottom]) == &frames_[fork],
          "a pop took another's fork back");
  ++runs_[fork];
  calls_.leave();
  spot_ = spot::in_code;
}

/// As nopal_finish_child and find_work: what is older goes on with the thief.
void latent_model::lose_strand() {
  lost_ = true;
  for (int i = 0; i < calls_.calls(); ++i) {
    if (is_latent(i)) {
      away_[number_of(calls_.frame(i))] = true;
    }
  }
  nopal::internal::strand::have_none(&workers[0]);
  deque::reset(workers[0].deque);
}

/// A region of a root is joined, and the next one begins; another strand of a worker of the pool.
void latent_model::begin_anew() {
  if (!lost_) {
    require(calls_.calls() == 0, "the model's function joins before it has returned");
    return;
  }
  for (int i = 0; i < calls_.calls() && with_.root; ++i) {
    if (calls_.kind(i) != call_kind::unknown && !away_[number_of(calls_.frame(i))]) {
      lock(&not_over_[number_of(calls_.frame(i))]);
    }
  }
  calls_.clear();
  lost_ = false;
  nopal::internal::strand::run_on(&workers[0], &stacks[0]);
  if (with_.root) {
    deque::poison(workers[0].deque);
  }
  spot_ = spot::in_code;
}

void latent_model::interrupted(int thread, std::uint64_t told) {
  clocks_[thread] = told;
  if (the_answer == nullptr) {
    return;
  }
  nopal::internal::os::interrupted here{};
  here.at = thread == 0 ? calls_.registers(spot_) : nopal::internal::arch::registers{};
  here.float_control = nopal::internal::arch::float_control();
  here.has_room = true;
  the_answer(here);
  if (thread == 0 && (spot_ == spot::in_code || spot_ == spot::before_call) && !lost_) {
    check_order();
  }
}

bool latent_model::send(int thread_id) {
  interrupt(thread_id - 1, now());
  return true;
}

/// As steal_or_force, and strand::enter.
void latent_model::steal(worker* self, worker* victim) {
  nopal::internal::known_roots known{};
  if (nopal_frame* const slot = nopal::internal::explored_look(self, victim, known)) {
    nopal::internal::hand_watch_on(self);
    resumed(nopal::internal::untagged(slot));
  }
  nopal::internal::set(self->deque.strand.stack, nullptr);
}

/// The rest of park.
void latent_model::sleep_until_woken(worker* self, bool sleeps) {
  while (const std::uint32_t state = sleeps ? self->park.load(__ATOMIC_ACQUIRE) : 0) {
    futex_wait(&self->park, state, false);
  }
}

void latent_model::steal_by_script(int thread, const std::string& script) {
  worker* const self = &workers[thread];
  worker* const victim = &workers[0];
  for (const char what : script) {
    if (what == 'w') {
      nopal::internal::find_work(self);
    } else if (what == 'j') {
      nopal::internal::the_runtime().table_used.store(threads(), __ATOMIC_SEQ_CST);
    } else if (what == 'n') {
      nopal::internal::park(self);
    } else if (what == 'm') {
      sleep_until_woken(self, nopal::internal::sleep_until_asking(self) == 0);
    } else if (what == 'd') {
      sleep_until_woken(self, true);
    } else if (what == 'z') {
      futex_wait(&never_, 1, true);
    } else if (what == 's') {
      steal(self, victim);
    } else if (what == 'f') {
      deque::force_publish(victim->deque, process_barrier, nopal::internal::no_exception_about, victim);
    } else if (what == 'p') {
      deque::poison(victim->deque);
    } else {
      clocks_[thread] += std::uint64_t{1} << 40;  // later than any pause
      nopal::internal::ask(self, victim);
    }
  }
}

/// A thief has taken the fork's continuation.
void latent_model::resumed(nopal_frame* frame) {
  const int fork = number_of(frame);
  require(fork >= 0 && fork < most_forks, "what is taken is no fork");
  plain_read(&frame->resume_address, sizeof(void*));
  require(load(&frame->resume_address, plain_order) != nullptr, "a fork was taken that is not complete");
  ++runs_[fork];
  arguments_[fork].write(0);
  unlock(&not_over_[fork]);
}

/// Of the owner: entries are in serial order, and what is latent and may be promoted is younger.
void latent_model::check_order() {
  if (lost_) {
    return;
  }
  const worker& self = workers[0];
  const nopal_deque& own = self.deque;
  int before = -1;
  for (std::int32_t i = self.first_entry; i < own.bottom; ++i) {
    const nopal_frame* const entry = nopal::internal::untagged(own.owner_slots[i]);
    int call = before + 1;
    while (call < calls_.calls() && calls_.frame(call) != entry) {
      require(!is_latent(call) || self.buries_latent || is_below_promoted(call) ||
                  (self.left_latent && !has_copied(call)),
              "a latent fork is older than an entry");
      ++call;
    }
    require(call < calls_.calls(), "the entries are not in serial order");
    before = call;
  }
}

/// A child that copies its arguments has done so.
bool latent_model::has_copied(int call) const {
  return calls_.kind(call) == call_kind::copying && calls_.frame(call)->resume_address != nullptr;
}

/// A child copied its arguments when younger forks were promoted: it cannot be had before these are over.
bool latent_model::is_below_promoted(int call) const {
  bool below = false;
  for (int i = call + 1; i < calls_.calls(); ++i) {
    below = below || calls_.is_promoted(i);
  }
  return below && calls_.kind(call) == call_kind::copying && !has_copied(call);
}

void latent_model::check() {
  const nopal_deque& own = workers[0].deque;
  int resting = 0;          // latent still
  bool can_be_had = false;  // some of them
  for (int i = 0; i < calls_.calls() && !lost_; ++i) {
    resting += is_latent(i) ? 1 : 0;
    // What code without tables hides cannot.
    can_be_had = calls_.kind(i) != call_kind::unknown && (can_be_had || is_latent(i));
  }
  int missing = 0;
  for (int i = 0; i < forks_; ++i) {
    require(runs_[i] <= 1, "a continuation was taken twice");
    missing += runs_[i] == 0 && !away_[i] ? 1 : 0;
  }
  const std::int32_t left = own.bottom - own.top;
  require(missing == left + resting, "a continuation was lost");
  for (int i = 1; i < threads(); ++i) {
    if (sleeps_ && waits(i)) {
      require(left == 0, "somebody sleeps for good beside work");
      require(!can_be_had, "somebody sleeps for good beside a latent fork");
    }
  }
}

}  // namespace

std::unique_ptr<model> make_latent_model(const latent_scenario& with) {
  return std::make_unique<latent_model>(with);
}

}  // namespace explore

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

std::uint64_t monotonic_ns() noexcept { return explore::the_latent_model->now(); }
int current_thread_id() noexcept { return explore::the_latent_model->thread_number(); }
bool native_stack_bounds(void*& low, void*& high) noexcept {
  low = const_cast<char*>(explore::the_latent_model->calls().low());
  high = const_cast<char*>(explore::the_latent_model->calls().high());
  return true;
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
