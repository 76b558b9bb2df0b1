// The library's scheduler without a machine below it: workers are threads of a model, stacks are names, and a strand
// that would be resumed is reported to the model instead.
#ifndef NOPAL_TESTS_EXPLORE_FAKE_RUNTIME_HPP
#define NOPAL_TESTS_EXPLORE_FAKE_RUNTIME_HPP

#include "models/redirect.hpp"
// The macros come first.
#include "scheduler/ending.hpp"
#include "scheduler/exceptions.hpp"
#include "scheduler/join.hpp"
#include "scheduler/new_process.hpp"
#include "scheduler/push.hpp"
#include "scheduler/roots.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/spare_stacks.hpp"
#include "scheduler/steal.hpp"

extern "C" {
[[noreturn]] void nopal_arrive_at_join(nopal_frame* frame, nopal::internal::worker* self) noexcept;
[[noreturn]] void nopal_finish_child(nopal_frame* frame, nopal::internal::worker* self,
                                     void* stack_pointer) noexcept;
int nopal_push_and_publish(nopal_frame* frame, nopal::internal::worker* self) noexcept;
int nopal_push_slow_path(nopal_frame* frame, nopal::internal::push_remainder rest) noexcept;
}

namespace explore {

/// What the world around the scheduler is like, and faults of it.
struct world_faults {
  bool spreads_woken = false;
  bool no_barrier_in_park = false;
  int barrier_refusals = 0;    ///< so many barriers of each worker the system may refuse
  bool no_wake = false;        ///< futexes are not woken
  const void* unseen[3] = {};  ///< locations that the look after the announcement finds unchanged
};

class scheduler_model : public model {
public:
  void set_up() override;
  void switch_to(int thread) override;
  /// A strand goes on at `frame`, on the calling thread, which ends after this.
  virtual void resumed(nopal_frame* /*frame*/) {}
  /// The same, with where on its stack; need not return.
  virtual void resumed_at(nopal_frame* frame, char* /*stack_pointer*/) { resumed(frame); }
  /// The worker of the calling thread goes back to where it entered its scheduler; need not return.
  virtual void leaves_scheduler() {}
  /// Whether a wait of so many nanoseconds ends by itself, as far as this model relies on it.
  [[nodiscard]] virtual bool passes(std::uint64_t /*ns*/) const { return true; }
  /// It has.
  virtual void passed(std::uint64_t /*ns*/) {}
  /// The calling thread's worker is about to look for work and wants a stack at hand. Null: there is none. Need not return.
  virtual nopal_stack* wants_stack() { return nullptr; }
  /// The stack goes to the pool.
  virtual void given(nopal_stack* stack) { touch(stack); }

  /// Somebody uses the stack, or its description.
  void touch(const nopal_stack* stack);
  void keep_off_cpu(int worker);
  void keep_off_other_cpu(int worker);
  void allow_cpu(int worker);
  bool is_kept_off_cpu(int worker);
  bool parked_before(int worker);
  bool barrier_refused(int worker);
  void park_begins();
  void park_sleeps();

  world_faults faults;

protected:
  static constexpr int most_workers = most_threads;
  static nopal::internal::worker workers[most_workers];
  static nopal_stack stacks[most_workers];
  bool settings_matter = false;  ///< what thieves are told of strands is part of the state
  bool table_grows = false;      ///< so is how many workers there are
  bool strands_matter = false;   ///< so is whether a worker runs one
  bool regions_matter = false;   ///< so is what short regions left undone
  /// Has the worker look for work with `stack` at hand. Without one it ends instead.
  void give_spare(int worker, nopal_stack* stack) { workers[worker].spare = stack; }

private:
  plain<int> touched_[most_workers];
  plain<int> kept_off_[most_workers];  // not 0: a waker keeps it off a CPU
  bool parked_[most_workers] = {};
  int refused_[most_workers] = {};
};

extern scheduler_model* the_scheduler_model;

}  // namespace explore

#endif
