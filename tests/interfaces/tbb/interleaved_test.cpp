// Memory in several memory nodes by turns. What the system refuses is no failure: the tests run on one node, too.

#define TBB_PREVIEW_NUMA_ALLOCATION 1
#include <tbb/numa_allocation.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

void is_zero_and_writable(void* memory, std::size_t bytes) {
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % page, 0U);
  auto* const at = static_cast<char*>(memory);
  EXPECT_TRUE(std::all_of(at, at + bytes, [](char one) { return one == 0; }));
  std::fill(at, at + bytes, 'x');
}

std::size_t mappings() {
  std::ifstream in("/proc/self/maps");
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

int policy() {
  int mode = -1;
  EXPECT_EQ(syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0), 0);
  return mode;
}

/// Where the page lies; negative: the system does not say.
int node_of(void* at) {
  int where = -1;
  return syscall(SYS_move_pages, 0, 1UL, &at, nullptr, &where, 0) == 0 ? where : -1;
}

TEST(interleaved, memory_is_zero_and_begins_at_a_page) {
  const std::vector<int> own = tbb::info::numa_nodes();
  for (const std::size_t bytes : {std::size_t{1}, page, 10 * page + 1}) {
    for (const std::size_t chunk : {std::size_t{0}, page, 3 * page, 100 * page}) {
      void* memory = tbb::allocate_numa_interleaved(bytes, chunk);
      is_zero_and_writable(memory, bytes);
      tbb::deallocate_numa_interleaved(memory, bytes);
      memory = tbb::allocate_numa_interleaved(bytes, {own.front(), own.back(), own.front()}, chunk);
      is_zero_and_writable(memory, bytes);
      tbb::deallocate_numa_interleaved(memory, bytes);
    }
  }
}

TEST(interleaved, what_makes_no_sense_is_null) {
  EXPECT_EQ(tbb::allocate_numa_interleaved(0), nullptr);
  EXPECT_EQ(tbb::allocate_numa_interleaved(1, std::vector<int>{}), nullptr);
  EXPECT_EQ(tbb::allocate_numa_interleaved(0, {0}, page), nullptr);
  EXPECT_EQ(tbb::allocate_numa_interleaved(SIZE_MAX / 2), nullptr);
#ifndef NOPAL_ELIDE
  EXPECT_EQ(tbb::allocate_numa_interleaved(page, page / 2), nullptr);
  EXPECT_EQ(tbb::allocate_numa_interleaved(page, {0}, 7), nullptr);
#endif
  tbb::deallocate_numa_interleaved(nullptr, page);
}

TEST(interleaved, nodes_that_there_are_not_are_advice_alone) {
  errno = 7;
  for (const std::vector<int>& nodes : {std::vector<int>{-1}, {1 << 30}, {0, 1023, 1024}, {-5, 0, 0, 999}}) {
    for (const std::size_t chunk : {page, 2 * page}) {
      const std::size_t bytes = 9 * page;
      void* const memory = tbb::allocate_numa_interleaved(bytes, nodes, chunk);
      is_zero_and_writable(memory, bytes);
      tbb::deallocate_numa_interleaved(memory, bytes);
    }
  }
  EXPECT_EQ(errno, 7);
}

TEST(interleaved, many_chunks_are_few_mappings_and_the_threads_own_policy_stays) {
  const int before = policy();
  const std::size_t were = mappings();
  const std::size_t bytes = 10'000 * page;
  void* const memory = tbb::allocate_numa_interleaved(bytes, {0, 1, 0}, 2 * page);
  EXPECT_LT(mappings(), were + 10);
  EXPECT_EQ(policy(), before);
  is_zero_and_writable(memory, bytes);
  tbb::deallocate_numa_interleaved(memory, bytes);
}

TEST(interleaved, chunks_lie_in_the_nodes_by_turns) {
  const std::vector<int> own = tbb::info::numa_nodes();
  if (own.size() < 2) GTEST_SKIP() << "one memory node";
  const std::vector<int> turns{own[0], own[1], own[1]};
  const std::size_t chunk = 2 * page;
  const std::size_t bytes = 30 * chunk;
  auto* const memory = static_cast<char*>(tbb::allocate_numa_interleaved(bytes, turns, chunk));
  is_zero_and_writable(memory, bytes);
  for (std::size_t i = 0; i != bytes / page; ++i) {
    const int where = node_of(memory + i * page);
    if (where >= 0) {
      EXPECT_EQ(where, turns[i / 2 % 3]) << i;
    }
  }
  tbb::deallocate_numa_interleaved(memory, bytes);
}

}  // namespace
