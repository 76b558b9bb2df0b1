// The 16-byte word of a processor that exchanges 8 bytes at most. It is plain C++, so it runs on each.
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "arch/riscv64/word128.hpp"

namespace {

using nopal::internal::arch::compare_exchange_16;
using nopal::internal::arch::end_change;
using nopal::internal::arch::taken;
using nopal::internal::arch::wait_if_changing;

struct alignas(16) halves {
  std::uint64_t low;
  std::uint64_t high;
};

/// A deque's `top` and `split`, which are alike here.
std::uint64_t low_of(std::uint64_t number) { return number | number << 32; }
std::uint64_t number_in(std::uint64_t low) { return low & 0xffffffffU; }

/// As the deque looks at its word: the upper half first.
void look(const halves& word, std::uint64_t (&seen)[2]) {
  do {
    seen[1] = __atomic_load_n(&word.high, __ATOMIC_ACQUIRE);
    seen[0] = __atomic_load_n(&word.low, __ATOMIC_ACQUIRE);
  } while (wait_if_changing(seen[0]));
}

TEST(halves, change_together_or_not_at_all) {
  halves word = {low_of(3), 5};
  std::uint64_t seen[2] = {low_of(3), 5};
  EXPECT_TRUE(compare_exchange_16(&word, seen, low_of(4), 6));
  EXPECT_EQ(word.low, low_of(4));
  EXPECT_EQ(word.high, 6U);
  for (const halves wrong : {halves{low_of(3), 6}, halves{low_of(4), 5}, halves{low_of(3), 5}}) {
    std::uint64_t expected[2] = {wrong.low, wrong.high};
    EXPECT_FALSE(compare_exchange_16(&word, expected, low_of(9), 9));
    EXPECT_EQ(expected[0], low_of(4));
    EXPECT_EQ(expected[1], 6U);
    EXPECT_EQ(word.low, low_of(4));
    EXPECT_EQ(word.high, 6U);
  }
}

TEST(halves, are_free_again_in_a_new_process) {
  halves word = {7 | taken, 1};
  EXPECT_TRUE(wait_if_changing(word.low));
  end_change(&word);
  EXPECT_EQ(word.low, low_of(7));
  end_change(&word);
  EXPECT_EQ(word.low, low_of(7));
  std::uint64_t seen[2] = {low_of(7), 1};
  EXPECT_TRUE(compare_exchange_16(&word, seen, low_of(8), 2));
}

TEST(halves, lose_no_step_and_are_never_seen_apart) {
  constexpr int threads = 6;
  constexpr std::uint64_t steps = 200000;
  halves word = {};
  const auto step = [&word] {
    for (std::uint64_t i = 0; i < steps; ++i) {
      std::uint64_t seen[2];
      look(word, seen);
      // The lower half changes at each step, the upper at every other, as a deque's version does.
      while (!compare_exchange_16(&word, seen, low_of(number_in(seen[0]) + 1), seen[1] + i % 2)) {
        ASSERT_EQ(seen[0], low_of(number_in(seen[0])));
      }
      // The upper half is no later than the lower.
      ASSERT_LE(seen[1], number_in(seen[0]));
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(step);
  for (std::thread& one : all) one.join();
  EXPECT_EQ(word.low, low_of(threads * steps));
  EXPECT_EQ(word.high, threads * steps / 2);
}

}  // namespace
