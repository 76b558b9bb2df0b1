// Executions: which thread runs, which choices are made, when a state was seen before.

#include "models/engine.hpp"

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace explore {

namespace {

constexpr std::size_t fiber_stack_bytes = std::size_t{128} << 10;
constexpr std::size_t arena_bytes = std::size_t{256} << 10;
constexpr std::uint64_t most_steps = 3000;  // of one execution: more means that it does not end

/// Ends a check that failed; threads that fail are left where they are.
struct failed_check {};

}  // namespace

engine* the_engine = nullptr;

engine::engine(model& program, const options& how)
    : program_(program), how_(how),
      memory_(how.memory == memory_kind::tso ? make_tso(*this) : make_views(*this)),
      fibers_(static_cast<std::size_t>(program.threads())), arena_(arena_bytes) {
  for (fiber& one : fibers_) {
    one.stack.resize(fiber_stack_bytes);
  }
}

outcome engine::explore_all() {
  for (const unsigned made : how_.replay) {
    choices_.push_back({made, made + 1});
  }
  tracing_ = !choices_.empty();
  do {
    run_once();
  } while (!failed_ && how_.replay.empty() && next_choices());
  counts_.states = states_.size();
  counts_.failed = failed_;
  counts_.message = message_;
  for (std::size_t i = 0; i < replayed_; ++i) {
    counts_.choices.push_back(choices_[i].made);
  }
  if (failed_ && !tracing_) {
    // Once more, to be told step by step.
    options again = how_;
    again.replay = counts_.choices;
    if (again.replay.empty()) {
      again.replay.push_back(0);
    }
    the_engine = nullptr;
    counts_.trace = explore(program_, again).trace;
  }
  if (tracing_) {
    trace_ += "choices:";
    for (const unsigned made : counts_.choices) {
      trace_ += ' ' + std::to_string(made);
    }
    trace_ += "\n";
    counts_.trace = trace_;
  }
  return counts_;
}

/// The next list of choices, depth first: the last choice that has another outcome takes it.
bool engine::next_choices() {
  choices_.resize(replayed_);
  while (!choices_.empty() && choices_.back().made + 1 >= choices_.back().count) {
    choices_.pop_back();
  }
  if (choices_.empty()) {
    return false;
  }
  ++choices_.back().made;
  return true;
}

void engine::run_once() {
  replayed_ = 0;
  repeats_ = choices_.size();
  steps_here_ = 0;
  preemptions_ = 0;
  writes_ = writes_before_ = 0;
  last_running_ = -1;
  pruned_ = false;
  arena_used_ = 0;
  ignored_.clear();
  gone_.clear();
  allocated_.clear();
  for (location& one : locations_) {
    one.live = one.weak_stores = one.weak_loads = one.blinded = one.torn = false;
  }
  alter_exchange = nullptr;
  shown_ = nobody;
  memory_->restart(program_.threads());
  program_.set_up();
  start_fibers();
  running_ = -1;
  schedule();  // comes back when nothing can move, at a failure, or at a state seen before
  ++counts_.executions;
  counts_.steps += steps_here_;
  if (!pruned_ && !failed_) {
    ++counts_.ends;
    show_memory(-1);
    try {
      program_.check();
    } catch (const failed_check&) {
      // report has noted it
    }
  }
}

void engine::start_fibers() {
  const auto address = reinterpret_cast<std::uintptr_t>(this);
  for (fiber& one : fibers_) {
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = one.stack.data();
    one.context.uc_stack.ss_size = one.stack.size();
    one.context.uc_link = nullptr;
    makecontext(&one.context, reinterpret_cast<void (*)()>(fiber_main), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    one.state = fiber_state::ready;
    one.history = 0;
    one.waits_for = nullptr;
    one.timed = one.yielded = false;
    one.signalled = one.arrives = one.in_handler = one.begins_again = false;
  }
}

void engine::fiber_main(unsigned high, unsigned low) {
  auto* const all = reinterpret_cast<engine*>(static_cast<std::uintptr_t>(high) << 32 | low);
  all->self().history = 1;  // to have begun is a state of its own
  if (all->self().arrives) {
    all->handle();
    all->schedule();
  }
  all->program_.run(all->running_);
  all->finish();
}

/// Before what other threads can see or may have changed: somebody else may be first.
void engine::step() {
  if (++steps_here_ > most_steps) {
    report("the execution does not end");
  }
  schedule();
}

/// Returns when it is the caller's turn again; interruptions that arrive before that are handled.
void engine::schedule() {
  choose_next();
  while (running_ >= 0 && self().arrives) {
    handle();
    choose_next();
  }
}

/// On the interrupted thread.
void engine::handle() {
  fiber& one = self();
  one.signalled = one.arrives = one.yielded = false;
  one.begins_again = one.state == fiber_state::waiting;
  one.state = fiber_state::ready;
  one.in_handler = true;
  memory_->fence(running_, __ATOMIC_SEQ_CST);
  remember(13, {}, one.told);
  trace("%d: is interrupted\n", running_);
  show_memory(running_);
  program_.interrupted(running_, one.told);
  one.in_handler = false;
  remember(14, {}, 0);
  trace("%d: goes on where it was interrupted\n", running_);
}

/// Chooses what happens next, until that is a thread's move; returns when it is the caller's turn again.
void engine::choose_next() {
  for (;;) {
    list_moves();
    if (moves_.empty()) {
      leave();
      return;
    }
    if (replayed_ >= repeats_ && seen_before()) {
      pruned_ = true;
      leave();
      return;
    }
    const move next = moves_[decide(static_cast<unsigned>(moves_.size()))];
    if (next.kind == move_kind::drain) {
      const unsigned where = memory_->drain(next.thread);
      shown_ = shown_ == next.thread ? shown_ : nobody;
      ++writes_;
      let_others_go_on(-1);
      trace("%d: store to %s reaches memory\n", next.thread, locations_[where].name.c_str());
      continue;
    }
    if (moves_[0].kind == move_kind::step && moves_[0].thread == last_running_ &&
        next.thread != last_running_) {
      ++preemptions_;
    }
    let_others_go_on(next.thread);
    fibers_[static_cast<std::size_t>(next.thread)].arrives = next.kind == move_kind::arrival;
    enter(next.thread);
    return;
  }
}

/// Something moved: whoever yielded may look again.
void engine::let_others_go_on(int mover) {
  if (how_.looks_are_no_moves && std::exchange(writes_before_, writes_) == writes_) {
    return;
  }
  for (std::size_t i = 0; i < fibers_.size(); ++i) {
    fibers_[i].yielded = fibers_[i].yielded && static_cast<int>(i) == mover;
  }
}

void engine::list_moves() {
  moves_.clear();
  if (how_.looks_are_no_moves) {
    let_others_go_on(last_running_);
  }
  const int threads = static_cast<int>(fibers_.size());
  const auto can_go_on = [this](int thread) {
    const fiber& one = fibers_[static_cast<std::size_t>(thread)];
    return one.state == fiber_state::ready && !one.yielded;
  };
  const bool last_can = last_running_ >= 0 && can_go_on(last_running_);
  // The same thread first, so that the first executions have the fewest switches.
  if (last_can) {
    moves_.push_back({last_running_, move_kind::step});
  }
  const bool stay = last_can && how_.preemptions >= 0 && preemptions_ >= how_.preemptions;
  for (int i = 0; i < threads && !stay; ++i) {
    if (i != last_running_ && can_go_on(i)) {
      moves_.push_back({i, move_kind::step});
    }
  }
  for (int i = 0; i < threads; ++i) {
    const fiber& one = fibers_[static_cast<std::size_t>(i)];
    if (one.signalled && !one.in_handler && one.state != fiber_state::finished &&
        (!stay || i == last_running_)) {
      moves_.push_back({i, move_kind::arrival});
    }
    if (memory_->can_drain(i)) {
      moves_.push_back({i, move_kind::drain});
    }
  }
  const bool others = !moves_.empty();
  for (int i = 0; i < threads; ++i) {
    const fiber& one = fibers_[static_cast<std::size_t>(i)];
    const bool by_time = one.state == fiber_state::waiting && one.timed && (how_.early_timeouts || !others);
    if (by_time || (one.yielded && !others)) {
      moves_.push_back({i, move_kind::step});
    }
  }
}

/// Threads are deterministic, so what they have read says where they are; with memory that is the state.
bool engine::seen_before() {
  std::uint64_t hash = memory_->hash(1);
  for (const fiber& one : fibers_) {
    hash = mix(mix(hash, one.history), static_cast<std::uint64_t>(one.state) * 16 +
                                           (one.signalled ? 8U : 0U) + (one.in_handler ? 4U : 0U) +
                                           (one.timed ? 2U : 0U) + (one.yielded ? 1U : 0U));
    hash = one.signalled ? mix(hash, one.told) : hash;
  }
  if (how_.preemptions >= 0) {
    hash =
        mix(hash, static_cast<std::uint64_t>(preemptions_) * 16 + static_cast<unsigned>(last_running_ + 1));
  }
  return !states_.insert(hash).second;
}

void engine::leave() {
  if (running_ >= 0) {
    running_ = -1;
    setcontext(&outside_);
  }
}

void engine::enter(int thread) {
  const int before = running_;
  running_ = last_running_ = thread;
  if (shown_ != thread) {
    show_memory(thread);
  }
  program_.switch_to(thread);
  if (before == thread) {
    return;
  }
  fiber& next = fibers_[static_cast<std::size_t>(thread)];
  ucontext_t* const from = before >= 0 ? &fibers_[static_cast<std::size_t>(before)].context : &outside_;
  swapcontext(from, &next.context);
}

/// Plain accesses in real sources find in memory what their thread would: its own waiting stores, its view.
void engine::show_memory(int thread) {
  shown_ = thread;
  for (unsigned i = 0; i < locations_.size(); ++i) {
    if (locations_[i].live) {
      show_location(i);
    }
  }
}

void engine::show_location(unsigned where) {
  const content value = memory_->seen_by(shown_, where);
  std::memcpy(locations_[where].address, value.words, locations_[where].bytes);
}

/// The running thread sees more of other locations only if it acquired something.
void engine::show_what_an_access_did(unsigned where, int order) {
  if (acquires(order) && how_.memory != memory_kind::tso) {
    show_memory(running_);
  } else {
    show_location(where);
  }
}

unsigned engine::decide(unsigned count) {
  if (count <= 1) {
    return 0;
  }
  if (replayed_ == choices_.size()) {
    choices_.push_back({0, count});
  }
  const unsigned made = choices_[replayed_].made;
  choices_[replayed_].count = count;
  ++replayed_;
  if (made >= count) {
    // Only if the model's threads are not deterministic, or if the choices are of another model.
    std::fprintf(stderr, "explorer: choice %zu cannot be repeated: %u of %u\n", replayed_ - 1, made, count);
    std::abort();
  }
  return made;
}

unsigned engine::choose(unsigned count) {
  const unsigned made = decide(count);
  trace("%d: chooses %u of %u\n", running_, made, count);
  self().history = mix(self().history, made);
  return made;
}

void engine::report(const char* message) {
  failed_ = true;
  if (message_.empty()) {
    message_ = message;
  }
  trace("%d: FAILS: %s\n", running_, message);
  if (running_ < 0) {
    throw failed_check{};
  }
  leave();
  std::abort();
}

void engine::finish() {
  trace("%d: ends\n", running_);
  self().state = fiber_state::finished;
  schedule();
  std::abort();
}

void engine::trace(const char* format, ...) {
  if (!tracing_) {
    return;
  }
  char line[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  trace_ += line;
}

}  // namespace explore
