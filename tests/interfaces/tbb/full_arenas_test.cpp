// What is enqueued in arenas that are full.
#include <gtest/gtest.h>
#include <nopal/runtime.hpp>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using tbb::task_group;
using tbb::task_handle;

/// Long enough for the arena to be found full many times. Without that the programs test less, and end as well.
void let_it_be_found_full() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

void wait_for(const std::atomic<bool>& that) {
  while (!that) std::this_thread::yield();
}

// Nobody waits for the group: only a thread for what is enqueued may come.
NOPAL_PROGRAM(full_for_a_while) {
  for (const int most : {1, 2}) {
    tbb::task_arena arena(most);
    task_group group;
    std::atomic<bool> is_full{false};
    std::atomic<bool> may_leave{false};
    std::atomic<bool> is_run{false};
    arena.enqueue(group.defer([&] {
      is_full = true;
      wait_for(may_leave);
    }));
    wait_for(is_full);
    arena.enqueue(group.defer([&] { is_run = true; }));
    let_it_be_found_full();
    may_leave = true;
    wait_for(is_run);
    NOPAL_CHECK(group.wait() == tbb::complete);
  }
  return 0;
}

// Who waits for the group does so outside, and who has the seat leaves after that.
NOPAL_PROGRAM(full_until_a_wait_outside_is_over) {
  tbb::task_arena arena(1);
  task_group group;
  std::atomic<bool> is_full{false};
  std::atomic<bool> is_over{false};
  std::thread inside([&] {
    arena.execute([&] {
      is_full = true;
      wait_for(is_over);
    });
  });
  wait_for(is_full);
  std::atomic<int> calls{0};
  arena.enqueue(
      [&] {
        let_it_be_found_full();
        ++calls;
      },
      group);
  arena.enqueue([&] { ++calls; }, group);
  NOPAL_CHECK(group.wait() == tbb::complete && calls == 2);
  is_over = true;
  inside.join();
  return 0;
}

// All who are in the arena wait: for all tasks, and for one.
NOPAL_PROGRAM(full_of_those_who_wait) {
  for (const bool is_for_one : {false, true}) {
    tbb::task_arena arena(2, 2);
    task_group group;
    std::atomic<int> inside{0};
    std::atomic<int> calls{0};
    std::atomic<int> limit{0};
    std::vector<std::thread> threads;
    std::vector<task_handle> handles;
    std::vector<tbb::task_completion_handle> ends;
    for (int i = 0; i != 200; ++i) {
      handles.push_back(group.defer([&] {
        limit = tbb::this_task_arena::max_concurrency();
        ++calls;
      }));
      ends.emplace_back(handles.back());
    }
    for (int t = 0; t != 2; ++t) {
      threads.emplace_back([&] {
        arena.execute([&] {
          ++inside;
          if (is_for_one) {
            for (tbb::task_completion_handle& each : ends) group.wait_for_task(each);
          } else {
            group.wait();
          }
        });
      });
    }
    while (inside != 2) std::this_thread::yield();
    for (task_handle& each : handles) arena.enqueue(std::move(each));
    for (std::thread& each : threads) each.join();
    NOPAL_CHECK(group.wait() == tbb::complete && calls == 200 && limit <= 3);
  }
  return 0;
}

// What is enqueued starts what all wait for who are in the arena, in no task of it or in loops.
NOPAL_PROGRAM(full_of_those_who_wait_for_others) {
  for (const bool is_in_loop : {false, true}) {
    tbb::task_arena arena(2, 0);
    task_group group;
    std::atomic<int> inside{0};
    std::atomic<int> calls{0};
    task_handle put_off = group.defer([&] { ++calls; });
    std::vector<std::thread> threads;
    const auto wait = [&] {
      ++inside;
      group.wait();
    };
    for (int t = 0; t != 2; ++t) {
      threads.emplace_back([&] {
        arena.execute([&] { is_in_loop ? tbb::parallel_for(0, 1, [&](int) { wait(); }) : wait(); });
      });
    }
    while (inside != 2) std::this_thread::yield();
    arena.enqueue([&] { group.run(std::move(put_off)); });
    for (std::thread& each : threads) each.join();
    NOPAL_CHECK(calls == 1);
  }
  return 0;
}

// A group's task that was enqueued runs in the arena: what it calls knows of that.
NOPAL_PROGRAM(group_tasks) {
  tbb::task_arena arena(2);
  task_group group;
  std::atomic<int> limit{0};
  std::atomic<int> limit_in_loop{0};
  const auto ask = [&] {
    limit = tbb::this_task_arena::max_concurrency();
    tbb::parallel_for(0, 1, [&](int) { limit_in_loop = tbb::this_task_arena::max_concurrency(); });
  };
  arena.enqueue(group.defer(ask));
  group.wait();
  NOPAL_CHECK(limit == 2 && limit_in_loop == 2);
  limit = 0;
  task_handle first = group.defer([] {});
  task_handle next = group.defer(ask);
  task_group::set_task_order(first, next);
  arena.enqueue(std::move(next));
  group.run(std::move(first));
  group.wait();
  NOPAL_CHECK(limit == 2 && limit_in_loop == 2);
  return 0;
}

// Each task waits for one that it has enqueued: more of them than there are threads for that.
void enqueue_nested(int depth, std::atomic<int>& calls) {
  ++calls;
  if (depth != 0) {
    task_group group;
    tbb::this_task_arena::enqueue(group.defer([depth, &calls] { enqueue_nested(depth - 1, calls); }));
    group.wait();
  }
}
NOPAL_PROGRAM(nested_enqueued_tasks) {
  std::atomic<int> calls{0};
  enqueue_nested(20, calls);
  tbb::task_arena(2).execute([&] { enqueue_nested(20, calls); });
  NOPAL_CHECK(calls == 42);
  return 0;
}

/// Tasks of which each waits for what the next one starts, the last one by a task that comes after all of them.
void wait_for_one_another(int tasks, std::atomic<int>& calls) {
  std::vector<task_group> groups(static_cast<std::size_t>(tasks));
  std::vector<task_handle> put_off;
  for (task_group& each : groups) put_off.push_back(each.defer([&] { ++calls; }));
  task_group all;
  const auto serve = [&](std::size_t which) { groups[which].run(std::move(put_off[which])); };
  for (std::size_t i = 1; i <= groups.size(); ++i) {
    all.run([&, i] {
      if (i < groups.size()) groups[i].wait();
      serve(i - 1);
    });
  }
  all.run([&] { groups[0].wait(); });
  all.wait();
}

// Where each of them was patient, it would take eight naps before the next one begins.
NOPAL_PROGRAM(chains_of_waits) {
  constexpr int tasks = 200;
  std::atomic<int> calls{0};
  const std::uint64_t before = nopal::stats().total.parks;
  tbb::task_arena(2).execute([&] { wait_for_one_another(tasks, calls); });
  const std::uint64_t naps = nopal::stats().total.parks - before;
  NOPAL_CHECK(calls == tasks && naps < 4 * tasks);
  // Outside of arenas they sleep until all of what comes after them is over.
  wait_for_one_another(tasks, calls);
  NOPAL_CHECK(calls == 2 * tasks);
  return 0;
}

// The older of two tasks waits for what comes after the wait of the code that has started both, which is for what the younger one
// starts.
NOPAL_PROGRAM(waits_for_the_youngest) {
  for (int round = 0; round != 20; ++round) {
    std::atomic<int> calls{0};
    tbb::task_arena(2).execute([&calls] {
      task_group by_younger;
      task_group after_wait;
      task_group all;
      task_handle first = by_younger.defer([&] { ++calls; });
      task_handle second = after_wait.defer([&] { ++calls; });
      all.run_and_wait([&] {
        all.run([&] { after_wait.wait(); });
        all.run([&] { by_younger.run(std::move(first)); });
        by_younger.wait();
        after_wait.run(std::move(second));
      });
    });
    NOPAL_CHECK(calls == 2);
  }
  return 0;
}

// The same where code around the wait has started both, or tasks of that code which are over: its thread has.
template <class Code>
void wait_for_younger_of_two(int most, const Code& code) {
  std::atomic<int> calls{0};
  tbb::task_arena(most).execute([&calls, &code] {
    task_group by_younger;
    task_group after_wait;
    task_group all;
    task_handle first = by_younger.defer([&] { ++calls; });
    task_handle second = after_wait.defer([&] { ++calls; });
    const auto start_older = [&] { all.run([&] { after_wait.wait(); }); };
    const auto start_younger = [&] { all.run([&] { by_younger.run(std::move(first)); }); };
    const auto wait = [&] {
      by_younger.wait();
      after_wait.run(std::move(second));
    };
    all.run_and_wait([&] { code(start_older, start_younger, wait); });
  });
  NOPAL_CHECK(calls == 2);
}

NOPAL_PROGRAM(waits_for_the_youngest_of_the_thread) {
  for (int round = 0; round != 20; ++round) {
    for (const int most : {1, 2, 3}) {
      wait_for_younger_of_two(most, [](auto start_older, auto start_younger, auto wait) {
        start_older();
        start_younger();
        task_group inner;
        inner.run(wait);
        inner.wait();
      });
      wait_for_younger_of_two(most, [](auto start_older, auto start_younger, auto wait) {
        start_older();
        start_younger();
        task_group().run_and_wait(wait);
      });
      wait_for_younger_of_two(most, [](auto start_older, auto start_younger, auto wait) {
        start_older();
        task_group inner;
        inner.run(start_younger);
        inner.wait();
        wait();
      });
      wait_for_younger_of_two(most, [](auto start_older, auto start_younger, auto wait) {
        start_older();
        tbb::parallel_for(0, 1, [&start_younger](int) { start_younger(); });
        wait();
      });
    }
  }
  return 0;
}

/// A loop one of whose bodies waits for what another one has had begin: who has the places then is in that body, or at the loop's end.
template <class Begin>
void wait_in_a_loop(const Begin& begin) {
  for (int round = 0; round != 10; ++round) {
    std::atomic<bool> is_begun{false};
    task_group group;
    tbb::parallel_for(
        0, 2,
        [&](int i) {
          if (i == 0) {
            begin(group, [&] { is_begun = true; });
          } else {
            wait_for(is_begun);
          }
        },
        tbb::simple_partitioner());
    group.wait();
  }
}

// Ends of loops run tasks, and what is enqueued.
NOPAL_PROGRAM(waits_in_loops) {
  if (tbb::info::default_concurrency() == 1)
    return 0;  // the second body would wait for ever on the only thread
  const auto run = [](task_group& group, const auto& f) { group.run(f); };
  const auto enqueue = [](task_group& group, const auto& f) {
    tbb::this_task_arena::enqueue(group.defer(f));
  };
  const auto enqueue_alone = [](task_group& /*group*/, const auto& f) { tbb::this_task_arena::enqueue(f); };
  tbb::task_arena(2).execute([&] {
    wait_in_a_loop(run);
    wait_in_a_loop(enqueue);
    wait_in_a_loop(enqueue_alone);
  });
  NOPAL_CHECK(tbb::this_task_arena::current_thread_index() >=
              0);  // from here on waits keep their places outside, too
  wait_in_a_loop(run);
  wait_in_a_loop(enqueue);
  wait_in_a_loop(enqueue_alone);
  return 0;
}

// The thread that has the only place waits until calls of that place are over: in another arena, suspended there, or for a thread.
NOPAL_PROGRAM(calls_of_an_only_place) {
  for (int round = 0; round != 3; ++round) {
    tbb::task_arena outer(1);
    tbb::task_arena inner(2);
    std::atomic<int> over{0};
    outer.execute([&] {
      inner.execute([&] {
        tbb::parallel_for(
            0, 4,
            [&](int) {
              outer.execute([&] {
                const int index = tbb::this_task_arena::current_thread_index();
                NOPAL_CHECK(index == 0 || index == 1);
                ++over;
              });
            },
            tbb::simple_partitioner());
        task_group group;
        tbb::task::suspend([&](tbb::task::suspend_point point) {
          group.run([&outer, point] { outer.execute([point] { tbb::task::resume(point); }); });
        });
        group.wait();
      });
    });
    NOPAL_CHECK(over == 4);
    outer.execute([&] { std::thread([&] { outer.execute([&] { ++over; }); }).join(); });
    NOPAL_CHECK(over == 5);
  }
  return 0;
}

class full_arenas : public support::program_at_workers {};

TEST_P(full_arenas, run_what_was_enqueued_when_they_have_room) { EXPECT_TRUE(run("full_for_a_while")); }
TEST_P(full_arenas, run_what_is_waited_for_outside) { EXPECT_TRUE(run("full_until_a_wait_outside_is_over")); }
TEST_P(full_arenas, run_what_all_wait_for) { EXPECT_TRUE(run("full_of_those_who_wait")); }
TEST_P(full_arenas, run_what_starts_that) { EXPECT_TRUE(run("full_of_those_who_wait_for_others")); }
TEST_P(full_arenas, or_none_run_what_enqueued_tasks_wait_for) { EXPECT_TRUE(run("nested_enqueued_tasks")); }
TEST_P(full_arenas, are_patient_once_where_waits_need_one_another) { EXPECT_TRUE(run("chains_of_waits")); }
TEST_P(full_arenas, run_the_youngest_that_a_wait_has_before_it) {
  EXPECT_TRUE(run("waits_for_the_youngest"));
}
TEST_P(full_arenas, run_the_youngest_of_their_thread_before_others) {
  EXPECT_TRUE(run("waits_for_the_youngest_of_the_thread"));
}
TEST_P(full_arenas, run_what_bodies_of_loops_wait_for_at_their_ends) { EXPECT_TRUE(run("waits_in_loops")); }
TEST_P(full_arenas, let_calls_in_where_the_only_place_waits_elsewhere) {
  EXPECT_TRUE(run("calls_of_an_only_place"));
}
TEST_P(full_arenas, are_known_to_tasks_of_groups) { EXPECT_TRUE(run("group_tasks")); }

INSTANTIATE_TEST_SUITE_P(tbb, full_arenas, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
