// What the tests of reducers in tasks have in common.
#ifndef NOPAL_TESTS_TBB_REDUCERS_IN_TASKS_HPP
#define NOPAL_TESTS_TBB_REDUCERS_IN_TASKS_HPP

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <nopal/reducer.hpp>

#include "support/strands.hpp"

namespace reducers_in_tasks {

using sum_reducer = nopal::reducer<nopal::op_add<long>>;
using list_reducer = nopal::reducer<nopal::op_vector_append<int>>;

inline void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

inline int workers() { return tbb::this_task_arena::max_concurrency(); }

/// Runs `f` as a task of the group that somebody else has begun when this returns, if there is anybody.
template <class F>
inline void run_elsewhere(tbb::task_group& group, const F& f) {
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  group.run([begun, f] {
    *begun = true;
    f();
  });
  if (nopal::workers() != 1) wait_until(*begun);
}

/// No set of views is left over but that of this thread.
inline void check_no_set_is_left() {
  support::check_quiet_soon();
  NOPAL_CHECK(nopal::stats().view_sets_in_use <= 1);
}

inline std::vector<int> up_to(int end) {
  std::vector<int> all;
  for (int i = 0; i != end; ++i) all.push_back(i);
  return all;
}

inline void check_holds_each_once(list_reducer& list, int count) {
  std::vector<int> found = list.value();
  std::sort(found.begin(), found.end());
  NOPAL_CHECK(found == up_to(count));
}

inline void count_leaves(sum_reducer& sum, int depth) {
  if (depth == 0) {
    *sum += 1;
    return;
  }
  nopal::scope s;
  s.fork([&sum, depth] { count_leaves(sum, depth - 1); });
  count_leaves(sum, depth - 1);
  s.join();
}

}  // namespace reducers_in_tasks

#endif
