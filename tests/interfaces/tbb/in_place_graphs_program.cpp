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

#include "graphs_handing_on.hpp"
#include "in_place_check.hpp"

namespace {

namespace flow = tbb::flow;

void two_graphs() {
  flow::graph first;
  flow::graph second;
  CHECK(hand_on(first, second));
  CHECK(hand_on_in_tasks(first, second));
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
