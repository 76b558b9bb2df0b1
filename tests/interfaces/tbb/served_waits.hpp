// Waits in loops and in tasks for tasks that others start, which were started before, outside of these: whoever waits may
// be the last that could run one. Written for oneTBB's interface alone.
#ifndef NOPAL_TESTS_INTERFACES_TBB_SERVED_WAITS_HPP
#define NOPAL_TESTS_INTERFACES_TBB_SERVED_WAITS_HPP

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace served_waits {

/// How many of `count` waits saw their task run.
inline int run(int count) {
  std::vector<std::unique_ptr<tbb::task_group>> groups;
  std::vector<tbb::task_handle> put_off;
  std::atomic<int> over{0};
  std::atomic<int> seen{0};
  for (int i = 0; i != count; ++i) {
    groups.push_back(std::make_unique<tbb::task_group>());
    put_off.push_back(groups.back()->defer([&over] { ++over; }));
  }
  const auto serve = [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    groups[at]->run(std::move(put_off[at]));
  };
  const auto wait = [&](int i) {
    groups[static_cast<std::size_t>(i)]->wait();
    ++seen;
  };
  tbb::task_group group;
  for (int i = 0; i != count; ++i) group.run([&serve, i] { serve(i); });
  tbb::task_group waits;
  for (int i = 0; i < count; i += 2) waits.run([&wait, i] { wait(i); });
  tbb::parallel_for(0, count / 2, [&](int i) { wait(2 * i + 1); }, tbb::simple_partitioner());
  waits.wait();
  group.wait();
  return over == count ? seen.load() : -1;
}

}  // namespace served_waits

#endif
