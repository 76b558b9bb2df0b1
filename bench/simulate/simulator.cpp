#include "simulate/simulator.hpp"

#include <vector>

#include "simulate/scheduler.hpp"

namespace simulate {
namespace {

using recording::event;
using recording::event_kind;

/// A strand is known by the event that ends it, and a fork by itself.
class simulation final : scheduler {
public:
  simulation(const recording::graph& of, const costs& with, int workers, std::uint64_t seed)
      : scheduler(with, workers, seed), events_(of.events) {
    scopes_.resize(of.scopes);
    workers_.front().doing = activity::running;
    run_strand(0, 0, 0);
  }

  outcome run() {
    while (!finished_) take_step();
    return result_;
  }

private:
  [[nodiscard]] continuation continuation_of(std::uint32_t fork) const override {
    return {events_[fork].scope, events_[fork].partner + 1};
  }

  void run_strand(std::size_t self, std::uint32_t strand, picoseconds now) override {
    workers_[self].strand = strand;
    agenda_.set(self, now + events_[strand].work());
  }

  void end_strand(std::size_t self, picoseconds now) override {
    const std::uint32_t strand = workers_[self].strand;
    const event& at = events_[strand];
    switch (at.kind()) {
    case event_kind::fork: run_strand(self, strand + 1, push(self, strand, now)); return;
    case event_kind::end:
      if (at.partner == none) {
        finished_ = true;
        result_.time = now;
      } else if (pop(self, now)) {
        run_strand(self, strand + 1, now);
      } else {
        finish_child(self, at.scope, now);
      }
      return;
    case event_kind::join:
      if (scopes_[at.scope].steals == 0) {
        run_strand(self, strand + 1, now);
      } else {
        arrive(self, at.scope, strand + 1, now);
      }
      return;
    }
  }

  const std::vector<event>& events_;
  bool finished_ = false;
};

}  // namespace

outcome run(const recording::graph& of, const costs& with, int workers, std::uint64_t seed) {
  return simulation(of, with, workers, seed).run();
}

}  // namespace simulate
