// A program run in virtual time: its strands are fibers of one thread, and the workers that run them are those of the
// simulated scheduler (simulate/scheduler.hpp), which decides at each moment which fiber goes on. Strands take time by
// the nodes that they count, and by nothing else, so what comes out depends on the settings alone.
//
// Continuation stealing: a fork's child runs at once, on a fiber of its own, and the forker's fiber is what thieves take.
// A strand's deeds are seen by others from the beginning of the stretch of nodes that it is in, so up to a stretch too
// early, but for stops, forks and ends, which have their moment. Children must not throw.
#ifndef NOPAL_BENCH_SEARCHES_VIRTUAL_MACHINE_HPP
#define NOPAL_BENCH_SEARCHES_VIRTUAL_MACHINE_HPP

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include "simulate/scheduler.hpp"

namespace virtual_time {

using recording::none;
using simulate::picoseconds;

struct settings {
  int workers = 1;
  std::uint64_t seed = 1;
  double ns_per_node = 10;
  simulate::costs costs{};
  double stretch_ns = 1000;  ///< of the nodes that a strand counts at most before others have their turn
};

/// A part of the program that may be stopped, in the frame of the function that began it.
struct stop_part {
  stop_part* around = nullptr;
  bool is_requested = false;

  [[nodiscard]] bool is_stopped() const {
    for (const stop_part* part = this; part != nullptr; part = part->around)
      if (part->is_requested) return true;
    return false;
  }
};

class machine final : simulate::scheduler {
public:
  /// It is the one of this thread from here on, and the caller the program's first strand. One at a time.
  explicit machine(const settings& with);
  ~machine();

  /// The one that the calling strand runs on.
  [[nodiscard]] static machine& current() { return *current_; }

  /// The strand has looked at so many nodes more.
  void count_nodes(std::uint64_t count) {
    nodes_ += count;
    if (nodes_ >= stretch_) pass_time();
  }
  /// Lets the time pass that the strand's nodes take, with others doing what they do meanwhile.
  void pass_time();
  /// The moment, with all nodes so far behind it.
  [[nodiscard]] picoseconds now();

  /// Calls `body()`, or what was moved out of it, as a child. `scope` is none before a scope's first fork and after its
  /// join. Where the strand is to stop nothing is called.
  template <class Body>
  void fork(std::uint32_t& scope, Body body) {
    if (begin_fork(scope)) enter_child(scope, &run_child<Body>, &body);
  }
  void join(std::uint32_t& scope);

  void enter_part(stop_part& part);
  void leave_part(const stop_part& part) { fibers_[running_].part = part.around; }
  /// False if it was stopped before.
  bool stop(stop_part& part);
  [[nodiscard]] bool is_stopped();

  [[nodiscard]] const simulate::outcome& counts() const { return result_; }

private:
  struct fiber {
    ucontext_t context{};
    void* stack = nullptr;  ///< none: the thread's own
    void (*entry)(void* body) = nullptr;
    void* body = nullptr;
    std::uint32_t scope = none;      ///< that it forks on
    std::uint32_t forked_in = none;  ///< the scope that it is a child of
    std::uint32_t forked_by = none;  ///< the fiber that goes on after it, if nobody else takes that
    stop_part* part = nullptr;       ///< the innermost
  };

  [[nodiscard]] continuation continuation_of(std::uint32_t fork) const override {
    return {fibers_[fork].scope, fork};
  }
  void run_strand(std::size_t self, std::uint32_t strand, picoseconds now) override {
    workers_[self].strand = strand;
    agenda_.set(self, now);
  }
  void end_strand(std::size_t self, picoseconds /*now*/) override { turn_ = self; }

  [[nodiscard]] picoseconds moment() const { return agenda_.moment(self_); }
  bool begin_fork(std::uint32_t& scope);
  void enter_child(std::uint32_t scope, void (*entry)(void*), void* body);
  void end_child();
  void go_on();
  void switch_to(std::uint32_t next);
  [[nodiscard]] std::uint32_t take_fiber();
  static void live() noexcept;

  /// The forker's frame, in which the body is, may go on once the child lets others have their turn.
  template <class Body>
  static void run_child(void* body) {
    Body own(std::move(*static_cast<Body*>(body)));
    current().go_on();
    own();
  }

  static machine* current_;

  const picoseconds node_;
  const std::uint64_t stretch_;
  std::uint64_t nodes_ = 0;    ///< counted, and their time has not passed yet
  std::size_t self_ = 0;       ///< the worker that runs
  std::size_t turn_ = 0;       ///< the worker whose strand's moment has come
  std::uint32_t running_ = 0;  ///< its fiber
  std::deque<fiber> fibers_;   ///< the first is the caller
  std::vector<std::uint32_t> free_fibers_;
  std::vector<std::uint32_t> free_scopes_;
};

}  // namespace virtual_time

#endif
