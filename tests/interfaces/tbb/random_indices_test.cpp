// Indices in random nests of loops, groups and arenas: in an arena no two threads have one at once, each is below the limit, and
// a body keeps its own.
#include <gtest/gtest.h>

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
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

using number = std::uint64_t;

constexpr number mix(number x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

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
std::array<std::unique_ptr<place>, places> all;
bool threads_of_the_program_outside = false;

int own_index(int where) {
  const int index = tbb::this_task_arena::current_thread_index();
  const auto limit = static_cast<int>(all[static_cast<std::size_t>(where)]->taken.size());
  if (index < 0 || index >= limit) {
    std::fprintf(stderr, "index %d of %d in arena %d\n", index, limit, where);
    std::_Exit(1);
  }
  return index;
}

void use(int where, number seed) {
  const int index = own_index(where);
  if (where == 0 && threads_of_the_program_outside) return;  // each has 0 there
  std::atomic<bool>& taken = *all[static_cast<std::size_t>(where)]->taken[static_cast<std::size_t>(index)];
  NOPAL_CHECK(!taken.exchange(true));
  for (number i = 0; i != seed % 256; ++i) asm volatile("" ::: "memory");
  if (seed % 64 == 0) std::this_thread::yield();
  taken = false;
}

void run(number seed, int depth, int where);

void loop(number seed, int depth, int where) {
  const auto body = [=](int i) { run(mix(seed + static_cast<number>(i)), depth, where); };
  const int count = static_cast<int>(1 + seed % 12);
  switch (seed / 16 % 3) {
  case 0: return tbb::parallel_for(0, count, body, tbb::simple_partitioner());
  case 1: return tbb::parallel_for(0, count, body, tbb::static_partitioner());
  default: return tbb::parallel_for(0, count, body);
  }
}

void reduction(number seed, int depth, int where) {
  static_cast<void>(tbb::parallel_reduce(
      tbb::blocked_range<number>(0, 6), 0,
      [=](const tbb::blocked_range<number>& part, int sum) {
        for (number i = part.begin(); i < part.end(); ++i) run(mix(seed + i), depth, where);
        return sum;
      },
      std::plus<>()));
}

void group(number seed, int depth, int where) {
  tbb::task_group tasks;
  for (number i = 0; i != 5; ++i) tasks.run([=] { run(mix(seed + i), depth, where); });
  if (seed % 2 == 0) use(where, seed);
  tasks.wait();
}

void pipeline(number seed, int depth, int where) {
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

void feeder(number seed, int depth, int where) {
  const std::array<number, 2> first{0, 1};
  tbb::parallel_for_each(first.begin(), first.end(), [=](number i, tbb::feeder<number>& more) {
    if (i < 4) more.add(i + 2);
    run(mix(seed + i), depth, where);
  });
}

/// Into a later one alone, so that no circle of full arenas comes about.
void in_another(number seed, int depth, int where) {
  const int next = where + 1 + static_cast<int>(seed % 2);
  if (next >= places) return group(seed, depth, where);
  tbb::task_arena& arena = all[static_cast<std::size_t>(next)]->arena;
  if (seed / 16 % 2 == 0) return arena.execute([=] { group(seed, depth, next); });
  tbb::task_group tasks;
  for (number i = 0; i != 3; ++i) {
    arena.enqueue(tasks.defer([=] { run(mix(seed + i), depth, next); }));
  }
  arena.wait_for(tasks);
}

void run(number seed, int depth, int where) {
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
  NOPAL_CHECK(!asks || own_index(where) == before);
  use(where, inner);
}

void run_for_a_while(bool has_more_threads) {
  const number first = std::strtoull(std::getenv("NESTS_SEED"), nullptr, 10);
  const int usual = std::atoi(std::getenv("NOPAL_WORKERS"));
  std::optional<tbb::global_control> limit;
  if (has_more_threads) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(usual) + 3);
  }
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(support::watched ? 3000 : 1000);
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

NOPAL_PROGRAM(random_indices) {
  run_for_a_while(false);
  return 0;
}
NOPAL_PROGRAM(random_indices_of_more_threads) {
  run_for_a_while(true);
  return 0;
}

/// NESTS_SEED repeats what the failure prints.
class random_indices : public testing::TestWithParam<int> {
protected:
  static void pass(const char* program, support::environment with = {}) {
    const char* const chosen = std::getenv("NESTS_SEED");
    const std::string seed =
        chosen != nullptr ? chosen
                          : std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
    with.emplace_back("NOPAL_WORKERS", std::to_string(GetParam()));
    with.emplace_back("NESTS_SEED", seed);
    EXPECT_TRUE(support::succeeds(program, with)) << "NESTS_SEED=" << seed;
  }
};

TEST_P(random_indices, are_one_for_each_thread_in_an_arena) { pass("random_indices"); }
TEST_P(random_indices, are_one_for_each_thread_where_more_than_the_usual_number_are_asked_for) {
  pass("random_indices_of_more_threads");
}

INSTANTIATE_TEST_SUITE_P(at_workers, random_indices, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace
