// Two graphs that hand messages on to each other. For programs with our headers, and with oneTBB's.
#ifndef NOPAL_TESTS_INTERFACES_TBB_GRAPHS_HANDING_ON_HPP
#define NOPAL_TESTS_INTERFACES_TBB_GRAPHS_HANDING_ON_HPP

#include <tbb/flow_graph.h>

#include <atomic>

// Each says whether all is right.

/// By a node that has no task of its own: the task is the second graph's, among those of the first.
inline bool hand_on(tbb::flow::graph& first, tbb::flow::graph& second) {
  int sum = 0;
  tbb::flow::broadcast_node<int> from(first);
  tbb::flow::function_node<int, int> to(second, tbb::flow::serial, [&](int x) { return sum += x; });
  tbb::flow::queue_node<int> back(first);
  tbb::flow::make_edge(from, to);
  tbb::flow::make_edge(to, back);
  for (int i = 1; i != 20; ++i) {
    from.try_put(i);
    second.wait_for_all();
    first.wait_for_all();
    int got = 0;
    if (!back.try_get(got) || got != sum || sum != i * (i + 1) / 2) return false;
  }
  return true;
}

/// By tasks of the first graph, to several nodes of the second and on to the first again.
inline bool hand_on_in_tasks(tbb::flow::graph& first, tbb::flow::graph& second) {
  std::atomic<int> sum{0};
  tbb::flow::function_node<int, int> from(first, tbb::flow::unlimited, [](int x) { return x; });
  const auto adds = [&](int x) {
    sum += x;
    return x;
  };
  tbb::flow::function_node<int, int> one(second, tbb::flow::unlimited, adds);
  tbb::flow::function_node<int, int> other(second, tbb::flow::serial, adds);
  tbb::flow::function_node<int, int> last(first, tbb::flow::unlimited, adds);
  tbb::flow::make_edge(from, one);
  tbb::flow::make_edge(from, other);
  tbb::flow::make_edge(one, last);
  tbb::flow::make_edge(other, last);
  for (int i = 0; i != 10; ++i) {
    for (int k = 0; k != 10; ++k) from.try_put(1);
    // In both orders: what is waited for first may lie behind the other.
    (i % 2 == 0 ? first : second).wait_for_all();
    (i % 2 == 0 ? second : first).wait_for_all();
    // Then the rest of the way, from the first graph on.
    first.wait_for_all();
    second.wait_for_all();
    first.wait_for_all();
    if (sum != 40 * (i + 1)) return false;
  }
  return true;
}

#endif
