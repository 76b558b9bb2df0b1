// Arenas and limits of oneTBB's interface.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/program.hpp"

namespace {

/// Whether a loop runs in order on the calling thread.
void check_serial() {
  const std::thread::id self = std::this_thread::get_id();
  std::vector<int> order;
  tbb::parallel_for(0, 500, [&](int i) {
    NOPAL_CHECK(std::this_thread::get_id() == self);
    order.push_back(i);
    tbb::parallel_invoke([&] { order.push_back(-i); }, [&] { NOPAL_CHECK(order.back() == -i); });
    order.pop_back();
  });
  for (int i = 0; i != 500; ++i) NOPAL_CHECK(order[static_cast<std::size_t>(i)] == i);
}

NOPAL_PROGRAM(an_arena_of_one) {
  tbb::task_arena one(1);
  NOPAL_CHECK(one.max_concurrency() == 1);
  one.execute([] {
    NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == 1);
    check_serial();
    tbb::task_group group;
    const std::thread::id self = std::this_thread::get_id();
    for (int i = 0; i != 100; ++i) group.run([self] { NOPAL_CHECK(std::this_thread::get_id() == self); });
    group.wait();
  });
  NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == nopal::workers());
  return 0;
}

NOPAL_PROGRAM(execute) {
  tbb::task_arena arena;
  NOPAL_CHECK(!arena.is_active());
  NOPAL_CHECK(arena.execute([] { return 42; }) == 42);
  NOPAL_CHECK(arena.is_active());
  int referred = 0;
  arena.execute([&]() -> int& { return referred; }) = 5;
  NOPAL_CHECK(referred == 5);
  bool caught = false;
  try {
    arena.execute([] { throw std::runtime_error("x"); });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  NOPAL_CHECK(caught);
  NOPAL_CHECK(tbb::task_arena(3).execute([] { return tbb::this_task_arena::max_concurrency(); }) == 3);
  NOPAL_CHECK(tbb::task_arena(3).execute(
                  [] { return tbb::task_arena(tbb::task_arena::attach()).max_concurrency(); }) == 3);
  tbb::task_arena attached(1);
  attached.initialize(tbb::attach());
  NOPAL_CHECK(attached.max_concurrency() == nopal::workers());
  NOPAL_CHECK(arena.max_concurrency() == nopal::workers());
  NOPAL_CHECK(tbb::info::default_concurrency() == nopal::workers());
  std::atomic<int> calls{0};
  arena.execute([&] { tbb::parallel_for(0, 1000, [&](int) { ++calls; }); });
  NOPAL_CHECK(tbb::this_task_arena::isolate([&] { return ++calls; }) == 1001);
  std::vector<tbb::task_arena> of_nodes = tbb::create_numa_task_arenas({tbb::task_arena::automatic, 2});
  NOPAL_CHECK(of_nodes.size() == tbb::info::numa_nodes().size());
  for (tbb::task_arena& one : of_nodes) {
    NOPAL_CHECK(!one.is_active() && one.execute([] { return tbb::this_task_arena::max_concurrency() <= 2; }));
  }
  return 0;
}

NOPAL_PROGRAM(enqueue) {
  tbb::task_arena arena;
  std::atomic<int> calls{0};
  for (int i = 0; i != 100; ++i) {
    arena.enqueue([&] { tbb::parallel_for(0, 10, [&](int) { ++calls; }); });
  }
  while (calls != 1000) std::this_thread::yield();
  tbb::this_task_arena::enqueue([&] { ++calls; });
  while (calls != 1001) std::this_thread::yield();
  tbb::task_group group;
  arena.enqueue(group.defer([&] { ++calls; }));
  NOPAL_CHECK(group.wait() == tbb::complete && calls == 1002);
  for (int i = 0; i != 100; ++i) arena.enqueue([&] { ++calls; }, group);
  arena.execute([&] { tbb::this_task_arena::enqueue([&] { ++calls; }, group); });
  NOPAL_CHECK(arena.wait_for(group) == tbb::complete && calls == 1103);
  return 0;
}

NOPAL_PROGRAM(index) {
  NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized);
  tbb::parallel_for(0, 1000, [&](int) {
    const int index = tbb::this_task_arena::current_thread_index();
    NOPAL_CHECK(index >= tbb::task_arena::not_initialized && index < nopal::workers() + 1);
  });
  std::thread([] {
    NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized);
    NOPAL_CHECK(tbb::task_arena().execute([] { return tbb::this_task_arena::current_thread_index(); }) >= 0);
  }).join();
  return 0;
}

NOPAL_PROGRAM(control) {
  const int before = nopal::workers();
  std::atomic<int> calls{0};
  {
    const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
    NOPAL_CHECK(nopal::workers() == 3);
    tbb::parallel_for(0, 1000, [&](int) { ++calls; });
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      NOPAL_CHECK(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1);
      NOPAL_CHECK(nopal::workers() == 1);
      check_serial();
    }
    NOPAL_CHECK(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 3);
    NOPAL_CHECK(nopal::workers() == 3);
    tbb::parallel_for(0, 1000, [&](int) { ++calls; });
  }
  NOPAL_CHECK(nopal::workers() == before);
  tbb::parallel_for(0, 1000, [&](int) { ++calls; });
  NOPAL_CHECK(calls == 3000);
  return 0;
}

/// Touches four times as much of the stack as strands have by default.
[[gnu::noinline]] void use_stack() {
  volatile char bytes[std::size_t{4} << 20U];
  for (std::size_t at = 0; at < sizeof bytes; at += 4096) bytes[at] = 1;
}

// The greatest of several holds.
// Two threads: the worker is in a task while tasks come to arenas of all ranks, in no order.
NOPAL_PROGRAM(ranks) {
  using priority = tbb::task_arena::priority;
  for (int round = 0; round != 20; ++round) {
    tbb::task_group group;
    const auto start = [&group](tbb::task_arena& arena, auto task) {
      arena.execute([&] { group.run(task); });
    };
    std::atomic<bool> has_begun{false};
    std::atomic<bool> may_end{false};
    tbb::task_arena normal(2);
    tbb::task_arena low(2, 1, priority::low);
    tbb::task_arena high(2, 1, priority::high);
    tbb::task_arena second_high(2, 1, priority::high);
    start(normal, [&] {
      has_begun = true;
      while (!may_end) std::this_thread::yield();
    });
    while (!has_begun) std::this_thread::yield();
    std::string order;  // of one thread
    std::atomic<int> over{0};
    const auto note = [&](char what) {
      return [&, what] {
        order += what;
        ++over;
      };
    };
    start(normal, note('n'));
    start(low, note('l'));
    start(high, note('h'));
    start(second_high, note('H'));
    start(low, note('l'));
    start(normal, note('n'));
    may_end = true;
    while (over != 6) std::this_thread::yield();
    group.wait();
    NOPAL_CHECK(order == "hHnnll");
  }
  return 0;
}

// For a wait that has begun elsewhere.
NOPAL_PROGRAM(tasks_for_a_wait) {
  for (int round = 0; round != 10; ++round) {
    tbb::task_arena arena(2);
    tbb::task_group group;
    auto last = group.defer([] {});
    std::atomic<int> calls{0};
    std::thread waits([&] {
      group.wait();
      NOPAL_CHECK(calls == 20);
    });
    for (int i = 0; i != 20; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      arena.execute([&] { group.run([&calls] { ++calls; }); });
    }
    group.run(std::move(last));
    waits.join();
  }
  return 0;
}

// Of a thread that never forks, whose arena had room for nobody else; the pool is asleep by then, as a rule.
NOPAL_PROGRAM(room_that_a_stranger_leaves) {
  for (int round = 0; round != 5; ++round) {
    tbb::task_arena arena(1, 0);
    std::atomic<bool> entered{false};
    std::atomic<bool> is_over{false};
    std::atomic<bool> is_run{false};
    std::thread stranger([&] {
      arena.execute([&] {
        entered = true;
        while (!is_over) std::this_thread::yield();
      });
    });
    while (!entered) std::this_thread::yield();
    arena.enqueue([&is_run] { is_run = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    NOPAL_CHECK(!is_run);
    is_over = true;
    stranger.join();
    while (!is_run) std::this_thread::yield();
  }
  return 0;
}

/// A thread that comes while what was enqueued has an index stays below the limit after that, too.
NOPAL_PROGRAM(index_beside_what_is_enqueued) {
  tbb::task_arena arena(1);
  std::atomic<int> index_of_enqueued{-1};
  std::atomic<bool> may_end{false};
  std::atomic<bool> is_over{false};
  arena.enqueue([&] {
    index_of_enqueued = tbb::this_task_arena::current_thread_index();
    while (!may_end) std::this_thread::yield();
    is_over = true;
  });
  while (index_of_enqueued < 0) std::this_thread::yield();
  arena.execute([&] {
    NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == 0);
    NOPAL_CHECK(index_of_enqueued == 1);
    NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == 2);
    may_end = true;
    while (tbb::this_task_arena::max_concurrency() != 1) std::this_thread::yield();
    NOPAL_CHECK(tbb::this_task_arena::current_thread_index() == 0);
  });
  NOPAL_CHECK(is_over);
  return 0;
}

NOPAL_PROGRAM(stack_size) {
  using control = tbb::global_control;
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const std::size_t before = control::active_value(control::thread_stack_size);
  NOPAL_CHECK(before > 0);
  {
    const control small(control::thread_stack_size, 4 * mebibyte);
    const control large(control::thread_stack_size, 32 * mebibyte);
    NOPAL_CHECK(control::active_value(control::thread_stack_size) == 32 * mebibyte);
    // Each waits for the other, so one is on a worker's stack.
    std::atomic<int> begun{0};
    const auto meet = [&] {
      ++begun;
      while (begun != 2 && nopal::workers() > 1) std::this_thread::yield();
      use_stack();
    };
    tbb::parallel_invoke(meet, meet);
  }
  NOPAL_CHECK(control::active_value(control::thread_stack_size) == before);
  const control tiny(control::thread_stack_size, 1);
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 1000, [&](int) { ++calls; });
  NOPAL_CHECK(calls == 1000);
  return 0;
}

NOPAL_PROGRAM(scheduler_handles) {
  tbb::task_scheduler_handle before_any_use{tbb::attach()};
  NOPAL_CHECK(tbb::finalize(before_any_use, std::nothrow));
  tbb::task_scheduler_handle empty;
  tbb::task_scheduler_handle attached{tbb::attach()};
  NOPAL_CHECK(!empty && attached);
  tbb::task_scheduler_handle moved(std::move(attached));
  NOPAL_CHECK(!attached && moved);  // NOLINT(bugprone-use-after-move)
  tbb::parallel_for(0, 10, [](int) {});
  NOPAL_CHECK(tbb::finalize(moved, std::nothrow) && !moved);
  tbb::parallel_for(0, 10, [](int) {});
  tbb::task_scheduler_handle inside{tbb::attach()};
  nopal::scope s;
  s.fork([&] {
    bool refused = false;
    try {
      tbb::finalize(inside);
    } catch (const tbb::unsafe_wait&) {
      refused = true;
    }
    NOPAL_CHECK(refused);
  });
  s.join();
  return 0;
}

NOPAL_PROGRAM(exceptions_that_end_it) {
  std::set_terminate([] { std::_Exit(7); });
  const tbb::global_control ends(tbb::global_control::terminate_on_exception, 1);
  NOPAL_CHECK(tbb::global_control::active_value(tbb::global_control::terminate_on_exception) == 1);
  try {
    tbb::parallel_for(0, 10, [](int) { throw std::runtime_error("any"); });
  } catch (...) {
    return 1;
  }
  return 1;
}

// While strands run, the workers stay; what begins under a limit of one is serial.
NOPAL_PROGRAM(control_inside) {
  const int before = nopal::workers();
  tbb::parallel_invoke(
      [&] {
        nopal::scope s;
        s.fork([&] {
          const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
          NOPAL_CHECK(nopal::workers() == before);
          check_serial();
        });
        s.join();
      },
      [] {});
  NOPAL_CHECK(nopal::workers() == before);
  return 0;
}

class arenas : public support::program_at_workers {};

TEST_P(arenas, of_one_run_in_order_on_the_calling_thread) { EXPECT_TRUE(run("an_arena_of_one")); }
TEST_P(arenas, return_and_throw_what_is_executed_in_them) { EXPECT_TRUE(run("execute")); }
TEST_P(arenas, run_what_is_enqueued_though_nobody_waits) { EXPECT_TRUE(run("enqueue")); }
TEST_P(arenas, hand_tasks_to_waits_of_other_threads) { EXPECT_TRUE(run("tasks_for_a_wait")); }
TEST_P(arenas, hand_tasks_to_the_pool_where_a_stranger_leaves) {
  EXPECT_TRUE(run("room_that_a_stranger_leaves"));
}
TEST_P(arenas, know_the_index_of_a_thread) { EXPECT_TRUE(run("index")); }
TEST_P(arenas, keep_indices_below_their_limit_beside_what_is_enqueued) {
  EXPECT_TRUE(run("index_beside_what_is_enqueued"));
}
TEST_P(arenas, are_limited_by_the_processs_limit) { EXPECT_TRUE(run("control")); }
TEST_P(arenas, are_limited_to_one_while_strands_run) { EXPECT_TRUE(run("control_inside")); }

TEST_P(arenas, have_stacks_as_large_as_asked) { EXPECT_TRUE(run("stack_size")); }
TEST_P(arenas, are_ended_by_handles_that_name_the_scheduler) { EXPECT_TRUE(run("scheduler_handles")); }
TEST(arenas_of_two_threads, are_served_by_priority_and_then_in_turn) {
  EXPECT_TRUE(support::succeeds("ranks", support::on_workers(2)));
}
TEST_P(arenas, end_the_program_at_exceptions_if_asked) {
  EXPECT_EQ(support::run_program("exceptions_that_end_it", support::on_workers(GetParam())).exit_code, 7);
}

INSTANTIATE_TEST_SUITE_P(tbb, arenas, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
