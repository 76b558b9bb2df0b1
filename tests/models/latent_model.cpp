// nopal_promote_before_push, promote, on_question, ask, the slow pushes, nopal_pop, find_work, park: real code.

#include "models/latent_strand.hpp"
// After the macros.
#include "deque/deque.hpp"
#include "scheduler/questions.hpp"
#include "scheduler/tags.hpp"
#include "strand/strand.hpp"

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
nopal_frame* explored_look(worker* self, worker* victim, known_roots& known);
}
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

namespace explore {

using nopal::internal::worker;
namespace deque = nopal::internal::deque;

namespace {
latent_model* the_latent_model = nullptr;

const std::uint64_t usual_control = nopal::internal::arch::float_control();
constexpr int rounding_shift = 32 + 10;  // in the x87 word, with which nothing here computes
}  // namespace

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
      ignore(one.deque.owner_slots, std::size_t{usual_capacity} * sizeof(void*));
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
  nopal::internal::the_runtime().chosen.workers = 2;  // one alone is another case: see answer_question
  nopal::internal::listen_for_questions(1);
  if (with_.alone) {
    nopal::internal::the_runtime().table_used.store(1, __ATOMIC_RELAXED);
  }
  calls_.clear();
  spot_ = spot::in_code;
  lost_ = false;
  forks_ = 0;
  never_ = 1;
  nopal::internal::arch::set_float_control(usual_control);
  for (number_ = 0; number_ < threads(); ++number_) {
    worker& one = workers[number_];
    make_deque(one.deque, number_);
    clocks_[number_] = static_cast<std::uint64_t>(looks_[number_] = 0);
    stacks[number_].low = number_ == 0 ? const_cast<char*>(calls_.low()) : memory_;
    stacks[number_].high = number_ == 0 ? const_cast<char*>(calls_.high()) : memory_ + sizeof memory_;
    nopal::internal::set_float_control_of(one.deque.setting, usual_control);
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
  owner.deque.limit =
      with_.poisoned || with_.root || with_.nothing_latent ? nopal_poisoned_limit : nopal_latent_limit;
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

void latent_model::interrupted(int thread, std::uint64_t told) {
  clocks_[thread] = told;
  if (the_answer == nullptr) {
    return;
  }
  nopal::internal::os::interrupted here{};
  here.at = thread == 0 ? calls_.registers(spot_) : nopal::internal::arch::registers{};
  here.has_room = true;
  // The code that is interrupted rounds in its own way for a moment.
  here.float_control = usual_control ^ std::uint64_t{1} << rounding_shift;
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
    require(nopal::internal::float_control_of(victim->deque.setting) == usual_control,
            "a thief is told the mode of a moment");
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
