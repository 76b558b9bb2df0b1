// Tasks of groups that begin after others, and waits for one task.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using tbb::task_completion_handle;
using tbb::task_group;
using tbb::task_handle;

static_assert(TBB_HAS_TASK_GROUP_DEPENDENCIES >= 202603 && TBB_HAS_TASK_GROUP_WAIT_FOR_SINGLE_TASK >= 202603);

NOPAL_PROGRAM(random_orders) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int round = 0; round != 40; ++round) {
    const std::size_t count = 1 + random() % 60;
    task_group group;
    std::vector<std::atomic<int>> over(count);
    std::vector<std::vector<std::size_t>> before(count);
    std::vector<task_handle> handles;
    std::vector<task_completion_handle> ends;
    std::atomic<int> wrong{0};
    for (std::size_t i = 0; i != count; ++i) {
      handles.push_back(group.defer([&, i] {
        for (const std::size_t each : before[i]) wrong += over[each] != 1;
        ++over[i];
      }));
      ends.emplace_back(handles.back());
    }
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i != count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    // Some are run before others are put in order, if what is behind them was.
    for (std::size_t i = 0; i != count; ++i) {
      for (std::size_t j = 0; j != i; ++j) {
        if (random() % 4 == 0) before[i].push_back(j);
      }
    }
    for (std::size_t i = 0; i != count; ++i) {
      for (const std::size_t each : before[i]) {
        if (handles[each] && random() % 2 == 0) {
          task_group::set_task_order(handles[each], handles[i]);
        } else {
          task_group::set_task_order(ends[each], handles[i]);
        }
      }
      if (random() % 2 == 0) group.run(std::move(handles[i]));
    }
    for (const std::size_t i : order) {
      if (!handles[i]) continue;
      random() % 2 == 0 ? group.run(std::move(handles[i]))
                        : tbb::this_task_arena::enqueue(std::move(handles[i]));
    }
    NOPAL_CHECK(group.wait() == tbb::complete && wrong == 0);
    for (std::size_t i = 0; i != count; ++i)
      NOPAL_CHECK(over[i] == 1 && group.get_status_of(ends[i]) == tbb::task_complete);
  }
  return 0;
}

// Threads put tasks in order while others run them.
NOPAL_PROGRAM(orders_by_several_threads) {
  for (int round = 0; round != 100; ++round) {
    task_group group;
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    std::atomic<int> after{0};
    task_handle first = group.defer([&] { is_over = true; });
    task_completion_handle end = first;
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t != 3; ++t) {
      threads.emplace_back([&] {
        ++ready;
        while (ready != 4) std::this_thread::yield();
        for (int i = 0; i != 10; ++i) {
          task_handle next = group.defer([&] {
            wrong += !is_over;
            ++after;
          });
          task_group::set_task_order(end, next);
          group.run(std::move(next));
        }
      });
    }
    ++ready;
    while (ready != 4) std::this_thread::yield();
    group.run(std::move(first));
    for (std::thread& thread : threads) thread.join();
    group.wait();
    NOPAL_CHECK(wrong == 0 && after == 30);
  }
  return 0;
}

long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

void fib_by_order(task_group& group, int n, long* result) {
  if (n < 8) {
    *result = fib(n);
    return;
  }
  auto parts = std::make_shared<std::pair<long, long>>();
  task_handle left = group.defer([&group, n, parts] { fib_by_order(group, n - 1, &parts->first); });
  task_handle right = group.defer([&group, n, parts] { fib_by_order(group, n - 2, &parts->second); });
  task_handle sum = group.defer([result, parts] { *result = parts->first + parts->second; });
  task_group::set_task_order(left, sum);
  task_group::set_task_order(right, sum);
  task_group::transfer_this_task_completion_to(sum);
  group.run(std::move(left));
  group.run(std::move(right));
  group.run(std::move(sum));
}

NOPAL_PROGRAM(ends_handed_over) {
  task_group group;
  long result = 0;
  task_handle root = group.defer([&] { fib_by_order(group, 20, &result); });
  task_completion_handle end = root;
  long seen = 0;
  task_handle last = group.defer([&] { seen = result; });
  task_group::set_task_order(root, last);
  NOPAL_CHECK(group.get_status_of(end) == tbb::not_complete);
  group.run(std::move(root));
  group.run(std::move(last));
  NOPAL_CHECK(group.wait_for_task(end) == tbb::task_complete && result == 6765);
  NOPAL_CHECK(group.wait() == tbb::complete && seen == 6765);
  return 0;
}

void hand_on(task_group& group, int left, int* result) {
  if (left == 0) {
    *result = 1;
    return;
  }
  task_handle next = group.defer([&group, left, result] { hand_on(group, left - 1, result); });
  task_group::transfer_this_task_completion_to(next);
  group.run(std::move(next));
}

NOPAL_PROGRAM(a_long_chain_of_ends) {
  task_group group;
  int result = 0;
  task_handle first = group.defer([&] { hand_on(group, 200'000, &result); });
  task_handle after = group.defer([&] { result *= 2; });
  task_group::set_task_order(first, after);
  group.run(std::move(after));
  NOPAL_CHECK(group.run_and_wait_for_task(std::move(first)) == tbb::task_complete);
  NOPAL_CHECK(group.wait() == tbb::complete && result == 2);
  return 0;
}

NOPAL_PROGRAM(waits_for_one) {
  // Another task of the group cannot end before the wait is over.
  task_group group;
  std::atomic<bool> may_end{false};
  int found = 0;
  task_handle blocked = group.defer([&] { NOPAL_CHECK(may_end); });
  task_handle one = group.defer([&] { found = 1; });
  task_completion_handle end = one;
  group.run(std::move(one));
  NOPAL_CHECK(group.wait_for_task(end) == tbb::task_complete && found == 1);
  NOPAL_CHECK(group.wait_for_task(end) == tbb::task_complete);
  // What is over is before whatever it is put before.
  task_handle late = group.defer([&] { found += 1; });
  task_group::set_task_order(end, late);
  NOPAL_CHECK(group.run_and_wait_for_task(std::move(late)) == tbb::task_complete && found == 2);

  tbb::task_arena arena(2);
  task_handle there = group.defer([&] { found += 10; });
  task_completion_handle end_there = there;
  arena.enqueue(std::move(there));
  NOPAL_CHECK(arena.wait_for(end_there) == tbb::task_complete && found == 12);

  // The last task before it is run by another thread, some time.
  task_handle before = group.defer([&] { found += 100; });
  task_handle after = group.defer([&] { found += 1000; });
  task_group::set_task_order(before, after);
  std::thread other([&] { group.run(std::move(before)); });
  NOPAL_CHECK(group.run_and_wait_for_task(std::move(after)) == tbb::task_complete && found == 1112);
  other.join();
  may_end = true;
  group.run(std::move(blocked));
  NOPAL_CHECK(group.wait() == tbb::complete);
  return 0;
}

// Those who wait for it have all places of the arena where it was enqueued.
NOPAL_PROGRAM(waits_in_a_full_arena) {
  for (int round = 0; round != 30; ++round) {
    tbb::task_arena arena(2);
    task_group group;
    std::atomic<int> inside{0};
    std::atomic<int> calls{0};
    const auto wait = [&] {
      arena.execute([&] {
        ++inside;
        while (inside < 2) std::this_thread::yield();
        if (inside++ == 2) {
          arena.enqueue(group.defer([&] { ++calls; }));
          ++inside;
        }
        while (inside < 5) std::this_thread::yield();
        NOPAL_CHECK(group.wait() == tbb::complete && calls == 1);
      });
    };
    std::thread other(wait);
    wait();
    other.join();
  }
  return 0;
}

// What begins after the task that is waited for is not run by the thread that waits: it may need what comes after the wait.
NOPAL_PROGRAM(waits_before_what_needs_their_end) {
  for (int round = 0; round != 300; ++round) {
    task_group group;
    tbb::task_arena arena;
    std::atomic<bool> is_waited_for{false};
    task_handle next = group.defer([&] {
      while (!is_waited_for) std::this_thread::yield();
    });
    task_handle before = group.defer([] {});
    task_handle heir = group.defer([] {});
    task_group::set_task_order(before, heir);
    task_group::set_task_order(heir, next);
    task_handle one = group.defer([&] {
      task_group::transfer_this_task_completion_to(heir);
      arena.execute([&] {
        group.run(std::move(next));
        group.run(std::move(before));
      });
      group.run(std::move(heir));
    });
    task_completion_handle end = one;
    arena.execute([&] {
      arena.enqueue(std::move(one));
      NOPAL_CHECK(group.wait_for_task(end) == tbb::task_complete);
    });
    is_waited_for = true;
    NOPAL_CHECK(arena.wait_for(group) == tbb::complete);
  }
  return 0;
}

NOPAL_PROGRAM(many_wait_for_one) {
  for (int round = 0; round != 50; ++round) {
    task_group group;
    std::atomic<int> seen{0};
    int written = 0;
    task_handle one = group.defer([&] { written = 1; });
    task_completion_handle end = one;
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
      threads.emplace_back([&] {
        NOPAL_CHECK(group.wait_for_task(end) == tbb::task_complete);
        seen += written;
      });
    group.run(std::move(one));
    for (std::thread& thread : threads) thread.join();
    group.wait();
    NOPAL_CHECK(seen == 4);
  }
  return 0;
}

NOPAL_PROGRAM(cancelled_tasks) {
  task_group group;
  int calls = 0;
  {
    task_handle one = group.defer([&] { ++calls; });
    task_handle next = group.defer([&] { ++calls; });
    task_completion_handle ends[] = {one, next};
    task_group::set_task_order(one, next);
    group.cancel();
    group.run(std::move(next));
    group.run(std::move(one));
    NOPAL_CHECK(group.wait_for_task(ends[1]) == tbb::canceled &&
                group.get_status_of(ends[0]) == tbb::canceled);
    NOPAL_CHECK(group.wait() == tbb::canceled && calls == 0);
  }
  {  // One that throws did not run to its end; the wait for all throws what it threw.
    task_handle one = group.defer([]() -> void { throw std::runtime_error("one"); });
    task_handle next = group.defer([&] { ++calls; });
    task_completion_handle ends[] = {one, next};
    task_group::set_task_order(one, next);
    group.run(std::move(next));
    NOPAL_CHECK(group.run_and_wait_for_task(std::move(one)) == tbb::canceled);
    NOPAL_CHECK(group.wait_for_task(ends[1]) == tbb::canceled && calls == 0);
    bool has_thrown = false;
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      has_thrown = true;
    }
    NOPAL_CHECK(has_thrown);
  }
  {  // A handle that is dropped has its task cancelled.
    task_handle dropped = group.defer([&] { ++calls; });
    task_completion_handle end = dropped;
    dropped = task_handle();
    NOPAL_CHECK(group.get_status_of(end) == tbb::canceled && group.wait_for_task(end) == tbb::canceled);
  }
  NOPAL_CHECK(group.wait() == tbb::complete && calls == 0);
  return 0;
}

NOPAL_PROGRAM(tasks_that_return_tasks) {
  task_group group;
  std::atomic<int> calls{0};
  for (int i = 0; i != 100; ++i) {
    group.run([&]() -> task_handle {
      task_handle before = group.defer([&] { ++calls; });
      task_handle next = group.defer([&, at_least = 1] { NOPAL_CHECK(calls.fetch_add(1) >= at_least); });
      task_group::set_task_order(before, next);
      group.run(std::move(before));
      return next;
    });
  }
  NOPAL_CHECK(group.wait() == tbb::complete && calls == 200);
  return 0;
}

NOPAL_PROGRAM(handles_of_ends) {
  task_group group;
  task_completion_handle none;
  NOPAL_CHECK(!none && none == nullptr && nullptr == none);
  {
    task_handle a = group.defer([] {});
    task_handle b = group.defer([] {});
    task_completion_handle first = a;
    task_completion_handle second(b);
    NOPAL_CHECK(first && first != nullptr && first != second);
    task_completion_handle copy = first;
    NOPAL_CHECK(copy == first);
    copy = second;
    NOPAL_CHECK(copy == second);
    const task_completion_handle moved = std::move(copy);
    NOPAL_CHECK(!copy && moved == second);
    none = a;
    NOPAL_CHECK(none == first);
    task_completion_handle& same = none;
    none = same;
    NOPAL_CHECK(none == first);
    group.run(std::move(a));
    group.run(std::move(b));
  }
  group.wait();
  NOPAL_CHECK(group.get_status_of(none) == tbb::task_complete);
  NOPAL_CHECK(!tbb::is_inside_task());
  std::atomic<int> inside{0};
  tbb::parallel_for(0, 10, [&](int) { inside += tbb::is_inside_task(); });
  NOPAL_CHECK(inside == 10);
  // Here there is nothing to hand over.
  task_handle heir = group.defer([] {});
  task_group::transfer_this_task_completion_to(heir);
  group.run([&] { task_group::transfer_this_task_completion_to(heir); });
  group.run(std::move(heir));
  NOPAL_CHECK(group.wait() == tbb::complete);
  return 0;
}

class task_order : public support::program_at_workers {};

TEST_P(task_order, is_kept_by_tasks_put_in_any_order) { EXPECT_TRUE(run("random_orders")); }
TEST_P(task_order, is_made_by_several_threads) { EXPECT_TRUE(run("orders_by_several_threads")); }
TEST_P(task_order, counts_the_task_to_which_an_end_was_handed_over) { EXPECT_TRUE(run("ends_handed_over")); }
TEST_P(task_order, goes_over_long_chains_of_ends) { EXPECT_TRUE(run("a_long_chain_of_ends")); }
TEST_P(task_order, has_waits_for_one_task) { EXPECT_TRUE(run("waits_for_one")); }
TEST_P(task_order, leaves_what_needs_the_end_of_a_wait_to_others) {
  EXPECT_TRUE(run("waits_before_what_needs_their_end"));
}
TEST_P(task_order, leaves_what_was_enqueued_in_a_full_arena_to_those_who_wait) {
  EXPECT_TRUE(run("waits_in_a_full_arena"));
}
TEST_P(task_order, has_many_wait_for_one_task) { EXPECT_TRUE(run("many_wait_for_one")); }
TEST_P(task_order, tells_of_cancelled_tasks) { EXPECT_TRUE(run("cancelled_tasks")); }
TEST_P(task_order, holds_for_tasks_that_are_returned) { EXPECT_TRUE(run("tasks_that_return_tasks")); }
TEST_P(task_order, has_handles_of_ends) { EXPECT_TRUE(run("handles_of_ends")); }

INSTANTIATE_TEST_SUITE_P(tbb, task_order, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
