// oneTBB's own flow graphs, over this library's scheduler.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "graphs_handing_on.hpp"
#include "support/program.hpp"

namespace {

namespace flow = tbb::flow;

NOPAL_PROGRAM(pass_messages_on) {
  for (int round = 0; round != 100; ++round) {
    flow::graph g;
    long sum = 0;
    std::atomic<long> nested{0};
    flow::function_node<int, int> square(g, flow::unlimited, [&](int x) {
      tbb::parallel_for(0, 5, [&](int i) { nested += i; });
      return x * x;
    });
    flow::function_node<int> add(g, flow::serial, [&](int x) { sum += x; });  // one at a time
    flow::make_edge(square, add);
    for (int i = 0; i != 100; ++i) square.try_put(i);
    g.wait_for_all();
    NOPAL_CHECK(sum == 328350 && nested == 1000);
  }
  return 0;
}

NOPAL_PROGRAM(keep_orders_and_limits) {
  flow::graph g;
  std::vector<int> seen;
  int next = 0;
  flow::input_node<int> from(g, [&](tbb::flow_control& control) {
    if (next == 300) control.stop();
    return next++;
  });
  flow::limiter_node<int> few(g, 4);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  flow::function_node<int, int> work(g, flow::unlimited, [&](int x) {
    const int now = ++inside;
    for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {
    }
    --inside;
    return x;
  });
  flow::sequencer_node<int> in_order(g, [](int x) { return static_cast<std::size_t>(x); });
  flow::function_node<int, flow::continue_msg> last(g, flow::serial, [&](int x) {
    seen.push_back(x);
    return flow::continue_msg();
  });
  flow::make_edge(from, few);
  flow::make_edge(few, work);
  flow::make_edge(work, in_order);
  flow::make_edge(in_order, last);
  flow::make_edge(last, few.decrementer());
  from.activate();
  g.wait_for_all();
  NOPAL_CHECK(seen.size() == 300 && most <= 4);
  for (int i = 0; i != 300; ++i) NOPAL_CHECK(seen[static_cast<std::size_t>(i)] == i);
  return 0;
}

NOPAL_PROGRAM(wait_for_other_threads) {
  flow::graph g;
  int got = 0;
  std::vector<std::thread> threads;
  using node = flow::async_node<int, int>;
  node outside(g, flow::serial, [&](int x, node::gateway_type& gateway) {
    gateway.reserve_wait();
    threads.emplace_back([x, &gateway] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      gateway.try_put(x + 1);
      gateway.release_wait();
    });
  });
  flow::function_node<int> take(g, flow::serial, [&](int x) { got += x; });
  flow::make_edge(outside, take);
  for (int i = 0; i != 5; ++i) outside.try_put(i);
  g.wait_for_all();
  NOPAL_CHECK(got == 15);
  for (std::thread& one : threads) one.join();
  return 0;
}

NOPAL_PROGRAM(throw_and_are_cancelled) {
  flow::graph g;
  std::atomic<int> calls{0};
  flow::function_node<int, int> fails(g, flow::serial, [&](int x) {
    ++calls;
    if (x == 5) throw std::out_of_range("five");
    return x;
  });
  for (int i = 0; i != 100; ++i) fails.try_put(i);
  std::string said;
  try {
    g.wait_for_all();
  } catch (const std::out_of_range& e) {
    said = e.what();
  }
  NOPAL_CHECK(said == "five" && g.exception_thrown() && g.is_cancelled() && calls == 6);
  g.reset();
  calls = 0;
  for (int i = 6; i != 16; ++i) fails.try_put(i);
  g.wait_for_all();
  NOPAL_CHECK(calls == 10 && !g.exception_thrown());

  // With a context of the caller's.
  tbb::task_group_context context;
  flow::graph cancelled(context);
  flow::function_node<int> stops(cancelled, flow::serial, [&](int) { context.cancel_group_execution(); });
  for (int i = 0; i != 100; ++i) stops.try_put(i);
  cancelled.wait_for_all();
  NOPAL_CHECK(cancelled.is_cancelled());
  return 0;
}

NOPAL_PROGRAM(run_in_the_arena_of_their_maker) {
  tbb::task_arena two(2);
  std::atomic<int> outside{0};
  two.execute([&] {
    flow::graph g;
    flow::function_node<int> look(g, flow::unlimited, [&](int) {
      if (tbb::this_task_arena::max_concurrency() != 2) ++outside;
    });
    for (int i = 0; i != 200; ++i) look.try_put(i);
    g.wait_for_all();
  });
  NOPAL_CHECK(outside == 0);
  return 0;
}

// A graph in each task, and graphs in bodies of graphs.
NOPAL_PROGRAM(are_waited_for_in_bodies) {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 30, [&](int i) {
    flow::graph outer;
    flow::function_node<int> node(outer, flow::unlimited, [&](int x) {
      flow::graph inner;
      flow::function_node<int> add(inner, flow::unlimited, [&](int y) { sum += y; });
      for (int k = 0; k != 5; ++k) add.try_put(x);
      inner.wait_for_all();
    });
    for (int k = 0; k != 5; ++k) node.try_put(i);
    outer.wait_for_all();
  });
  NOPAL_CHECK(sum == 25L * 435);
  return 0;
}

/// What a node hands on to a node of another graph runs where that one is waited for, also in an arena that has no other thread.
int hand_on_to_another() {
  flow::graph first;
  flow::graph second;
  NOPAL_CHECK(hand_on(first, second));
  return 0;
}

NOPAL_PROGRAM(hand_on_to_other_graphs) {
  tbb::task_arena one(1);
  NOPAL_CHECK(one.execute(hand_on_to_another) == 0);
  int wrong = 0;
  one.execute([&] {
    tbb::task_group group;
    for (int i = 0; i != 5; ++i) group.run([&] { wrong += hand_on_to_another(); });
    group.wait();
  });
  NOPAL_CHECK(wrong == 0);
  tbb::task_arena many(nopal::workers());
  NOPAL_CHECK(many.execute(hand_on_to_another) == 0);
  return hand_on_to_another();
}

// On one worker in that order; on more, each once.
NOPAL_PROGRAM(run_nodes_of_priority_first) {
  const bool in_order = tbb::this_task_arena::max_concurrency() == 1;
  for (int round = 0; round != 20; ++round) {
    flow::graph g;
    std::atomic<int> early{0};  // before the first one without priority
    std::atomic<int> urgent{0};
    std::atomic<int> others{0};
    flow::function_node<int> high(
        g, flow::unlimited,
        [&](int) {
          early += others == 0 ? 1 : 0;
          ++urgent;
        },
        flow::node_priority_t(1));
    flow::function_node<int, int> low(g, flow::unlimited, [&](int x) {
      ++others;
      return x;
    });
    // Where the other one is what the thread would go on with.
    flow::broadcast_node<int> both(g);
    flow::make_edge(both, low);
    flow::make_edge(both, high);
    flow::function_node<int, int> first(g, flow::unlimited, [](int x) { return x; });
    flow::make_edge(first, both);
    first.try_put(1);
    g.wait_for_all();
    NOPAL_CHECK(urgent == 1 && others == 1 && (early == 1 || !in_order));
    // Where others are there already, and lead to more.
    flow::make_edge(low, high);
    early = urgent = others = 0;
    for (int i = 0; i != 50; ++i) low.try_put(i);
    for (int i = 0; i != 50; ++i) high.try_put(i);
    g.wait_for_all();
    NOPAL_CHECK(urgent == 100 && others == 50 && (early == 50 || !in_order));
  }
  return 0;
}

class graphs : public support::program_at_workers {};
TEST_P(graphs, pass_messages_on) { EXPECT_TRUE(run("pass_messages_on")); }
TEST_P(graphs, keep_orders_and_limits) { EXPECT_TRUE(run("keep_orders_and_limits")); }
TEST_P(graphs, wait_for_other_threads) { EXPECT_TRUE(run("wait_for_other_threads")); }
TEST_P(graphs, throw_and_are_cancelled) { EXPECT_TRUE(run("throw_and_are_cancelled")); }
TEST_P(graphs, run_nodes_of_priority_first) { EXPECT_TRUE(run("run_nodes_of_priority_first")); }
TEST_P(graphs, run_in_the_arena_of_their_maker) { EXPECT_TRUE(run("run_in_the_arena_of_their_maker")); }
TEST_P(graphs, hand_on_to_other_graphs) { EXPECT_TRUE(run("hand_on_to_other_graphs")); }
TEST_P(graphs, are_waited_for_in_bodies) { EXPECT_TRUE(run("are_waited_for_in_bodies")); }

INSTANTIATE_TEST_SUITE_P(tbb, graphs, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
