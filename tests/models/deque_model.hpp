// The split deque, real code, between its owner and some thieves that follow scripts.
#ifndef NOPAL_TESTS_EXPLORE_DEQUE_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_DEQUE_MODEL_HPP

#include <nopal/detail/frame.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

enum class deque_fault {
  none,
  no_barrier,       ///< a forced publish passes no process-wide barrier
  no_new_version,   ///< the owner takes public entries back under the old version
  no_raising,       ///< a forced publish raises split without saying that it is not settled
  pop_relaxed,      ///< the store of `bottom` by a pop releases nothing
  push_relaxed,     ///< the store of `bottom` releases nothing
  bottom_relaxed,   ///< the look at `bottom` acquires nothing
  install_relaxed,  ///< the store of a grown array's address releases nothing
  slots_relaxed,    ///< the load of the array's address acquires nothing
  raise_kept,       ///< a push that is to publish everything leaves that to a thief that forces some
};

struct deque_scenario {
  /// + push, - pop, as the function that forks does it; ! starts anew with an empty deque, as the scheduler does;
  /// { enters a handler, } leaves it.
  std::string owner;
  /// Per thief: s steal, f force a publish, r the same without a barrier since the system refuses it, p poison the limit;
  /// k forces one that asks whether the entries in question were pushed in handlers, and not whether the owner is in one.
  std::vector<std::string> thieves;
  int pushed = 0;                ///< entries at the start
  int published = 0;             ///< of them
  std::int32_t capacity = 8;     ///< of the first slots
  std::int32_t first = 0;        ///< so many places were left behind at the start
  bool poisoned = false;         ///< the limit at the start; for good, if `without_barrier`
  bool without_barrier = false;  ///< the system has none: every push publishes everything
  bool shows_pops =
      false;  ///< every push publishes everything, and the owner sees every pop; `poisoned` at the start
  deque_fault fault = deque_fault::none;
};

/// Each entry is taken once or still there at the end; who takes one sees what was written before its push, the strand
/// that it was pushed by, and the handler that it was pushed in: if that is one, the slot is tagged.
class deque_model final : public model {
public:
  explicit deque_model(deque_scenario with) : with_(std::move(with)) {}
  [[nodiscard]] int threads() const override { return 1 + static_cast<int>(with_.thieves.size()); }
  void set_up() override;
  void run(int thread) override;
  void check() override;

  int push_slowly(nopal_frame* frame);
  static bool in_no_handler(void* self);
  bool pop_slowly(nopal_deque& deque);

private:
  static constexpr int most_entries = 12;
  struct entry {
    plain<int> content;   // the strand that pushed it
    plain<int> handler;   // that it was pushed in; 0: none
    plain<int> recorded;  // the same, for thieves; valid if the slot is tagged
    int taken;            // how often; by its takers
  };

  void own();
  void steal_by_script(int thief, const std::string& script);
  void push();
  void pop();
  void start_anew();
  void enter_handler();
  void leave_handler();
  void record(nopal_frame*& slot);
  bool are_of_no_handler();
  void steal(int thief);
  void force(char how);
  [[nodiscard]] nopal_frame* frame_of(int number);
  entry& entry_of(nopal_frame* frame);

  // What nopal_push finds behind a deque: no scheduler stack, so that the slow push stays on this one.
  struct bare_worker {
    nopal_deque deque;
    void* scheduler_stack_pointer;
  };

  deque_scenario with_;
  alignas(64) bare_worker worker_{};
  entry entries_[most_entries];
  std::vector<int> in_deque_;  // by the owner's count, oldest first
  int pushed_ = 0;
  int slow_pops_ = 0;
  int strand_ = 0;
  int caught_ = 0;    // what the C++ runtime has: the handler that the owner is in; read by thieves
  int handlers_ = 0;  // the owner's own count
};

}  // namespace explore

#endif
