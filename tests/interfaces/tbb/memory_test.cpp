// Groups of tasks where there is no memory for what the library itself needs: a task runs, or its wait throws.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/strands.hpp"

namespace {

std::atomic<bool> is_refused{false};

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  return is_refused ? nullptr
                    : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

}  // namespace

// The library takes its memory by these. Not inlined: the compiler would compare one of a pair with the other.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace {

/// Whether `f` had memory enough.
template <class F>
bool had_memory(const F& f) {
  try {
    f();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The first task that the thread runs at all, by each way of waiting for it.
NOPAL_PROGRAM(first_task_without_memory) {
  int refusals = 0;
  for (int way = 0; way != 3; ++way) {
    std::atomic<int> calls{0};
    tbb::task_group group;
    const auto task = [&] { ++calls; };
    if (way != 1) group.run(task);
    is_refused = true;
    const bool had = had_memory([&] { way == 0 ? group.wait() : group.run_and_wait(task); });
    is_refused = false;
    NOPAL_CHECK(had ? calls == (way == 2 ? 2 : 1) : calls < 2);
    refusals += had ? 0 : 1;
    // Nothing is left of it.
    group.wait();
  }
  NOPAL_CHECK(nopal::workers() != 1 || refusals == 3);
  support::check_quiet_soon();
  return 0;
}

/// A tree of tasks that wait for tasks, so many calls deep, with loops.
void tree(int depth, std::atomic<int>& calls) {
  tbb::parallel_for(0, 4, [&](int i) { calls += i == 0 ? 1 : 0; }, tbb::simple_partitioner());
  if (depth == 0) return;
  tbb::task_group group;
  for (int i = 0; i != 2; ++i) group.run([depth, &calls] { tree(depth - 1, calls); });
  group.wait();
}

// Each round is deeper than those before, so that there are workers to be made.
NOPAL_PROGRAM(trees_without_memory) {
  support::use_runtime();
  for (int depth = 1; depth != 9; ++depth) {
    for (const bool refused : {true, false}) {
      std::atomic<int> calls{0};
      is_refused = refused;
      const bool had = had_memory([&] { tree(depth, calls); });
      is_refused = false;
      NOPAL_CHECK(had || refused);
      NOPAL_CHECK(had ? calls == (2 << depth) - 1 : calls < 2 << depth);
    }
  }
  support::check_quiet_soon();
  return 0;
}

class memory : public support::program_at_workers {};

TEST_P(memory, that_is_missing_for_a_task_is_told_by_its_wait) {
  EXPECT_TRUE(run("first_task_without_memory"));
}
TEST_P(memory, that_is_missing_in_trees_of_tasks_is_told_by_their_waits) {
  EXPECT_TRUE(run("trees_without_memory"));
}

INSTANTIATE_TEST_SUITE_P(tbb, memory, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
