// Random waits for tasks that others start: in groups, graphs and loops, in an arena or in none, for tasks that groups, graphs of
// here and of elsewhere, and what is enqueued start. Each task is to be started before it is waited for, and as few waits as leave
// one thread of the arena to run what is enqueued are for that. Written for oneTBB's interface alone: WAITS_CHECK ends the program where
// something does not hold.
#ifndef NOPAL_TESTS_INTERFACES_TBB_RANDOM_WAITS_HPP
#define NOPAL_TESTS_INTERFACES_TBB_RANDOM_WAITS_HPP

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "../../support/random_numbers.hpp"

namespace random_waits {

using support::mix;
using support::number;

/// Groups with a task each that somebody is to run.
class items {
public:
  explicit items(int count) {
    for (int i = 0; i != count; ++i) {
      groups_.push_back(std::make_unique<tbb::task_group>());
      put_off_.push_back(groups_.back()->defer([this] { ++over_; }));
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(groups_.size()); }
  void serve(int i) {
    const auto at = static_cast<std::size_t>(i);
    groups_[at]->run(std::move(put_off_[at]));
  }
  void wait(int i) { groups_[static_cast<std::size_t>(i)]->wait(); }
  [[nodiscard]] bool are_over() const { return over_ == count(); }

private:
  std::vector<std::unique_ptr<tbb::task_group>> groups_;
  std::vector<tbb::task_handle> put_off_;
  std::atomic<int> over_{0};
};

class graph {
public:
  explicit graph(items& of)
      : serve_(graph_, tbb::flow::unlimited,
               [&of](int i) {
                 of.serve(i);
                 return i;
               }),
        wait_(graph_, tbb::flow::unlimited, [&of](int i) {
          of.wait(i);
          return i;
        }) {}
  void serve(int i) { serve_.try_put(i); }
  void wait_for(int i) { wait_.try_put(i); }
  void wait() { graph_.wait_for_all(); }

private:
  tbb::flow::graph graph_;
  tbb::flow::function_node<int, int> serve_;
  tbb::flow::function_node<int, int> wait_;
};

/// In the caller's arena; `around` was made outside of that if it is not the one of all.
inline void run_here(number seed, items& all, graph& around, bool is_in_arena, int most_enqueued) {
  tbb::task_group serving;
  tbb::task_group waits;
  graph here(all);
  tbb::task_arena other(2);
  for (int i = 0; i != all.count(); ++i) {
    const number kind = mix(seed + static_cast<number>(i)) % 8;
    const bool needs_thread = kind > 3 || (kind == 2 && is_in_arena);
    if (kind < 2 || (needs_thread && most_enqueued == 0)) {
      serving.run([&all, i] { all.serve(i); });
      continue;
    }
    most_enqueued -= needs_thread ? 1 : 0;
    switch (kind) {
    case 2: around.serve(i); break;
    case 3: here.serve(i); break;
    case 4:
    case 5: tbb::this_task_arena::enqueue([&all, i] { all.serve(i); }); break;
    case 6: tbb::this_task_arena::enqueue(serving.defer([&all, i] { all.serve(i); })); break;
    default: other.enqueue([&all, i] { all.serve(i); }); break;
    }
  }
  std::vector<int> by_loop;
  for (int i = 0; i != all.count(); ++i) {
    switch (mix(seed - static_cast<number>(i)) % 5) {
    case 0:
      (is_in_arena ? here : around).wait_for(i);
      break;  // perhaps nobody would run here what that waits for
    case 1: here.wait_for(i); break;
    case 2: by_loop.push_back(i); break;
    default: waits.run([&all, i] { all.wait(i); }); break;
    }
  }
  const auto wait_in_loop = [&] {
    tbb::parallel_for(
        std::size_t{0}, by_loop.size(), [&](std::size_t i) { all.wait(by_loop[i]); },
        tbb::simple_partitioner());
  };
  if (seed % 2 != 0) wait_in_loop();
  waits.wait();
  if (seed % 2 == 0) wait_in_loop();
  here.wait();
  around.wait();
  serving.wait();
}

inline void run(number seed) {
  items all(static_cast<int>(1 + seed / 8 % 12));
  graph around(all);
  const int limit = static_cast<int>(seed / 2 % 4);
  const int threads = tbb::this_task_arena::max_concurrency();
  if (limit == 0) {
    run_here(seed, all, around, false, threads - 1);
  } else {
    tbb::task_arena(limit + 1).execute(
        [&] { run_here(seed, all, around, true, std::min(threads, limit + 1) - 1); });
  }
  WAITS_CHECK(all.are_over());
}

inline void run_for_a_while(number first, int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (number i = 0; std::chrono::steady_clock::now() < end; ++i) run(mix(first + i));
}

}  // namespace random_waits

#endif
