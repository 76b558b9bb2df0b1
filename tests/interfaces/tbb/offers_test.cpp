// A program that forks by oneTBB's interface alone: its forks are eager, and thieves have the halves of its loops while their owner
// is in a long piece.
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/tbb.h>

#ifdef NOPAL_DETAIL_LATENT_USE_HPP
#error "oneTBB's headers say that forks are latent"
#endif

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>

#include <nopal/runtime.hpp>

#include "support/program.hpp"

namespace {

constexpr std::size_t count = 1024;

/// Whether thieves had to interrupt an owner for what they got.
bool was_interrupted() {
#ifdef NOPAL_RACES_WATCHED
  return false;  // nothing is offered
#else
  const nopal::worker_statistics all = nopal::stats().total;
  return all.forced_publishes != 0 || all.signals_sent != 0;
#endif
}

/// The first piece waits for all others, which wait for it to begin: so whoever takes them takes them during that piece.
class long_piece {
public:
  void run(std::size_t first, std::size_t last) {
    if (first == 0) {
      length_ = last;
      has_begun_.store(true, std::memory_order_release);
      while (done_.load(std::memory_order_acquire) != count - last) {
      }
      return;
    }
    while (!has_begun_.load(std::memory_order_acquire)) {
    }
    done_.fetch_add(last - first, std::memory_order_release);
  }
  [[nodiscard]] std::size_t length() const { return length_; }

private:
  std::size_t length_ = 0;
  std::atomic<bool> has_begun_{false};
  std::atomic<std::size_t> done_{0};
};

NOPAL_PROGRAM(loop) {
  for (int round = 0; round < 200; ++round) {
    long_piece all;
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count),
        [&](const tbb::blocked_range<std::size_t>& part) { all.run(part.begin(), part.end()); });
    NOPAL_CHECK(all.length() < count);
  }
  NOPAL_CHECK(!was_interrupted());
  return 0;
}

NOPAL_PROGRAM(reduction) {
  for (int round = 0; round < 200; ++round) {
    long_piece all;
    const std::size_t sum = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, count), std::size_t{0},
        [&](const tbb::blocked_range<std::size_t>& part, std::size_t before) {
          all.run(part.begin(), part.end());
          return before + part.size();
        },
        [](std::size_t a, std::size_t b) { return a + b; });
    NOPAL_CHECK(sum == count && all.length() < count);
  }
  NOPAL_CHECK(!was_interrupted());
  return 0;
}

using halves = support::program_at_workers;

TEST_P(halves, of_a_loop_are_there_during_a_long_piece) { EXPECT_TRUE(run("loop")); }
TEST_P(halves, of_a_reduction_are_there_during_a_long_piece) { EXPECT_TRUE(run("reduction")); }

// Of more workers some are hungry while others have not come to their first piece.
INSTANTIATE_TEST_SUITE_P(tbb, halves, testing::Values(2));

}  // namespace
