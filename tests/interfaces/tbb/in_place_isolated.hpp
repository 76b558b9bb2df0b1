// What waits in this_task_arena::isolate run, and what they leave alone. For a program compiled with oneTBB's own headers.
#ifndef NOPAL_TESTS_INTERFACES_TBB_IN_PLACE_ISOLATED_HPP
#define NOPAL_TESTS_INTERFACES_TBB_IN_PLACE_ISOLATED_HPP

#include <tbb/tbb.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "in_place_check.hpp"

namespace isolated {

using tbb::this_task_arena::isolate;

inline void pause_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

/// What is put inside and not waited for there may wait for what follows.
inline void calls_end_before_what_was_put_in_them() {
  tbb::task_group_context context;
  for (const bool is_shared : {false, true}) {
    tbb::task_group own;
    tbb::task_group with_context(context);
    tbb::task_group& group = is_shared ? with_context : own;
    std::atomic<bool> is_over{false};
    std::atomic<int> calls{0};
    group.run([&] {
      isolate([&] {
        group.run([&] {
          pause_until(is_over);
          ++calls;
        });
      });
      is_over = true;
    });
    group.wait();
    CHECK(calls == 1);
  }
  tbb::flow::graph graph;
  std::atomic<bool> is_over{false};
  std::atomic<int> calls{0};
  tbb::flow::function_node<int> second(graph, tbb::flow::unlimited, [&](int) {
    pause_until(is_over);
    ++calls;
  });
  tbb::flow::function_node<int> first(graph, tbb::flow::unlimited, [&](int x) {
    isolate([&] { second.try_put(x); });
    is_over = true;
  });
  first.try_put(1);
  graph.wait_for_all();
  CHECK(calls == 1);
}

/// Others may put tasks with the context of what is waited for inside.
inline void tasks_of_others_with_the_context_stay_out() {
  constexpr int count = 20;
  tbb::task_group_context context;
  tbb::task_group inside(context);
  tbb::task_group outside(context);
  tbb::task_handle held = outside.defer([] {});
  std::thread helper([&] { outside.wait(); });
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> is_inside{true};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> was_taken{false};
  std::atomic<int> calls{0};
  isolate([&] {
    inside.run([&] {
      has_begun = true;
      pause_until(may_end);
    });
    pause_until(has_begun);  // by another thread
    std::thread([&] {
      for (int i = 0; i < count; ++i) {
        outside.run([&] {
          if (is_inside && std::this_thread::get_id() == here) was_taken = true;
          ++calls;
        });
      }
    }).join();
    std::thread ends([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      may_end = true;
    });
    inside.wait();
    is_inside = false;
    ends.join();
  });
  outside.run(std::move(held));
  helper.join();
  CHECK(calls == count && !was_taken);
}

/// The same of loops, nested in others with the context and beside them.
inline void loops_of_others_with_the_context_stay_out() {
  static thread_local int depth = 0;
  tbb::task_group_context context;
  std::atomic<bool> was_taken{false};
  std::atomic<bool> is_over{false};
  const auto body = [&](int) {
    if (depth != 0) was_taken = true;
    ++depth;
    isolate([&] {
      tbb::task_group_context other;
      tbb::parallel_for(
          0, 4,
          [&](int) {
            tbb::parallel_for(
                0, 4, [](int) { std::this_thread::yield(); }, tbb::simple_partitioner(), context);
          },
          tbb::simple_partitioner(), other);
    });
    --depth;
  };
  std::thread beside([&] {
    while (!is_over) {
      tbb::parallel_for(
          0, 16,
          [&](int) {
            if (depth != 0) was_taken = true;
            std::this_thread::yield();
          },
          tbb::simple_partitioner(), context);
    }
  });
  for (int i = 0; i < 20; ++i) tbb::parallel_for(0, 16, body, tbb::simple_partitioner(), context);
  is_over = true;
  beside.join();
  CHECK(!was_taken);
}

/// A task that was put inside makes no way for an urgent one from outside.
inline void urgent_tasks_stay_out() {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> is_inside{false};
  std::atomic<bool> was_taken{false};
  std::atomic<int> calls{0};
  tbb::task_arena alone(1);  // where no worker comes
  alone.execute([&] {
    tbb::flow::graph graph;
    tbb::flow::function_node<int> urgent(
        graph, tbb::flow::unlimited,
        [&](int) {
          if (is_inside && std::this_thread::get_id() == here) was_taken = true;
          ++calls;
        },
        tbb::flow::node_priority_t(1));
    tbb::flow::function_node<int> other(graph, tbb::flow::unlimited, [&](int) { ++calls; });
    for (int i = 0; i != 4; ++i) {
      urgent.try_put(i);
      is_inside = true;
      isolate([&] {
        other.try_put(i);
        tbb::task_group group;
        tbb::task_handle rest = group.defer([] {});
        std::thread ends([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          group.run(std::move(rest));
        });
        group.wait();
        ends.join();
      });
      is_inside = false;
      graph.wait_for_all();
      CHECK(calls == 2 * (i + 1));
    }
  });
  CHECK(!was_taken);
}

/// What was put outside is run where it is waited for, as nobody else may be there.
inline void waits_end_for_what_was_put_outside() {
  for (int i = 0; i < 20; ++i) {
    tbb::task_group_context context;
    tbb::task_group first(context);
    tbb::task_group second(context);
    std::atomic<int> calls{0};
    first.run([&] { ++calls; });
    isolate([&] {
      second.run([&] {
        isolate([&] { first.wait(); });
        CHECK(calls == 1);
        ++calls;
      });
      second.wait();
      first.run([&] { isolate([&] { second.run([&] { ++calls; }); }); });
    });
    isolate([&] { first.wait(); });
    second.wait();
    CHECK(calls == 3);
  }
}

inline void check() {
  calls_end_before_what_was_put_in_them();
  tasks_of_others_with_the_context_stay_out();
  loops_of_others_with_the_context_stay_out();
  urgent_tasks_stay_out();
  waits_end_for_what_was_put_outside();
}

}  // namespace isolated

#endif
