// The scheduler as simulations see it: workers, deques, thieves, joins and sleepers, each step at one moment with what it
// costs put behind it. What the workers run is known to whoever derives from it, by numbers: a recorded graph
// (simulator.cpp), or a program (searches/virtual/machine.hpp).
//
// It follows src/scheduler step by step; docs/simulation.md says what is left out.
#ifndef NOPAL_BENCH_SIMULATE_SCHEDULER_HPP
#define NOPAL_BENCH_SIMULATE_SCHEDULER_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/agenda.hpp"
#include "simulate/costs.hpp"
#include "simulate/crowd.hpp"
#include "simulate/stacks.hpp"
#include "simulate/worker.hpp"

namespace simulate {

/// What happened in one simulated run, and its time.
struct outcome {
  picoseconds time = 0;
  std::uint64_t steals = 0;
  std::uint64_t failed_looks = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t publishes = 0;
  std::uint64_t forced_publishes = 0;
  std::uint64_t parks = 0;
  std::uint64_t wakes = 0;
  std::uint64_t discards = 0;
};

class scheduler {
public:
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

protected:
  /// All workers but the program's own, the first, sleep. That one is to be given its strand by `begin`.
  scheduler(const costs& with, int workers, std::uint64_t seed);
  ~scheduler() = default;

  /// What a thief takes with an entry of a deque.
  struct continuation {
    std::uint32_t scope;
    std::uint32_t strand;
  };
  [[nodiscard]] virtual continuation continuation_of(std::uint32_t fork) const = 0;
  /// The worker runs the strand from then on: `agenda_` is to say when its next event is.
  virtual void run_strand(std::size_t self, std::uint32_t strand, picoseconds now) = 0;
  /// The moment of the next event of the strand that the worker runs.
  virtual void end_strand(std::size_t self, picoseconds now) = 0;

  /// The next step of whoever is the earliest. Throws std::logic_error where nobody ever is.
  void take_step();

  // --- what running strands do; each returns when the worker is done with it ---------------------------

  /// The continuation of `fork` may be stolen from here on.
  picoseconds push(std::size_t self, std::uint32_t fork, picoseconds now);
  /// After a child: takes its continuation back, to be run from `now` on. False if that was stolen.
  bool pop(std::size_t self, picoseconds& now);
  /// After a child whose continuation was stolen: the worker looks for something else.
  void finish_child(std::size_t self, std::uint32_t scope, picoseconds now);
  /// At a join of a scope that was stolen from: `strand` goes on once all children are done.
  void arrive(std::size_t self, std::uint32_t scope, std::uint32_t strand, picoseconds now);
  /// Every worker's next push is a slow one.
  void poison_all();

  picoseconds publish_, line_;
  std::vector<worker> workers_;
  std::vector<scope_state> scopes_;
  agenda agenda_;
  outcome result_;

private:
  void step(std::size_t self, picoseconds now);

  void start_at(std::size_t self, std::uint32_t strand, picoseconds now);
  picoseconds offer(std::size_t self, picoseconds now);
  picoseconds put_back(worker& w);
  picoseconds discarded(bool happened);
  void resume_at_home(std::size_t self, std::uint32_t scope, picoseconds now);
  void note_size(std::size_t of) { crowd_.set(of, workers_[of].deque.size() > 0); }
  void clear(std::size_t self);

  void find_work(std::size_t self, picoseconds now);
  void try_some_victims(std::size_t self, picoseconds now);
  void look(std::size_t self, picoseconds now);
  picoseconds spend_looks(worker& w, int looks, picoseconds now);
  void look_again(std::size_t self, picoseconds now);
  void settle(std::size_t self, picoseconds now);
  picoseconds pass_barrier();
  void start_stolen(std::size_t self, std::size_t chosen, picoseconds now);

  [[nodiscard]] bool work_in_sight(std::size_t self) const;
  void park(std::size_t self, picoseconds now);
  bool end_parking(worker& of);
  void fall_asleep(std::size_t self, picoseconds now);
  void second_look(std::size_t self, picoseconds now);
  picoseconds unpark(std::size_t sleeper, picoseconds now);
  picoseconds wake_one(std::size_t self, picoseconds now);

  picoseconds fork_, visible_, steal_, look_, yield_, leave_, resume_, barrier_, interrupted_, wake_,
      wake_latency_, discard_, refault_;
  crowd crowd_;
  stack_pool stacks_;
  int looks_at_once_;  ///< of a thief: more where there are more to look at, for the sake of speed
  int sleepers_;
  std::uint32_t inbox_ = none;  ///< a scope of the program's own thread, ready to go on
  std::uint64_t barriers_ = 0;
};

}  // namespace simulate

#endif
