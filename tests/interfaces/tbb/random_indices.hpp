// Random nests of loops, groups and arenas, with a table for each arena that has a place for each index. Written for oneTBB's
// interface alone: INDICES_CHECK ends the program where something does not hold.
#ifndef NOPAL_TESTS_INTERFACES_TBB_RANDOM_INDICES_HPP
#define NOPAL_TESTS_INTERFACES_TBB_RANDOM_INDICES_HPP

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../../support/random_numbers.hpp"

namespace random_indices {

using support::mix;
using support::number;

/// An arena, and a table with a place for each of its indices. The first one stands for no arena. Where no worker may come, what
/// is enqueued has a thread more.
struct place {
  explicit place(int limit) : arena(limit) {
    for (int i = 0; i != limit + (limit == 1 ? 1 : 0); ++i)
      taken.push_back(std::make_unique<std::atomic<bool>>(false));
  }
  tbb::task_arena arena;
  std::vector<std::unique_ptr<std::atomic<bool>>> taken;
};

constexpr int places = 4;
inline std::array<std::unique_ptr<place>, places> all;
inline bool threads_of_the_program_outside = false;

inline int own_index(int where) {
  const int index = tbb::this_task_arena::current_thread_index();
  const auto limit = static_cast<int>(all[static_cast<std::size_t>(where)]->taken.size());
  INDICES_CHECK(index >= 0 && index < limit);
  return index;
}

inline void use(int where, number seed) {
  const int index = own_index(where);
  if (where == 0 && threads_of_the_program_outside) return;  // each has 0 there
  std::atomic<bool>& taken = *all[static_cast<std::size_t>(where)]->taken[static_cast<std::size_t>(index)];
  INDICES_CHECK(!taken.exchange(true));
  for (number i = 0; i != seed % 256; ++i) asm volatile("" ::: "memory");
  if (seed % 64 == 0) std::this_thread::yield();
  taken = false;
}

inline void run(number seed, int depth, int where);

inline void loop(number seed, int depth, int where) {
  const auto body = [=](int i) { run(mix(seed + static_cast<number>(i)), depth, where); };
  const int count = static_cast<int>(1 + seed % 12);
  switch (seed / 16 % 3) {
  case 0: return tbb::parallel_for(0, count, body, tbb::simple_partitioner());
  case 1: return tbb::parallel_for(0, count, body, tbb::static_partitioner());
  default: return tbb::parallel_for(0, count, body);
  }
}

inline void reduction(number seed, int depth, int where) {
  static_cast<void>(tbb::parallel_reduce(
      tbb::blocked_range<number>(0, 6), 0,
      [=](const tbb::blocked_range<number>& part, int sum) {
        for (number i = part.begin(); i < part.end(); ++i) run(mix(seed + i), depth, where);
        return sum;
      },
      std::plus<>()));
}

inline void group(number seed, int depth, int where) {
  tbb::task_group tasks;
  for (number i = 0; i != 5; ++i) tasks.run([=] { run(mix(seed + i), depth, where); });
  if (seed % 2 == 0) use(where, seed);
  tasks.wait();
}

inline void pipeline(number seed, int depth, int where) {
  number next = 0;
  tbb::parallel_pipeline(3, tbb::make_filter<void, number>(tbb::filter_mode::serial_in_order,
                                                           [&next, where](tbb::flow_control& control) {
                                                             use(where, next);
                                                             if (next == 6) control.stop();
                                                             return next++;
                                                           }) &
                                tbb::make_filter<number, void>(tbb::filter_mode::parallel, [=](number i) {
                                  run(mix(seed + i), depth, where);
                                }));
}

inline void feeder(number seed, int depth, int where) {
  const std::array<number, 2> first{0, 1};
  tbb::parallel_for_each(first.begin(), first.end(), [=](number i, tbb::feeder<number>& more) {
    if (i < 4) more.add(i + 2);
    run(mix(seed + i), depth, where);
  });
}

/// Into a later one alone, so that no circle of full arenas comes about.
inline void in_another(number seed, int depth, int where) {
  const int next = where + 1 + static_cast<int>(seed % 2);
  if (next >= places) return group(seed, depth, where);
  tbb::task_arena& arena = all[static_cast<std::size_t>(next)]->arena;
  if (seed / 16 % 2 == 0) return arena.execute([=] { group(seed, depth, next); });
  tbb::task_group tasks;
  for (number i = 0; i != 3; ++i) {
    arena.enqueue(tasks.defer([=] { run(mix(seed + i), depth, next); }));
  }
  arena.execute([&tasks] { tasks.wait(); });
}

inline void run(number seed, int depth, int where) {
  use(where, seed);
  if (depth == 0) return;
  const bool asks = seed / 8 % 2 == 0;
  const int before = asks ? own_index(where) : 0;
  const number inner = mix(seed);
  switch (seed / 256 % 9) {
  case 0:
  case 1: loop(inner, depth - 1, where); break;
  case 2: reduction(inner, depth - 1, where); break;
  case 3:
  case 4: group(inner, depth - 1, where); break;
  case 5: tbb::this_task_arena::isolate([&] { loop(inner, depth - 1, where); }); break;
  case 6: seed / 32 % 2 == 0 ? pipeline(inner, depth - 1, where) : feeder(inner, depth - 1, where); break;
  default: in_another(inner, depth - 1, where);
  }
  INDICES_CHECK(!asks || own_index(where) == before);
  use(where, inner);
}

inline void run_for_a_while(bool has_more_threads, int milliseconds) {
  const number first = support::seed_given_in("NESTS_SEED");
  const int usual = std::atoi(std::getenv("NOPAL_WORKERS"));
  std::optional<tbb::global_control> limit;
  if (has_more_threads) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(usual) + 3);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  static_cast<void>(tbb::this_task_arena::current_thread_index());  // before there may be substitutes
  for (number i = 0; std::chrono::steady_clock::now() < end; ++i) {
    number seed = mix(first + i);
    all[0] = std::make_unique<place>(usual);
    for (std::size_t j = 1; j != places; ++j) {
      all[j] = std::make_unique<place>(static_cast<int>(1 + (seed = mix(seed)) % 4));
    }
    threads_of_the_program_outside = seed % 4 == 0;
    std::thread other;
    if (threads_of_the_program_outside) {
      other = std::thread([seed] { tbb::parallel_for(0, 3, [seed](int) { run(mix(seed + 1), 3, 0); }); });
    }
    tbb::parallel_for(0, 3, [seed](int j) { run(mix(seed + static_cast<number>(j)), 4, 0); });
    if (other.joinable()) other.join();
  }
}

}  // namespace random_indices

#endif
