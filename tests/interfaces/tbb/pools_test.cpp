// oneTBB's own memory pools, on its allocator's library.
#define TBB_PREVIEW_MEMORY_POOL 1
#include <gtest/gtest.h>
#include <tbb/memory_pool.h>
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <vector>

#include "support/program.hpp"

namespace {

bool keeps_what_is_written(char* memory, std::size_t size, char value) {
  std::memset(memory, value, size);
  return memory[0] == value && memory[size - 1] == value;
}

NOPAL_PROGRAM(pool_of_an_allocator) {
  tbb::memory_pool<std::allocator<char>> pool;
  std::atomic<int> kept{0};
  tbb::parallel_for(0, 1000, [&](int i) {
    const auto size = static_cast<std::size_t>(1 + i % 300);
    auto* memory = static_cast<char*>(pool.malloc(size));
    kept += keeps_what_is_written(memory, size, static_cast<char>(i % 100)) ? 1 : 0;
    memory = static_cast<char*>(pool.realloc(memory, 2 * size));
    kept += memory[size - 1] == static_cast<char>(i % 100) ? 1 : 0;
    pool.free(memory);
  });
  NOPAL_CHECK(kept == 2000);
  using allocator = tbb::memory_pool_allocator<int>;
  std::list<int, allocator> list{allocator(pool)};
  for (int i = 0; i != 100; ++i) list.push_back(i);
  NOPAL_CHECK(list.size() == 100 && list.back() == 99);
  list.clear();
  pool.recycle();
  // Ours is beside it.
  const std::vector<int, tbb::scalable_allocator<int>> numbers(10, 3);
  NOPAL_CHECK(numbers.back() == 3);
  return 0;
}

NOPAL_PROGRAM(pool_of_a_buffer) {
  static std::array<char, 1 << 20> buffer;
  tbb::fixed_pool pool(buffer.data(), buffer.size());
  auto* first = static_cast<char*>(pool.malloc(1000));
  NOPAL_CHECK(first >= buffer.data() && first + 1000 <= buffer.data() + buffer.size());
  NOPAL_CHECK(keeps_what_is_written(first, 1000, 'n'));
  NOPAL_CHECK(pool.malloc(2 * buffer.size()) == nullptr);
  pool.free(first);
  return 0;
}

/// An allocator that never has memory.
struct empty_allocator {
  using value_type = char;
  char* allocate(std::size_t) { throw std::bad_alloc(); }
  void deallocate(char*, std::size_t) {}
};

NOPAL_PROGRAM(pool_without_memory) {
  bool caught = false;
  try {
    tbb::memory_pool<empty_allocator> pool;
    caught = pool.malloc(100) == nullptr;
  } catch (const std::exception&) {
    caught = true;
  }
  NOPAL_CHECK(caught);
  return 0;
}

class pools : public support::program_at_workers {};

TEST_P(pools, take_memory_of_an_allocator) { EXPECT_TRUE(run("pool_of_an_allocator")); }
TEST_P(pools, take_memory_of_a_buffer) { EXPECT_TRUE(run("pool_of_a_buffer")); }
TEST_P(pools, say_that_there_is_no_memory) { EXPECT_TRUE(run("pool_without_memory")); }

INSTANTIATE_TEST_SUITE_P(tbb, pools, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
