#include "simulate/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "simulate/agenda.hpp"
#include "simulate/crowd.hpp"
#include "simulate/stacks.hpp"
#include "simulate/worker.hpp"

namespace simulate {
namespace {

using recording::event;
using recording::event_kind;
using recording::none;

picoseconds ps(double ns) { return std::llround(ns * 1000); }

class simulation {
public:
  simulation(const recording::graph& of, const costs& with, int workers, std::uint64_t seed)
      : events_(of.events), fork_(ps(with.fork)), publish_(ps(with.publish)), visible_(ps(with.visible)),
        steal_(ps(with.steal)), look_(ps(with.look)), yield_(ps(with.yield)), leave_(ps(with.leave)),
        resume_(ps(with.resume)), line_(ps(with.line)), barrier_(ps(with.barrier)),
        interrupted_(ps(with.interrupted)), wake_(ps(with.wake)), wake_latency_(ps(with.wake_latency)),
        discard_(ps(with.discard)), refault_(ps(with.refault)), workers_(static_cast<std::size_t>(workers)),
        scopes_(of.scopes), agenda_(workers_.size()), crowd_(workers_.size()), stacks_(workers),
        looks_at_once_(std::clamp(workers / 4, 1, 16)), sleepers_(workers - 1) {
    for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].random = seed_of(seed, i);
    worker& first = workers_.front();
    first.parked = false;
    first.stack = 0;
    continue_at(0, 0, 0);
  }

  outcome run() {
    while (!finished_) {
      const std::size_t next = agenda_.next();
      const picoseconds now = agenda_.moment(next);
      if (now == never) throw std::logic_error("everybody sleeps, and the program is not over");
      step(next, now);
    }
    return result_;
  }

private:
  void step(std::size_t self, picoseconds now) {
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

  // --- running ---------------------------------------------------------------------------------------

  /// The worker runs the strand that ends with the event at `position`.
  void continue_at(std::size_t self, std::uint32_t position, picoseconds now) {
    worker& w = workers_[self];
    w.doing = activity::running;
    w.position = position;
    agenda_.set(self, now + events_[position].work());
  }
  void start_at(std::size_t self, std::uint32_t position, picoseconds now) {
    workers_[self].barriers_seen = barriers_;
    continue_at(self, position, now);
  }

  void end_strand(std::size_t self, picoseconds now) {
    worker& w = workers_[self];
    const event& at = events_[w.position];
    switch (at.kind()) {
    case event_kind::fork:
      w.deque.push(w.position);
      note_size(self);
      now += fork_;
      if (w.deque.poisoned()) now += offer(self, now);
      continue_at(self, w.position + 1, now);
      return;
    case event_kind::end:
      if (at.partner == none) {
        finished_ = true;
        result_.time = now;
        return;
      }
      switch (w.deque.pop()) {
      case deque::popped::stolen: finish_child(self, at.scope, now); return;
      case deque::popped::publicly: now += line_; break;
      case deque::popped::privately: break;
      }
      note_size(self);
      continue_at(self, w.position + 1, now);
      return;
    case event_kind::join:
      if (scopes_[at.scope].steals == 0) {
        continue_at(self, w.position + 1, now);
      } else {
        arrive(self, at.scope, now);
      }
      return;
    }
  }

  /// The slow push. Returns what it costs.
  picoseconds offer(std::size_t self, picoseconds now) {
    if (workers_.size() == 1) {
      workers_[self].deque.unpoison();
      return 0;
    }
    const std::size_t published = workers_[self].deque.publish();
    if (published > 0) workers_[self].word_free_at = now + visible_;
    result_.publishes += published > 0 ? 1 : 0;
    return publish_ + wake_one(self, now);
  }

  void finish_child(std::size_t self, std::uint32_t scope, picoseconds now) {
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

  void arrive(std::size_t self, std::uint32_t scope, picoseconds now) {
    worker& w = workers_[self];
    scope_state& of = scopes_[scope];
    of.join = w.position;
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
  picoseconds put_back(worker& w) {
    if (w.spare != none) return discarded(stacks_.give(w.stack));
    stacks_.assign(w.stack, none);
    w.spare = w.stack;
    return 0;
  }
  picoseconds discarded(bool happened) {
    result_.discards += happened ? 1 : 0;
    return happened ? discard_ : 0;
  }

  /// The scope's children are done, and its strand has arrived: it goes on.
  void resume_at_home(std::size_t self, std::uint32_t scope, picoseconds now) {
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
    start_at(self, of.join + 1, now + resume_);
  }

  void note_size(std::size_t of) { crowd_.set(of, workers_[of].deque.size() > 0); }
  void clear(std::size_t self) {
    workers_[self].deque.reset();
    note_size(self);
  }

  // --- looking for work ------------------------------------------------------------------------------

  void find_work(std::size_t self, picoseconds now) {
    worker& w = workers_[self];
    w.stack = none;
    clear(self);
    w.looks_at_private_work = 0;
    w.quiet_rounds = 0;
    try_some_victims(self, now);
  }
  void try_some_victims(std::size_t self, picoseconds now) {
    worker& w = workers_[self];
    w.doing = activity::looking;
    w.attempt = 0;
    w.promising = false;
    agenda_.set(self, now);
  }

  /// Some looks at once: those in vain, and one that meets somebody with work.
  void look(std::size_t self, picoseconds now) {
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

  picoseconds spend_looks(worker& w, int looks, picoseconds now) {
    w.attempt += looks;
    result_.failed_looks += static_cast<std::uint64_t>(looks);
    return now + looks * look_;
  }

  /// After looks that brought nothing.
  void look_again(std::size_t self, picoseconds now) {
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

  void settle(std::size_t self, picoseconds now) {
    worker& w = workers_[self];
    w.doing = activity::looking;
    if (workers_[w.victim].deque.settle()) ++result_.forced_publishes;
    look_again(self, spend_looks(w, 1, now));
  }

  picoseconds pass_barrier() {
    ++barriers_;
    return barrier_;
  }

  void start_stolen(std::size_t self, std::size_t chosen, picoseconds now) {
    worker& w = workers_[self];
    worker& victim = workers_[chosen];
    ++result_.steals;
    const std::uint32_t fork = victim.deque.steal();
    note_size(chosen);
    victim.word_free_at = now + line_;
    if (victim.deque.size() > 0) now += wake_one(self, now);
    const std::uint32_t scope = events_[fork].scope;
    scope_state& of = scopes_[scope];
    if (stacks_.scope_of(victim.stack) != scope) of.home = victim.stack;
    ++of.steals;
    bool touched = false;
    w.stack = w.spare != none ? std::exchange(w.spare, none) : stacks_.take(touched);
    stacks_.assign(w.stack, scope);
    start_at(self, events_[fork].partner + 1, now + steal_ + (touched ? refault_ : 0));
  }

  // --- sleep -----------------------------------------------------------------------------------------

  /// The worker that asks has nothing itself.
  [[nodiscard]] bool work_in_sight(std::size_t self) const {
    return (self == 0 && inbox_ != none) || crowd_.any();
  }

  void park(std::size_t self, picoseconds now) {
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
  bool end_parking(worker& of) {
    if (!of.parked) return false;
    of.parked = false;
    --sleepers_;
    return true;
  }
  void fall_asleep(std::size_t self, picoseconds now) {
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
  void second_look(std::size_t self, picoseconds now) {
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
  picoseconds unpark(std::size_t sleeper, picoseconds now) {
    worker& of = workers_[sleeper];
    if (!end_parking(of) || of.doing == activity::parking) return 0;
    of.doing = activity::waking;
    of.quiet_rounds = 0;
    agenda_.set(sleeper, now + wake_latency_);
    return wake_;
  }
  picoseconds wake_one(std::size_t self, picoseconds now) {
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

  const std::vector<event>& events_;
  picoseconds fork_, publish_, visible_, steal_, look_, yield_, leave_, resume_, line_, barrier_,
      interrupted_, wake_, wake_latency_, discard_, refault_;
  std::vector<worker> workers_;
  std::vector<scope_state> scopes_;
  agenda agenda_;
  crowd crowd_;
  stack_pool stacks_;
  int looks_at_once_;  ///< of a thief: more where there are more to look at, for the sake of speed
  int sleepers_;
  std::uint32_t inbox_ = none;  ///< a scope of the program's own thread, ready to go on
  std::uint64_t barriers_ = 0;
  bool finished_ = false;
  outcome result_;
};

}  // namespace

outcome run(const recording::graph& of, const costs& with, int workers, std::uint64_t seed) {
  return simulation(of, with, workers, seed).run();
}

}  // namespace simulate
