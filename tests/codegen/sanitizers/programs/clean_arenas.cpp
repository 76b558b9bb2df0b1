// Correct: arenas that end when their tasks are over, before anything was forked and afterwards.
#include <atomic>
#include <cstdio>
#include <thread>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace {

void run_tasks(int concurrency) {
  std::atomic<int> over{0};
  tbb::task_arena arena(concurrency);
  for (int i = 0; i < 20; ++i) {
    arena.enqueue([&over] { ++over; });
  }
  while (over != 20) std::this_thread::yield();
}

}  // namespace

int main() {
  for (int i = 0; i < 20; ++i) {
    run_tasks(1);
  }
  tbb::parallel_for(0, 100, [](int) {});
  for (int i = 0; i < 20; ++i) {
    run_tasks(1 + i % 3);
  }
  std::puts("done");
  return 0;
}
