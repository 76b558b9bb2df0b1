#include "simulate/scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace simulate {
namespace {

picoseconds ps(double ns) { return std::llround(ns * 1000); }

}  // namespace

scheduler::scheduler(const costs& with, int workers, std::uint64_t seed)
    : publish_(ps(with.publish)), line_(ps(with.line)), workers_(static_cast<std::size_t>(workers)),
      agenda_(workers_.size()), fork_(ps(with.fork)), visible_(ps(with.visible)), steal_(ps(with.steal)),
      look_(ps(with.look)), yield_(ps(with.yield)), leave_(ps(with.leave)), resume_(ps(with.resume)),
      barrier_(ps(with.barrier)), interrupted_(ps(with.interrupted)), wake_(ps(with.wake)),
      wake_latency_(ps(with.wake_latency)), discard_(ps(with.discard)), refault_(ps(with.refault)),
      crowd_(workers_.size()), stacks_(workers), looks_at_once_(std::clamp(workers / 4, 1, 16)),
      sleepers_(workers - 1) {
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].random = seed_of(seed, i);
  worker& first = workers_.front();
  first.parked = false;
  first.stack = 0;
}

void scheduler::take_step() {
  const std::size_t next = agenda_.next();
  const picoseconds now = agenda_.moment(next);
  if (now == never) throw std::logic_error("everybody sleeps, and the program is not over");
  step(next, now);
}

void scheduler::step(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  switch (w.doing) {
  case activity::running:
    if (w.barriers_seen != barriers_) {
      const auto missed = static_cast<picoseconds>(barriers_ - w.barriers_seen);
      w.barriers_seen = barriers_;
      agenda_.set(self, now + missed * interrupted_);
      return;
    }
    end_strand(self, now);
    return;
  case activity::looking: look(self, now); return;
  case activity::raising: settle(self, now); return;
  case activity::parking: fall_asleep(self, now); return;
  case activity::dozing: second_look(self, now); return;
  case activity::waking: try_some_victims(self, now); return;
  case activity::sleeping: throw std::logic_error("a sleeper's turn");
  }
}

// --- running -----------------------------------------------------------------------------------------

void scheduler::start_at(std::size_t self, std::uint32_t strand, picoseconds now) {
  workers_[self].barriers_seen = barriers_;
  workers_[self].doing = activity::running;
  run_strand(self, strand, now);
}

picoseconds scheduler::push(std::size_t self, std::uint32_t fork, picoseconds now) {
  worker& w = workers_[self];
  w.deque.push(fork);
  note_size(self);
  now += fork_;
  return w.deque.poisoned() ? now + offer(self, now) : now;
}

bool scheduler::pop(std::size_t self, picoseconds& now) {
  switch (workers_[self].deque.pop()) {
  case deque::popped::stolen: return false;
  case deque::popped::publicly: now += line_; break;
  case deque::popped::privately: break;
  }
  note_size(self);
  return true;
}

void scheduler::poison_all() {
  for (worker& w : workers_) w.deque.poison();
}

/// The slow push. Returns what it costs.

picoseconds scheduler::offer(std::size_t self, picoseconds now) {
  if (workers_.size() == 1) {
    workers_[self].deque.unpoison();
    return 0;
  }
  const std::size_t published = workers_[self].deque.publish();
  if (published > 0) workers_[self].word_free_at = now + visible_;
  result_.publishes += published > 0 ? 1 : 0;
  return publish_ + wake_one(self, now);
}

void scheduler::finish_child(std::size_t self, std::uint32_t scope, picoseconds now) {
  worker& w = workers_[self];
  scope_state& of = scopes_[scope];
  if (stacks_.scope_of(w.stack) == scope) {
    now += put_back(w);
  } else if (of.unfinished != 1) {
    now += discarded(stacks_.retain(w.stack));
  }
  if (--of.unfinished == 0) {
    resume_at_home(self, scope, now + leave_);
  } else {
    find_work(self, now + leave_);
  }
}

void scheduler::arrive(std::size_t self, std::uint32_t scope, std::uint32_t strand, picoseconds now) {
  worker& w = workers_[self];
  scope_state& of = scopes_[scope];
  of.strand = strand;
  now += put_back(w);
  of.unfinished += of.steals;
  if (of.unfinished == 0) {
    resume_at_home(self, scope, now + leave_);
  } else {
    ++result_.suspensions;
    find_work(self, now + leave_);
  }
}

/// The strand's last stack holds nothing else: the worker keeps it, or the pool gets it.
picoseconds scheduler::put_back(worker& w) {
  if (w.spare != none) return discarded(stacks_.give(w.stack));
  stacks_.assign(w.stack, none);
  w.spare = w.stack;
  return 0;
}

picoseconds scheduler::discarded(bool happened) {
  result_.discards += happened ? 1 : 0;
  return happened ? discard_ : 0;
}

/// The scope's children are done, and its strand has arrived: it goes on.
void scheduler::resume_at_home(std::size_t self, std::uint32_t scope, picoseconds now) {
  scope_state& of = scopes_[scope];
  if (of.home == 0 && self != 0) {
    inbox_ = scope;
    find_work(self, now + unpark(0, now));
    return;
  }
  worker& w = workers_[self];
  clear(self);
  w.stack = of.home;
  if (stacks_.reuse(of.home)) now += refault_;
  of.steals = 0;
  start_at(self, of.strand, now + resume_);
}

void scheduler::clear(std::size_t self) {
  workers_[self].deque.reset();
  note_size(self);
}

// --- looking for work ------------------------------------------------------------------------------

void scheduler::find_work(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  w.stack = none;
  clear(self);
  w.looks_at_private_work = 0;
  w.quiet_rounds = 0;
  try_some_victims(self, now);
}

void scheduler::try_some_victims(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  w.doing = activity::looking;
  w.attempt = 0;
  w.promising = false;
  agenda_.set(self, now);
}

/// Some looks at once: those in vain, and one that meets somebody with work.
void scheduler::look(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  if (self == 0 && inbox_ != none) {
    const std::uint32_t scope = std::exchange(inbox_, none);
    resume_at_home(self, scope, now);
    return;
  }
  const int most = std::min(looks_at_once_, policy::looks_before_yield - w.attempt);
  const int in_vain = crowd_.looks_in_vain(most, w.random);
  if (in_vain > 0) now = spend_looks(w, in_vain, now);
  if (in_vain == most) {
    look_again(self, now);
    return;
  }
  const std::size_t chosen = crowd_.pick(w.random);
  worker& victim = workers_[chosen];
  if (victim.deque.raising() || (victim.deque.has_public() && now < victim.word_free_at)) {
    w.promising = true;
  } else if (victim.deque.has_public()) {
    start_stolen(self, chosen, now);
    return;
  } else {
    victim.deque.poison();
    w.promising = true;
    if (++w.looks_at_private_work >= policy::looks_before_force) {
      w.looks_at_private_work = 0;
      if (victim.deque.raise()) {
        w.victim = static_cast<std::uint32_t>(chosen);
        w.doing = activity::raising;
        agenda_.set(self, now + pass_barrier());
        return;
      }
    }
  }
  look_again(self, spend_looks(w, 1, now));
}

picoseconds scheduler::spend_looks(worker& w, int looks, picoseconds now) {
  w.attempt += looks;
  result_.failed_looks += static_cast<std::uint64_t>(looks);
  return now + looks * look_;
}

/// After looks that brought nothing.
void scheduler::look_again(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  if (w.attempt == policy::looks_before_yield) {
    w.quiet_rounds = w.promising ? 0 : w.quiet_rounds + 1;
    if (w.quiet_rounds > policy::yields_before_sleep) {
      park(self, now);
      return;
    }
    now += yield_;
    w.attempt = 0;
    w.promising = false;
  }
  agenda_.set(self, now);
}

void scheduler::settle(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  w.doing = activity::looking;
  if (workers_[w.victim].deque.settle()) ++result_.forced_publishes;
  look_again(self, spend_looks(w, 1, now));
}

picoseconds scheduler::pass_barrier() {
  ++barriers_;
  return barrier_;
}

void scheduler::start_stolen(std::size_t self, std::size_t chosen, picoseconds now) {
  worker& w = workers_[self];
  worker& victim = workers_[chosen];
  ++result_.steals;
  const std::uint32_t fork = victim.deque.steal();
  note_size(chosen);
  victim.word_free_at = now + line_;
  if (victim.deque.size() > 0) now += wake_one(self, now);
  const auto [scope, strand] = continuation_of(fork);
  scope_state& of = scopes_[scope];
  if (stacks_.scope_of(victim.stack) != scope) of.home = victim.stack;
  ++of.steals;
  bool touched = false;
  w.stack = w.spare != none ? std::exchange(w.spare, none) : stacks_.take(touched);
  stacks_.assign(w.stack, scope);
  start_at(self, strand, now + steal_ + (touched ? refault_ : 0));
}

// --- sleep -----------------------------------------------------------------------------------------

/// The worker that asks has nothing itself.
bool scheduler::work_in_sight(std::size_t self) const {
  return (self == 0 && inbox_ != none) || crowd_.any();
}

void scheduler::park(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  w.doing = activity::parking;
  w.parked = true;
  const bool is_first = sleepers_++ == 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (i != self) workers_[i].deque.poison();
  }
  // A line per worker to poison it, and one to look at it.
  const auto others = static_cast<picoseconds>(workers_.size() - 1);
  agenda_.set(self, now + (is_first ? pass_barrier() : 0) + 2 * others * line_);
}

bool scheduler::end_parking(worker& of) {
  if (!of.parked) return false;
  of.parked = false;
  --sleepers_;
  return true;
}

void scheduler::fall_asleep(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  w.quiet_rounds = 0;
  if (!w.parked || work_in_sight(self)) {
    end_parking(w);
    try_some_victims(self, now);
    return;
  }
  ++result_.parks;
  w.doing = activity::dozing;
  agenda_.set(self, now + ps(policy::second_look_ns));
}

void scheduler::second_look(std::size_t self, picoseconds now) {
  worker& w = workers_[self];
  if (work_in_sight(self)) {
    end_parking(w);
    try_some_victims(self, now);
    return;
  }
  w.doing = activity::sleeping;
  agenda_.set(self, never);
}

/// Returns what it costs the one that wakes.
picoseconds scheduler::unpark(std::size_t sleeper, picoseconds now) {
  worker& of = workers_[sleeper];
  if (!end_parking(of) || of.doing == activity::parking) return 0;
  of.doing = activity::waking;
  of.quiet_rounds = 0;
  agenda_.set(sleeper, now + wake_latency_);
  return wake_;
}

picoseconds scheduler::wake_one(std::size_t self, picoseconds now) {
  if (sleepers_ == 0) return 0;
  std::size_t place = self;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    place = place + 1 < workers_.size() ? place + 1 : 0;
    if (!workers_[place].parked) continue;
    ++result_.wakes;
    return unpark(place, now);
  }
  return 0;
}

}  // namespace simulate
