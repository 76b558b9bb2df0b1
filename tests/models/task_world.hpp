// The world of tasks, their waits, and pinned calls, which are real code: threads of the program that are workers or not, and
// threads of the pool.
#ifndef NOPAL_TESTS_EXPLORE_TASK_WORLD_HPP
#define NOPAL_TESTS_EXPLORE_TASK_WORLD_HPP

#include "models/fake_runtime.hpp"

namespace explore {

class task_world : public scheduler_model {
public:
  explicit task_world(const char* threads) : kinds_(threads) {}
  [[nodiscard]] int threads() const override { return static_cast<int>(std::strlen(kinds_)); }
  void set_up() override;
  void switch_to(int thread) override;
  void leaves_scheduler() override;
  /// Naps do not end by themselves: nobody is to rely on that.
  [[nodiscard]] bool passes(std::uint64_t ns) const override { return ns == 1'000'000; }

  void set_worker(nopal::internal::worker* self);
  /// A worker to be nested in the calling thread's.
  nopal::internal::worker* nested_worker();
  void call_scheduler(nopal::internal::worker* self);
  void locked(nopal::internal::task_list* list);
  void unlocked(nopal::internal::task_list* list);

protected:
  [[nodiscard]] bool is(int thread, char kind) const { return kinds_[thread] == kind; }
  [[nodiscard]] bool is_of_pool(int thread) const { return is(thread, 'p') || is(thread, 'a'); }
  /// May give a nested worker a deque, and name that and what else matters of it.
  virtual void name_nested(nopal::internal::worker& /*one*/) {}
  /// Lists whose contents are part of the state, beside those of threads.
  virtual std::uint64_t arenas_content() { return 0; }
  static std::uint64_t content_of(const nopal_task* oldest);

  static nopal::internal::worker nested_[most_workers];
  static nopal::internal::worker deeper_[most_workers];  // nested in those
  nopal::internal::worker* looked_at = nullptr;          // its deque, inbox and task are not ignored

private:
  std::uint64_t content_of(const nopal::internal::task_list& list);
  plain<std::uint64_t>& shadow_of(const nopal::internal::task_list* list);

  const char* kinds_;  // w: a worker, s: a stranger, p: of the pool
  nopal_deque* current_[most_workers] = {};
  plain<std::uint64_t> shadows_[most_workers + 2];  // of lists, as their lock's last holder left them
  void* ways_out_[most_workers][5] = {};
  bool calls_scheduler_[most_workers] = {};
};

extern task_world* the_task_world;

}  // namespace explore

#endif
