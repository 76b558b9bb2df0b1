// libstdc++'s sorts, whose tasks free none but the last child of their parent: the headers free the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <execution>
#include <functional>
#include <new>
#include <numeric>
#include <vector>

#include "support/program.hpp"

namespace {
std::atomic<long> objects = 0;  // made and not freed
}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  objects.fetch_add(1);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  objects.fetch_sub(1);
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { operator delete(memory); }

namespace {

NOPAL_PROGRAM(stl_frees) {
  std::vector<int> numbers(100000);
  long after_one = 0;
  constexpr int rounds = 20;
  for (int i = 0; i <= rounds; ++i) {
    if (i == 1) after_one = objects.load();
    std::iota(numbers.rbegin(), numbers.rend(), 0);
    std::sort(std::execution::par, numbers.begin(), numbers.end());
    NOPAL_CHECK(std::is_sorted(numbers.begin(), numbers.end()));
    std::stable_sort(std::execution::par_unseq, numbers.begin(), numbers.end(), std::greater<>());
  }
  // Of a sort some hundred tasks. What the runtime keeps may grow by a few.
  NOPAL_CHECK(objects.load() - after_one < 100);
  return 0;
}

class parallel_stl_memory : public support::program_at_workers {};

TEST_P(parallel_stl_memory, is_freed_by_sorts) { EXPECT_TRUE(run("stl_frees")); }

INSTANTIATE_TEST_SUITE_P(tbb, parallel_stl_memory, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
