// Waits for graphs whose messages come by way of other graphs, each in an arena of its own: with one worker nobody else is there
// to run what the waiting code has started.
#include <gtest/gtest.h>
#include <nopal/runtime.hpp>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "graphs_handing_on.hpp"
#include "support/program.hpp"

namespace {

namespace flow = tbb::flow;

/// A graph in an arena of its own.
struct graph_in_arena {
  explicit graph_in_arena(int places) : arena(places) {
    arena.execute([this] { graph.emplace(); });
  }
  flow::graph& operator*() { return *graph; }

  tbb::task_arena arena;
  std::optional<flow::graph> graph;
};

void both(flow::graph& first, flow::graph& second) {
  NOPAL_CHECK(hand_on(first, second));
  NOPAL_CHECK(hand_on_in_tasks(first, second));
}

NOPAL_PROGRAM(in_arenas_of_their_own) {
  for (const int places : {1, 2, 8}) {
    graph_in_arena first(places);
    graph_in_arena second(places);
    both(*first, *second);
    tbb::task_arena third(2);
    third.execute([&] { both(*first, *second); });
    first.arena.execute([&] { both(*first, *second); });
  }
  return 0;
}

NOPAL_PROGRAM(in_no_arena_and_in_one) {
  graph_in_arena first(2);
  flow::graph second;
  both(*first, second);
  both(second, *first);
  flow::graph third;
  both(second, third);
  return 0;
}

NOPAL_PROGRAM(in_bodies_and_tasks) {
  graph_in_arena first(2);
  const auto body = [&] {
    graph_in_arena second(3);
    flow::graph third;
    both(*second, third);
    graph_in_arena fourth(1);
    both(*fourth, *second);
  };
  tbb::parallel_for(0, 4, [&](int) { body(); });
  tbb::task_group group;
  for (int i = 0; i != 3; ++i) group.run(body);
  group.wait();
  // In a body of a graph, which is a task of it.
  int calls = 0;
  flow::function_node<int> waits(*first, flow::serial, [&](int) {
    body();
    ++calls;
  });
  waits.try_put(1);
  waits.try_put(2);
  (*first).wait_for_all();
  NOPAL_CHECK(calls == 2);
  return 0;
}

/// A wait that has nothing to do leaves alone what another thread has put, and what its own task's surroundings have.
NOPAL_PROGRAM(are_of_their_code_alone) {
  graph_in_arena first(4);
  graph_in_arena second(4);
  std::atomic<bool> released{false};
  std::atomic<bool> here_waits{false};
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> calls{0};
  std::atomic<bool> was_taken{false};
  flow::function_node<int> node(*first, flow::unlimited, [&](int) {
    if (!released && std::this_thread::get_id() == here) was_taken = true;
    ++calls;
  });
  (*second).reserve_wait();
  std::thread other([&] {
    for (int i = 0; i != 10; ++i) node.try_put(i);
    here_waits = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    released = true;
    (*second).release_wait();
    (*first).wait_for_all();
  });
  while (!here_waits) std::this_thread::yield();
  (*second).wait_for_all();
  other.join();
  NOPAL_CHECK(calls == 10 && !was_taken);

  // A body of a graph that waits for another one does not begin the next body of its own.
  std::mutex mutex;
  int bodies = 0;
  flow::function_node<int> locks(*first, flow::unlimited, [&](int) {
    const std::lock_guard<std::mutex> lock(mutex);
    NOPAL_CHECK(hand_on(*second, *second));
    ++bodies;
  });
  for (int i = 0; i != 5; ++i) locks.try_put(i);
  (*first).wait_for_all();
  NOPAL_CHECK(bodies == 5);
  return 0;
}

/// A wait for a group that somebody else ends, while it has nothing to do: after a while, or once there were so many calls.
void wait_for_another(const std::atomic<int>* calls = nullptr, int enough = 0) {
  tbb::task_group group;
  tbb::task_handle rest = group.defer([] {});
  std::thread other([&] {
    if (calls == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    while (calls != nullptr && *calls < enough) std::this_thread::yield();
    group.run(std::move(rest));
  });
  group.wait();
  other.join();
}

/// Who isolates a wait may hold a lock over it that the tasks take.
NOPAL_PROGRAM(stay_out_of_what_is_isolated) {
  using tbb::this_task_arena::isolate;
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> is_inside{false};
  std::atomic<bool> was_taken{false};
  std::atomic<int> calls{0};
  const auto look = [&](int = 0) {
    if (is_inside && std::this_thread::get_id() == here) was_taken = true;
    ++calls;
  };
  const auto isolated = [&](auto f) {
    is_inside = true;
    isolate(f);
    is_inside = false;
  };
  flow::graph graph;
  flow::function_node<int> node(graph, flow::unlimited, look);
  flow::function_node<int, int> first(graph, flow::unlimited, [&](int x) { return look(), x; });
  flow::make_edge(first, node);
  for (int i = 0; i != 4; ++i) {
    node.try_put(i);
    first.try_put(i);
    isolated([] { wait_for_another(); });
    isolated([] { isolate([] { wait_for_another(); }); });
    isolate([&] { node.try_put(i); });
    isolated([] { wait_for_another(); });
    graph.wait_for_all();
  }
  NOPAL_CHECK(calls == 16 && !was_taken);

  tbb::task_arena alone(1);
  alone.execute([&] {
    tbb::task_group others;
    others.run([&] { look(); });
    isolated([] { wait_for_another(); });
    NOPAL_CHECK(calls == 16);
    wait_for_another(&calls, 17);  // nobody else may come
    // What was put in the same call is in reach.
    isolate([&] {
      others.run([&] { look(); });
      wait_for_another(&calls, 18);
    });
    NOPAL_CHECK(calls == 18 && !was_taken);
    others.wait();
  });
  return 0;
}

/// Nor does a task that was put inside make way for an urgent one from outside.
NOPAL_PROGRAM(with_a_priority_stay_out_of_what_is_isolated) {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> is_inside{false};
  std::atomic<bool> was_taken{false};
  std::atomic<int> calls{0};
  graph_in_arena first(1);  // where no worker comes
  flow::function_node<int> urgent(
      *first, flow::unlimited,
      [&](int) {
        if (is_inside && std::this_thread::get_id() == here) was_taken = true;
        ++calls;
      },
      flow::node_priority_t(1));
  flow::function_node<int> other(*first, flow::unlimited, [&](int) { ++calls; });
  for (int i = 0; i != 4; ++i) {
    urgent.try_put(i);
    is_inside = true;
    tbb::this_task_arena::isolate([&] {
      other.try_put(i);
      wait_for_another();
    });
    is_inside = false;
    (*first).wait_for_all();
    NOPAL_CHECK(calls == 2 * (i + 1));
  }
  NOPAL_CHECK(!was_taken);
  return 0;
}

/// A thread of the program ends with what it has put, and the next one has its place.
NOPAL_PROGRAM(of_a_thread_that_ended_stay_out_of_what_is_isolated) {
  graph_in_arena first(1);  // where no worker comes
  std::atomic<int> calls{0};
  std::atomic<bool> is_inside{false};
  std::atomic<bool> was_taken{false};
  flow::function_node<int> node(*first, flow::unlimited, [&](int) {
    if (is_inside) was_taken = true;
    ++calls;
  });
  for (int i = 0; i != 3; ++i) {
    std::thread([&] { node.try_put(0); }).join();
    std::thread([&] {
      is_inside = true;
      tbb::this_task_arena::isolate([] { wait_for_another(); });
      is_inside = false;
    }).join();
  }
  (*first).wait_for_all();
  NOPAL_CHECK(calls == 3 && !was_taken);
  return 0;
}

/// A graph's wait is no isolated one, as in oneTBB: what it waits for may be with another graph.
NOPAL_PROGRAM(run_for_a_graph_in_what_is_isolated) {
  graph_in_arena first(2);
  graph_in_arena second(2);
  std::atomic<int> sum{0};
  flow::broadcast_node<int> from(*first);
  flow::function_node<int> to(*second, flow::serial, [&](int x) { sum += x; });
  flow::make_edge(from, to);
  for (int i = 0; i != 20; ++i) {
    from.try_put(1);
    tbb::this_task_arena::isolate([&] {
      (*second).wait_for_all();
      (*first).wait_for_all();
      NOPAL_CHECK(hand_on(*first, *second));
    });
    NOPAL_CHECK(sum == i + 1);
  }
  return 0;
}

class own_tasks : public support::program_at_workers {};

TEST_P(own_tasks, run_in_arenas_of_their_own) { EXPECT_TRUE(run("in_arenas_of_their_own")); }
TEST_P(own_tasks, run_in_no_arena_and_in_one) { EXPECT_TRUE(run("in_no_arena_and_in_one")); }
TEST_P(own_tasks, run_in_bodies_and_tasks) { EXPECT_TRUE(run("in_bodies_and_tasks")); }
TEST_P(own_tasks, are_of_their_code_alone) { EXPECT_TRUE(run("are_of_their_code_alone")); }

TEST_P(own_tasks, stay_out_of_what_is_isolated) { EXPECT_TRUE(run("stay_out_of_what_is_isolated")); }
TEST_P(own_tasks, of_a_thread_that_ended_stay_out_of_what_is_isolated) {
  EXPECT_TRUE(run("of_a_thread_that_ended_stay_out_of_what_is_isolated"));
}
TEST_P(own_tasks, with_a_priority_stay_out_of_what_is_isolated) {
  EXPECT_TRUE(run("with_a_priority_stay_out_of_what_is_isolated"));
}
TEST_P(own_tasks, run_for_a_graph_in_what_is_isolated) {
  EXPECT_TRUE(run("run_for_a_graph_in_what_is_isolated"));
}

INSTANTIATE_TEST_SUITE_P(tbb, own_tasks, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
