// A program compiled with oneTBB's own headers: graphs that hand messages on to each other, where nobody but the code that waits
// for them may be there to run their tasks.
// Usage: in_place_graphs_program LIBRARY: not looked at.

#include <tbb/tbb.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "in_place_check.hpp"

namespace {

namespace flow = tbb::flow;

/// By a node that has no task of its own: the task is the second graph's, among those of the first.
void hand_on(flow::graph& first, flow::graph& second) {
  int sum = 0;
  flow::broadcast_node<int> from(first);
  flow::function_node<int, int> to(second, flow::serial, [&](int x) { return sum += x; });
  flow::queue_node<int> back(first);
  flow::make_edge(from, to);
  flow::make_edge(to, back);
  for (int i = 1; i != 20; ++i) {
    from.try_put(i);
    second.wait_for_all();
    first.wait_for_all();
    int got = 0;
    CHECK(back.try_get(got) && got == sum && sum == i * (i + 1) / 2);
  }
}

/// By tasks of the first graph, to several nodes of the second and on to the first again.
void hand_on_in_tasks(flow::graph& first, flow::graph& second) {
  std::atomic<int> sum{0};
  flow::function_node<int, int> from(first, flow::unlimited, [](int x) { return x; });
  const auto adds = [&](int x) {
    sum += x;
    return x;
  };
  flow::function_node<int, int> one(second, flow::unlimited, adds);
  flow::function_node<int, int> other(second, flow::serial, adds);
  flow::function_node<int, int> last(first, flow::unlimited, adds);
  flow::make_edge(from, one);
  flow::make_edge(from, other);
  flow::make_edge(one, last);
  flow::make_edge(other, last);
  for (int i = 0; i != 10; ++i) {
    for (int k = 0; k != 10; ++k) from.try_put(1);
    (i % 2 == 0 ? first : second).wait_for_all();
    (i % 2 == 0 ? second : first).wait_for_all();
    first.wait_for_all();
    second.wait_for_all();
    CHECK(sum == 40 * (i + 1));
  }
}

void two_graphs() {
  flow::graph first;
  flow::graph second;
  hand_on(first, second);
  hand_on_in_tasks(first, second);
}

/// In a body of a graph that holds a lock: no other body of the graph begins on its thread.
void in_bodies() {
  std::mutex mutex;
  int bodies = 0;
  flow::graph outer;
  flow::function_node<int> locks(outer, flow::unlimited, [&](int) {
    const std::lock_guard<std::mutex> lock(mutex);
    two_graphs();
    ++bodies;
  });
  for (int i = 0; i != 5; ++i) locks.try_put(i);
  outer.wait_for_all();
  CHECK(bodies == 5);
}

}  // namespace

int main() {
  alarm(100);
  two_graphs();
  tbb::task_arena arena(2);
  arena.execute(two_graphs);
  tbb::parallel_for(0, 4, [](int) { two_graphs(); });
  std::thread(two_graphs).join();
  in_bodies();
  std::puts("all right");
  return 0;
}
