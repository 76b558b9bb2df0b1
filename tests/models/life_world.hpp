// The real start, stop and adoption, without a machine below them: threads of the pool are threads of a model, stacks are
// names, and a strand that would be resumed is reported to the model instead.
#ifndef NOPAL_TESTS_EXPLORE_LIFE_WORLD_HPP
#define NOPAL_TESTS_EXPLORE_LIFE_WORLD_HPP

#include "models/redirect.hpp"
// The macros come first.
#include "scheduler/push.hpp"
#include "scheduler/runtime.hpp"
#include "scheduler/sleep.hpp"
#include "scheduler/steal.hpp"

extern "C" {
int nopal_push_and_publish(nopal_frame* frame, nopal::internal::worker* self) noexcept;
int nopal_push_slow_path(nopal_frame* frame, nopal::internal::push_remainder rest) noexcept;
}

namespace explore {

/// What the system and the threads of one execution are like. Fields by thread are written by that thread, or under the
/// runtime's lock.
class life_world : public model {
public:
  ~life_world() override;
  void set_up() override;
  void switch_to(int thread) override;
  [[nodiscard]] bool tries_each_draw() const override { return true; }  // of victims

  /// A strand goes on at `frame`, on the calling thread, which looks for work once this returns.
  virtual void resumed(nopal_frame* frame) = 0;
  /// The stack that it ran on is given back.
  virtual void over(nopal_frame* frame) = 0;

  // For what stands in for the system.
  void set_worker(nopal::internal::worker* self);
  [[nodiscard]] nopal::internal::worker* worker_of_this() const { return workers_[acting_]; }
  nopal::internal::exception_state* exceptions() { return &states_[acting_]; }
  int start_thread(void (*entry)(void*), void* argument, std::uintptr_t& handle);
  void join_thread(std::uintptr_t handle);
  void stacks_start();
  void stacks_stop();
  nopal_stack* stack_of_this();
  void touch(const nopal_stack* stack);
  bool parks_again();
  void keep_end(void (*at_end)(void*)) { at_end_ = at_end; }
  bool keep_value(void* value);
  [[nodiscard]] nopal::internal::settings asked() const;
  [[nodiscard]] bool is_pool_thread() const { return acting_ >= program_threads; }
  [[nodiscard]] bool first_thread_ends() const { return first_thread_over; }
  [[nodiscard]] int thread_number() const { return acting_ + 1; }
  void** way_out() { return ways_out_[acting_]; }
  void name_worker(nopal::internal::worker* made);

protected:
  int program_threads = 1;   ///< the others are the pool's, in the order in which they are started
  int pool_threads = 1;      ///< of each life of the runtime
  int lives = 1;             ///< of the runtime
  int adopted_at_first = 0;  ///< the runtime runs, and so many threads of the program are workers
  int substitutes = 0;       ///< of strands that block, in all lives
  bool poisoned_at_first = true;
  int threads_granted = 100;       ///< the system refuses more
  int values_granted = 100;        ///< the system refuses room for more values of a key
  bool watch_strands = false;      ///< what stack a worker runs on matters
  bool watch_holds = false;        ///< who holds the stacks matters
  bool first_thread_over = false;  ///< before the others

  [[nodiscard]] int threads() const override { return program_threads + lives * pool_threads + substitutes; }
  /// What the program runs on a thread of the pool that ends.
  virtual void last_destructors(int thread) = 0;
  /// Of a thread of the pool: waits until it is started, and is it.
  void be_pool_thread(int thread);
  /// A thread's end, after which its exception state is gone.
  void end_thread();
  [[nodiscard]] const nopal::internal::worker* worker_of(int thread) const { return workers_[thread]; }
  [[nodiscard]] bool pool_is_over() const;  ///< no thread of the pool that was started runs any more
  [[nodiscard]] int lives_now() const { return stack_starts_ - stack_stops_; }

private:
  struct pool_thread {
    void (*entry)(void*);
    void* argument;
    std::uint32_t not_started, not_over;  // gates
    bool over;                            // by itself
  };
  pool_thread pool_[most_threads] = {};
  int started_ = 0;
  int workers_made_ = 0;
  int acting_ = 0;
  nopal::internal::worker* workers_[most_threads] = {};
  void* ways_out_[most_threads][5] = {};  // of __builtin_setjmp
  nopal::internal::exception_state states_[most_threads] = {};
  void* values_[most_threads] = {};
  int values_kept_ = 0;
  void (*at_end_)(void*) = nullptr;
  bool parked_[most_threads] = {};
  int stack_starts_ = 0;
  int stack_stops_ = 0;
  nopal_stack stacks_[most_threads] = {};
  plain<int> used_[most_threads];  // each stack
  char memory_[1024] = {};
};

extern life_world* the_life_world;

}  // namespace explore

#endif
