// A program compiled with oneTBB's own headers: what is enqueued without memory.
// Usage: in_place_memory_program LIBRARY: the file that must be what it runs on.
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1

#include <dlfcn.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "in_place_check.hpp"

namespace {

/// As many calls of operator new as this thread may make.
thread_local int left = std::numeric_limits<int>::max();

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (left == 0) throw std::bad_alloc();
  --left;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

/// Enqueued tasks of a group with memory for ever more calls: the wait for them ends, and they are run.
template <class Enqueue>
void check(const Enqueue& enqueue) {
  int refused = 0;
  for (int allowed = 0; allowed != 12; ++allowed) {
    tbb::task_group group;
    std::atomic<int> calls{0};
    group.run_and_wait([] {});  // the group has what it needs to wait
    tbb::task_handle handle = group.defer([&] { ++calls; });
    left = allowed;
    try {
      enqueue(std::move(handle));
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    left = std::numeric_limits<int>::max();
    group.wait();
    CHECK(calls == 1);
  }
  CHECK(refused == 0);
}

}  // namespace

int main(int count, char** arguments) {
  alarm(60);
  Dl_info where{};
  CHECK(dladdr(reinterpret_cast<void*>(&TBB_runtime_interface_version), &where) != 0);
  CHECK(count != 2 || std::strcmp(where.dli_fname, arguments[1]) == 0);
  tbb::task_arena arena(2);
  arena.initialize();
  check([](tbb::task_handle&& handle) { tbb::this_task_arena::enqueue(std::move(handle)); });
  check([&](tbb::task_handle&& handle) { arena.enqueue(std::move(handle)); });
  arena.execute(
      [] { check([](tbb::task_handle&& handle) { tbb::this_task_arena::enqueue(std::move(handle)); }); });
  std::puts("all right");
  return 0;
}
