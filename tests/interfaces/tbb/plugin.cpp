// A plug-in that uses arenas of oneTBB's interface, with a libnopal of its own or a shared one behind it.
#include <tbb/task_arena.h>

#include <atomic>
#include <thread>

extern "C" __attribute__((visibility("default"))) int plugin_execute(int value) {
  tbb::task_arena arena(3);
  return arena.execute([value] { return value + tbb::this_task_arena::max_concurrency(); });
}

/// Returns once all are over.
extern "C" __attribute__((visibility("default"))) void plugin_enqueue(int count) {
  tbb::task_arena arena(3);
  std::atomic<int> left{count};
  for (int i = 0; i != count; ++i) arena.enqueue([&left] { --left; });
  while (left != 0) std::this_thread::yield();
}
