// The thread of a body: the same from its beginning to its end, and what it may run while it waits.
#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <nopal/nopal.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/checking_mutex.hpp"
#include "support/program.hpp"

namespace {

/// Some work, so that others have the time to steal.
void dawdle() {
  std::atomic<int> rounds{0};
  while (rounds.fetch_add(1, std::memory_order_relaxed) < 2000) {
  }
}

void inner_loop() {
  tbb::parallel_for(0, 40, [](int) { dawdle(); }, tbb::simple_partitioner());
}

/// Whether `wait` ends on the thread that it began on, in bodies, tasks and calls in arenas.
template <class Wait>
void check_thread_stays(const Wait& wait) {
  const auto body = [&] {
    const std::thread::id before = std::this_thread::get_id();
    wait();
    NOPAL_CHECK(std::this_thread::get_id() == before);
  };
  for (int round = 0; round != 5; ++round) {
    // Some alone, so that there is nothing else to steal than what it waits for.
    for (int bodies = 1; bodies != 9; ++bodies) {
      tbb::parallel_for(0, bodies, [&](int) { body(); }, tbb::simple_partitioner());
    }
    tbb::task_group group;
    for (int i = 0; i != 20; ++i) group.run(body);
    body();
    group.wait();
    nopal::scope strands;
    for (int i = 0; i != 20; ++i) strands.fork([&] { tbb::this_task_arena::isolate(body); });
    strands.join();
  }
}

NOPAL_PROGRAM(nested_loops) {
  check_thread_stays(inner_loop);
  return 0;
}

NOPAL_PROGRAM(nested_groups) {
  check_thread_stays([] {
    tbb::task_group group;
    const std::thread::id before = std::this_thread::get_id();
    for (int i = 0; i != 10; ++i) {
      group.run(dawdle);
      NOPAL_CHECK(std::this_thread::get_id() == before);
    }
    NOPAL_CHECK(group.wait() == tbb::complete);
  });
  return 0;
}

NOPAL_PROGRAM(nested_isolation) {
  check_thread_stays([] {
    const std::thread::id before = std::this_thread::get_id();
    tbb::this_task_arena::isolate([before] {
      inner_loop();
      NOPAL_CHECK(std::this_thread::get_id() == before);
    });
    tbb::task_arena(2).execute([before] {
      inner_loop();
      NOPAL_CHECK(std::this_thread::get_id() == before);
    });
  });
  return 0;
}

// A body in which Nopal's own interface forks is elsewhere in between, and at home at the join's end.
NOPAL_PROGRAM(nested_scopes) {
  check_thread_stays([] {
    nopal::parallel_for(0, 40, [](int) { dawdle(); });
    tbb::this_task_arena::isolate([] {
      nopal::scope strands;
      for (int i = 0; i != 10; ++i) strands.fork(dawdle);
      strands.join();
    });
  });
  return 0;
}

// The owner of the mutex unlocks it, and who waits at the nested loop does not meet another body there.
NOPAL_PROGRAM(mutex_held) {
  support::checking_mutex mutex;
  int held = 0;
  for (int round = 0; round != 20; ++round) {
    tbb::parallel_for(
        0, 50,
        [&](int) {
          const std::lock_guard guard(mutex);
          ++held;
          inner_loop();
        },
        tbb::simple_partitioner());
  }
  NOPAL_CHECK(held == 1000);
  return 0;
}

NOPAL_PROGRAM(values_held) {
  tbb::enumerable_thread_specific<int> values(0);
  tbb::parallel_for(
      0, 500,
      [&](int i) {
        int& mine = values.local();
        mine = i;
        tbb::this_task_arena::isolate(inner_loop);
        NOPAL_CHECK(&values.local() == &mine && mine == i);
      },
      tbb::simple_partitioner());
  return 0;
}

NOPAL_PROGRAM(main_thread) {
  const std::thread::id main_thread = std::this_thread::get_id();
  for (int round = 0; round != 200; ++round) {
    std::atomic<int> calls{0};
    tbb::task_group group;
    for (int i = 0; i != 20; ++i) {
      group.run([&] {
        dawdle();
        ++calls;
      });
      NOPAL_CHECK(std::this_thread::get_id() == main_thread);
    }
    group.wait();
    NOPAL_CHECK(calls == 20 && std::this_thread::get_id() == main_thread);
  }
  return 0;
}

// Strands that a body forks by Nopal's own interface are in the body's context, and nobody is in it afterwards.
NOPAL_PROGRAM(contexts) {
  for (int round = 0; round != 200; ++round) {
    tbb::task_group_context context;
    tbb::parallel_for(
        0, 20,
        [&](int) {
          nopal::scope strands;
          for (int i = 0; i != 5; ++i) {
            strands.fork([&] {
              dawdle();
              NOPAL_CHECK(tbb::task::current_context() == &context);
            });
            NOPAL_CHECK(tbb::task::current_context() == &context);
          }
          strands.join();
          NOPAL_CHECK(tbb::task::current_context() == &context);
        },
        tbb::simple_partitioner(), context);
    NOPAL_CHECK(tbb::task::current_context() == nullptr);
    nopal::parallel_for(0, 50, [](int) {
      dawdle();
      NOPAL_CHECK(tbb::task::current_context() == nullptr);
    });
  }
  return 0;
}

// A group that is ended by an exception leaves its maker in its context: the cancellation of what is outside reaches what follows.
NOPAL_PROGRAM(unwinding) {
  for (int round = 0; round != 100; ++round) {
    tbb::task_group_context context;
    tbb::parallel_for(
        0, 8,
        [&](int) {
          try {
            tbb::task_group group;
            group.run(dawdle);
            throw std::runtime_error("leaves the group");
          } catch (const std::runtime_error&) {
          }
          NOPAL_CHECK(tbb::task::current_context() == &context);
          context.cancel_group_execution();
          NOPAL_CHECK(tbb::is_current_task_group_canceling());
          tbb::parallel_for(0, 10, [](int) { NOPAL_CHECK(false); });
        },
        context);
  }
  return 0;
}

// A group on the heap is cancelled with what it was made in, and may live longer.
NOPAL_PROGRAM(groups_that_live_longer) {
  for (int round = 0; round != 100; ++round) {
    std::unique_ptr<tbb::task_group> group;
    std::atomic<int> calls{0};
    {
      tbb::task_group_context context;
      tbb::parallel_for(
          0, 1,
          [&](int) {
            group = std::make_unique<tbb::task_group>();
            context.cancel_group_execution();
            group->run([&] { ++calls; });
            NOPAL_CHECK(group->wait() == tbb::canceled);
          },
          context);
      NOPAL_CHECK(calls == 0);
    }
    tbb::task_group_context other;
    other.cancel_group_execution();
    group->run([&] { ++calls; });
    NOPAL_CHECK(group->wait() == tbb::complete && calls == 1);
  }
  return 0;
}

NOPAL_PROGRAM(nobody_waits) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round != 50; ++round) {
    std::atomic<bool> begun{false};
    tbb::task_group group;
    group.run([&] { begun = true; });
    while (!begun) std::this_thread::yield();
    group.wait();
    tbb::task_arena arena(2);
    begun = false;
    arena.execute([&] { group.run([&] { begun = true; }); });
    while (!begun) std::this_thread::yield();
    group.wait();
  }
  return 0;
}

/// Whether threads in one arena have different indices below its limit.
void check_indices(tbb::task_arena& arena, int limit) {
  const auto taken = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(limit));
  arena.execute([&] {
    tbb::parallel_for(
        0, 200,
        [&](int) {
          const int index = tbb::this_task_arena::current_thread_index();
          NOPAL_CHECK(index >= 0 && index < tbb::this_task_arena::max_concurrency() && index < limit);
          NOPAL_CHECK(taken[static_cast<std::size_t>(index)]++ == 0);
          dawdle();
          --taken[static_cast<std::size_t>(index)];
        },
        tbb::simple_partitioner());
  });
}

NOPAL_PROGRAM(indices) {
  for (const int limit : {1, 2, 3, 20}) {
    tbb::task_arena arena(limit);
    for (int round = 0; round != 20; ++round) check_indices(arena, limit);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i != 3; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round != 50; ++round) {
        tbb::parallel_for(0, 100, [](int) {
          const int before = tbb::this_task_arena::current_thread_index();
          NOPAL_CHECK(before >= 0 && before < tbb::this_task_arena::max_concurrency());
          inner_loop();
          NOPAL_CHECK(before == tbb::this_task_arena::current_thread_index());
        });
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return 0;
}

// Threads of the program in one arena: no more than it has room for, each with an index of its own.
NOPAL_PROGRAM(shared_arena) {
  tbb::task_arena arena(3);
  std::atomic<int> inside{0};
  const auto taken = std::make_unique<std::atomic<int>[]>(3);
  std::vector<std::thread> threads;
  for (int i = 0; i != 6; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round != 200; ++round) {
        arena.execute([&] {
          NOPAL_CHECK(++inside <= 3);
          const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
          NOPAL_CHECK(index < 3 && taken[index]++ == 0);
          inner_loop();
          --taken[index];
          --inside;
        });
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return 0;
}

NOPAL_PROGRAM(call_once) {
  for (int round = 0; round != 300; ++round) {
    std::once_flag once;
    const auto use = [&] {
      std::call_once(once,
                     [] { tbb::parallel_for(0, 200, [](int) { dawdle(); }, tbb::simple_partitioner()); });
    };
    std::thread first(use);
    std::thread second([&] { tbb::parallel_for(0, 8, [&](int) { use(); }, tbb::simple_partitioner()); });
    first.join();
    second.join();
    tbb::parallel_for(0, 8, [&](int) { use(); }, tbb::simple_partitioner());
  }
  return 0;
}

// Deep recursion in which every level waits: the tasks of a level are run by whoever waits for what they are part of.
NOPAL_PROGRAM(recursion_in_arenas) {
  std::function<long(int)> fib = [&](int n) -> long {
    if (n < 2) return n;
    long a = 0;
    long b = 0;
    tbb::task_group group;
    group.run([&] { a = fib(n - 1); });
    group.run([&] { b = fib(n - 2); });
    group.wait();
    return a + b;
  };
  NOPAL_CHECK(fib(16) == 987);
  for (const int limit : {1, 2, 3}) {
    tbb::task_arena arena(limit);
    NOPAL_CHECK(arena.execute([&] { return fib(14); }) == 377);
    NOPAL_CHECK(tbb::parallel_reduce(
                    tbb::blocked_range<int>(0, 20), 0L,
                    [&](const tbb::blocked_range<int>& part, long sum) {
                      for (int i = part.begin(); i != part.end(); ++i) sum += fib(8);
                      return sum;
                    },
                    std::plus<>()) == 20 * 21);
  }
  return 0;
}

class threads : public support::program_at_workers {};

TEST_P(threads, stay_those_of_bodies_with_loops_inside) { EXPECT_TRUE(run("nested_loops")); }
TEST_P(threads, stay_those_of_bodies_with_groups_inside) { EXPECT_TRUE(run("nested_groups")); }
TEST_P(threads, stay_those_of_bodies_that_isolate) { EXPECT_TRUE(run("nested_isolation")); }
TEST_P(threads, stay_those_of_bodies_with_scopes_inside) { EXPECT_TRUE(run("nested_scopes")); }
TEST_P(threads, unlock_the_mutexes_that_they_locked) { EXPECT_TRUE(run("mutex_held")); }
TEST_P(threads, keep_their_values_while_bodies_wait) { EXPECT_TRUE(run("values_held")); }
TEST_P(threads, are_the_same_between_run_and_wait) { EXPECT_TRUE(run("main_thread")); }
TEST_P(threads, have_the_context_of_the_body_that_forked) { EXPECT_TRUE(run("contexts")); }
TEST_P(threads, keep_their_context_when_a_group_is_unwound) { EXPECT_TRUE(run("unwinding")); }
TEST_P(threads, outlive_no_context_by_a_group_on_the_heap) { EXPECT_TRUE(run("groups_that_live_longer")); }
TEST_P(threads, begin_tasks_that_nobody_waits_for) { EXPECT_TRUE(run("nobody_waits")); }
TEST_P(threads, have_indices_below_the_limit) { EXPECT_TRUE(run("indices")); }
TEST_P(threads, share_an_arena_up_to_its_limit) { EXPECT_TRUE(run("shared_arena")); }
TEST_P(threads, wait_for_what_another_calls_once) { EXPECT_TRUE(run("call_once")); }
TEST_P(threads, run_what_their_wait_is_for) { EXPECT_TRUE(run("recursion_in_arenas")); }

INSTANTIATE_TEST_SUITE_P(tbb, threads, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
