// What a thread that waits for a group runs meanwhile, beside the group's tasks: strands of their loops, and nobody else's.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <alloca.h>

#include <atomic>
#include <cfenv>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/strands.hpp"
#include <nopal/reducer.hpp>

namespace {

void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

/// Not in the function that has the group, where it would be a fork.
template <class F>
[[gnu::noinline]] void start(tbb::task_group& group, const F& f) {
  group.run(f);
}

/// A loop whose bodies wait until the thread `awaited` has come to one of them.
void loop_for(std::thread::id awaited, std::atomic<bool>& has_come) {
  tbb::parallel_for(
      0, 100,
      [&](int) {
        if (std::this_thread::get_id() == awaited) has_come = true;
        wait_until(has_come);
      },
      tbb::simple_partitioner());
}

NOPAL_PROGRAM(loop_of_a_task) {
  if (tbb::this_task_arena::max_concurrency() < 2) return 0;
  const std::thread::id main = std::this_thread::get_id();
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    tbb::task_group group;
    group.run([&] {
      has_begun = true;
      loop_for(main, has_come);
    });
    wait_until(has_begun);  // elsewhere
    NOPAL_CHECK(group.wait() == tbb::complete);
    NOPAL_CHECK(has_come && std::this_thread::get_id() == main);
  }
  return 0;
}

// The wait is in a handler, and the loop in a task that the group's task started.
NOPAL_PROGRAM(loop_of_a_task_of_a_task) {
  if (tbb::this_task_arena::max_concurrency() < 3) return 0;
  const std::thread::id main = std::this_thread::get_id();
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    tbb::task_group group;
    group.run([&] {
      tbb::task_group inner;
      inner.run([&] {
        has_begun = true;
        loop_for(main, has_come);
      });
      wait_until(has_begun);
      inner.wait();
    });
    wait_until(has_begun);
    try {
      throw std::runtime_error("kept");
    } catch (const std::runtime_error&) {
      group.wait();
      NOPAL_CHECK(std::current_exception() != nullptr && std::uncaught_exceptions() == 0);
      try {
        throw;
      } catch (const std::runtime_error& error) {
        NOPAL_CHECK(error.what() == std::string("kept"));
      }
    }
    NOPAL_CHECK(has_come && std::this_thread::get_id() == main);
  }
  return 0;
}

// Bodies of another thread's loop take the mutex that this thread holds while it waits.
NOPAL_PROGRAM(loops_of_others) {
  for (int round = 0; round != 50; ++round) {
    std::mutex mutex;
    std::atomic<bool> is_held{false};
    std::thread other([&] {
      wait_until(is_held);
      tbb::parallel_for(0, 20, [&](int) { const std::lock_guard guard(mutex); }, tbb::simple_partitioner());
    });
    {
      const std::lock_guard guard(mutex);
      tbb::task_group group;
      std::atomic<int> sum{0};
      for (int i = 0; i != 4; ++i) {
        group.run([&] { tbb::parallel_for(0, 50, [&](int) { ++sum; }, tbb::simple_partitioner()); });
      }
      is_held = true;
      group.wait();
      NOPAL_CHECK(sum == 200);
    }
    other.join();
  }
  return 0;
}

// So do bodies of loops in tasks of another group, that this thread has started itself.
NOPAL_PROGRAM(loops_of_another_group) {
  if (tbb::this_task_arena::max_concurrency() < 3) return 0;
  for (int round = 0; round != 20; ++round) {
    std::mutex mutex;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_in_loop{false};
    tbb::task_group others;
    tbb::task_group group;
    {
      const std::lock_guard guard(mutex);
      group.run([&] {
        has_begun = true;
        wait_until(is_in_loop);
        for (int i = 0; i != 2000; ++i) std::this_thread::yield();
      });
      wait_until(has_begun);
      others.run([&] {
        tbb::parallel_for(
            0, 100,
            [&](int) {
              is_in_loop = true;
              const std::lock_guard inner(mutex);
            },
            tbb::simple_partitioner());
      });
      wait_until(is_in_loop);  // elsewhere
      group.wait();
    }
    others.wait();
  }
  return 0;
}

/// Calls `f` with so many bytes of the stack in use.
template <class F>
[[gnu::noinline]] void with_stack_used(std::size_t bytes, const F& f) {
  void* const room = alloca(bytes);
  std::memset(room, 1, bytes);
  asm volatile("" : : "r"(room) : "memory");
  f();
}

constexpr std::size_t stack_left = std::size_t{768} << 10;  // less than a stack of the pool has

/// On a thread whose stack has `bytes`, of which those are left.
template <class F>
void on_deep_stack(std::size_t bytes, const F& f) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0);
  NOPAL_CHECK(pthread_attr_setstacksize(&attributes, bytes) == 0);
  std::pair<const F*, std::size_t> call{&f, bytes - stack_left};
  pthread_t thread;
  NOPAL_CHECK(pthread_create(
                  &thread, &attributes,
                  [](void* argument) -> void* {
                    const auto& [body, used] = *static_cast<decltype(call)*>(argument);
                    with_stack_used(used, *body);
                    return nullptr;
                  },
                  &call) == 0);
  NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

// Tools have some of it for themselves.
constexpr std::size_t stack_bytes = std::size_t{8} << 20;
constexpr std::size_t bytes_of_level = std::size_t{64} << 10;

// What is waited for is started by a task that nobody else runs.
NOPAL_PROGRAM(wait_on_a_deep_stack) {
  on_deep_stack(stack_bytes, [] {
    const std::thread::id self = std::this_thread::get_id();
    const int workers = tbb::this_task_arena::max_concurrency();
    // The pool's workers are in tasks that end when the wait does.
    std::atomic<int> busy{0};
    std::atomic<bool> is_over{false};
    tbb::task_group others;
    for (int i = 1; i < workers; ++i) {
      others.run([&] {
        ++busy;
        wait_until(is_over);
      });
    }
    while (busy != workers - 1) std::this_thread::yield();
    int order = 0;
    nopal::reducer<nopal::op_add<long>> sum(50);
    tbb::task_group awaited;
    tbb::task_group started;
    auto last = awaited.defer([&] { NOPAL_CHECK(++order == 2 && std::this_thread::get_id() == self); });
    started.run([&] {
      NOPAL_CHECK(++order == 1 && std::this_thread::get_id() == self);
      tbb::parallel_for(0, 100, [&](int i) { *sum += i; });
      awaited.run(std::move(last));
    });
    NOPAL_CHECK(awaited.wait() == tbb::complete && order == 2);
    NOPAL_CHECK(*sum == 5000);
    is_over = true;
    started.wait();
    others.wait();
  });
  support::check_quiet_soon();
  return 0;
}

/// Waits at each level for what a task starts that nobody else runs, and that waits in the same way.
void wait_at_depth(int depth, std::atomic<int>& calls) {
  ++calls;
  if (depth == 0) return;
  with_stack_used(bytes_of_level, [depth, &calls] {
    tbb::task_group awaited;
    tbb::task_group started;
    auto last = awaited.defer([] {});
    started.run([&] {
      wait_at_depth(depth - 1, calls);
      std::atomic<int> bodies{0};
      tbb::parallel_for(0, 20, [&](int) { ++bodies; }, tbb::simple_partitioner());
      NOPAL_CHECK(bodies == 20);
      awaited.run(std::move(last));
    });
    awaited.wait();
    started.wait();
  });
}

// Together they use more than twice the stack that they begin on.
NOPAL_PROGRAM(waits_deeper_than_a_stack) {
  on_deep_stack(stack_bytes, [] {
    const nopal::statistics before = nopal::stats();
    std::atomic<int> calls{0};
    wait_at_depth(300, calls);
    NOPAL_CHECK(calls == 301);
    NOPAL_CHECK(nopal::workers() != 1 || nopal::stats().total.stacks_taken > before.total.stacks_taken);
  });
  support::check_quiet_soon();
  return 0;
}

// The task that the wait runs on a stack of the pool begins with what the code that waits handles, and leaves that as it was.
NOPAL_PROGRAM(exceptions_on_a_deep_stack) {
  on_deep_stack(stack_bytes, [] {
    tbb::task_group awaited;
    tbb::task_group started;
    auto last = awaited.defer([] { throw std::runtime_error("awaited"); });
    started.run([&] {
      const std::exception_ptr outside = std::current_exception();
      // Another worker that takes the task handles nothing.
      NOPAL_CHECK((outside != nullptr || nopal::workers() != 1) && std::uncaught_exceptions() == 0);
      int calls = 0;
      tbb::parallel_for(0, 1, [&](int) { ++calls; });
      NOPAL_CHECK(calls == 1 && std::current_exception() == outside);
      awaited.run(std::move(last));
      throw std::logic_error("started");
    });
    try {
      throw std::runtime_error("kept");
    } catch (const std::runtime_error& kept) {
      std::string caught;
      try {
        awaited.wait();
      } catch (const std::runtime_error& error) {
        caught = error.what();
      }
      NOPAL_CHECK(caught == "awaited" && kept.what() == std::string("kept"));
      NOPAL_CHECK(std::current_exception() != nullptr && std::uncaught_exceptions() == 0);
    }
    bool is_caught = false;
    try {
      started.wait();
    } catch (const std::logic_error&) {
      is_caught = true;
    }
    NOPAL_CHECK(is_caught);
  });
  support::check_quiet_soon();
  return 0;
}

// Whoever waits for a group and takes a fork of its task has the mode that the task chose, also if there was one worker before.
NOPAL_PROGRAM(mode_of_a_task) {
  std::atomic<bool> has_forked{false};
  tbb::task_group group;
  std::thread other([&] {
    wait_until(has_forked);
    group.wait();
  });
  group.run([&] {
    for (const int rounding : {FE_DOWNWARD, FE_UPWARD}) {
      std::fesetround(rounding);
      const bool is_last = rounding == FE_UPWARD;
      std::atomic<bool> goes_on{!is_last};
      nopal::scope s;
      s.fork([&] {
        has_forked = is_last;
        wait_until(goes_on);
      });
      const int found = std::fegetround();
      goes_on = true;
      NOPAL_CHECK(found == rounding);
      s.join();
    }
    std::fesetround(FE_TONEAREST);
  });
  group.wait();
  other.join();
  return 0;
}

// What it waits for waits for a task that it has started itself, and on two workers nobody else is there to run that.
NOPAL_PROGRAM(what_it_started) {
  if (tbb::this_task_arena::max_concurrency() < 2) return 0;
  for (int round = 0; round != 20; ++round) {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_run{false};
    tbb::task_group others;
    tbb::task_group group;
    group.run([&] {
      has_begun = true;
      wait_until(has_run);
    });
    wait_until(has_begun);  // elsewhere
    others.run([&] { has_run = true; });
    NOPAL_CHECK(group.wait() == tbb::complete && has_run && others.wait() == tbb::complete);
  }
  return 0;
}

// What the code outside of a task has started stays with that code: it may take what the task holds.
NOPAL_PROGRAM(what_the_code_outside_started) {
  for (int round = 0; round != 5; ++round) {
    std::mutex mutex;
    std::atomic<bool> has_begun{false};
    tbb::task_group group;
    tbb::task_group awaited;
    std::thread other([&] {
      awaited.run_and_wait([&] {
        has_begun = true;
        support::sleep_ms(10);  // longer than a wait looks
      });
    });
    wait_until(has_begun);
    int calls = 0;
    start(group, [&] {
      const std::lock_guard guard(mutex);
      ++calls;
    });
    tbb::task_group inside;
    inside.run_and_wait([&] {
      const std::lock_guard guard(mutex);
      NOPAL_CHECK(awaited.wait() == tbb::complete && (nopal::workers() != 1 || calls == 0));
    });
    NOPAL_CHECK(group.wait() == tbb::complete && calls == 1);
    other.join();
  }
  return 0;
}

class waits : public support::program_at_workers {};

TEST_P(waits, run_bodies_of_loops_of_their_tasks) { EXPECT_TRUE(run("loop_of_a_task")); }
TEST_P(waits, run_bodies_of_loops_of_what_their_tasks_started) {
  EXPECT_TRUE(run("loop_of_a_task_of_a_task"));
}
TEST_P(waits, run_what_they_started_where_nobody_else_can) { EXPECT_TRUE(run("what_it_started")); }
TEST_P(waits, run_nothing_that_the_code_outside_of_their_task_started) {
  EXPECT_TRUE(run("what_the_code_outside_started"));
}
TEST_P(waits, run_no_bodies_of_other_threads) { EXPECT_TRUE(run("loops_of_others")); }
TEST_P(waits, have_the_mode_of_the_task_whose_fork_they_take) { EXPECT_TRUE(run("mode_of_a_task")); }
TEST_P(waits, run_no_bodies_of_other_groups) { EXPECT_TRUE(run("loops_of_another_group")); }
TEST_P(waits, go_on_where_the_stack_is_more_than_half_full) { EXPECT_TRUE(run("wait_on_a_deep_stack")); }
TEST_P(waits, use_stacks_of_the_pool_where_theirs_is_full) { EXPECT_TRUE(run("waits_deeper_than_a_stack")); }
TEST_P(waits, keep_exceptions_where_the_stack_is_more_than_half_full) {
  EXPECT_TRUE(run("exceptions_on_a_deep_stack"));
}

INSTANTIATE_TEST_SUITE_P(tbb, waits, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
