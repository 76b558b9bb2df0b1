// Loops that were over before a thief would have been of use go on alone, and are shared as soon as they take
// longer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

constexpr int positions = 1000;

void take(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// The most positions that the loop went through without a look.
int longest_chunk(std::chrono::microseconds each) {
  std::atomic<int> most{0};
  nopal::parallel_for(0, positions, [&](int from, int to) {
    if (each.count() != 0) take((to - from) * each);
    for (int seen = most; seen < to - from && !most.compare_exchange_weak(seen, to - from);) {
    }
  });
  return most;
}

/// All but an eighth at once, as soon as the machine lets some loop be as short as it is. False: a busy one does not
/// where a tool watches, whose loops take many times as long.
template <class Loop>
bool become_alone(Loop loop) {
  const int most = support::watched ? 10'000 : 100'000;
  for (int i = 0; i < most; ++i) {
    if (loop() >= positions / 2) return true;
  }
  NOPAL_CHECK(support::watched);
  return false;
}

NOPAL_PROGRAM(loops_that_take_longer_are_shared) {
  using std::chrono::microseconds;
  for (int round = 0; round < 20; ++round) {
    if (!become_alone([] { return longest_chunk(microseconds{0}); })) break;
    // Short ones and long ones by turns, from the same place: no long one is taken for a short one.
    NOPAL_CHECK(longest_chunk(microseconds{20}) <= positions / 4);
  }
  support::check_quiet();
  return 0;
}

/// Inside a region, where nobody wants more than there is.
NOPAL_PROGRAM(inner_loops_that_take_longer_are_shared) {
  using std::chrono::microseconds;
  nopal::scope s;
  s.fork([] {
    if (become_alone([] { return longest_chunk(microseconds{0}); })) {
      NOPAL_CHECK(longest_chunk(microseconds{20}) <= positions / 4);
    }
  });
  s.join();
  return 0;
}

/// Most loops are not measured; one in sixteen is.
NOPAL_PROGRAM(one_in_sixteen_is_measured) {
  static const char place = 0;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  int as_before = 0;
  constexpr int loops = 16'000;
  for (int i = 0; i < loops; ++i) {
    int alone = nopal_not_alone;
    const std::uint64_t began = nopal_begin_loop(&place, positions, &alone);
    if (alone == nopal_alone_as_before) {
      NOPAL_CHECK(began <= nopal_loop_time());
      ++as_before;
    } else {
      nopal_end_loop(&place, positions, nopal_loop_time());
    }
  }
  NOPAL_CHECK(as_before <= loops / 16 * 15 && as_before >= loops / 2);
  // More positions than twice as many may take any time; a time that is too long is none of before.
  int alone = nopal_alone;
  static_cast<void>(nopal_begin_loop(&place, 2 * positions + 2, &alone));
  NOPAL_CHECK(alone == nopal_not_alone);
  nopal_end_loop(&place, positions, nopal_loop_time() - 10'000);
  static_cast<void>(nopal_begin_loop(&place, positions, &alone));
  NOPAL_CHECK(alone == nopal_alone);
  return 0;
}

/// Some positions for each worker, which may take long each.
NOPAL_PROGRAM(few_positions_are_shared_but_for_short_ones_after_quiet) {
  static const char place = 0;
  constexpr std::uint64_t quiet = 1'100'000;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  const auto workers = static_cast<std::size_t>(nopal::workers());
  const std::size_t few = 4 * workers;
  // Whether a loop goes on alone, `ticks` after the last one.
  const auto goes_alone = [](std::size_t count, std::uint64_t ticks) {
    for (const std::uint64_t before = nopal_loop_time(); nopal_loop_time() - before < ticks;) {
    }
    int alone = nopal_alone_as_before;
    static_cast<void>(nopal_begin_loop(&place, count, &alone));
    return alone == nopal_alone_in_steps;
  };
  const auto note = [few](std::uint64_t ticks) { nopal_end_loop(&place, few, nopal_loop_time() - ticks); };
  note(1000);
  NOPAL_CHECK(goes_alone(few, quiet));
  NOPAL_CHECK(goes_alone(workers + 1, quiet));
  // As many as there are workers may wait for one another.
  NOPAL_CHECK(!goes_alone(workers, quiet));
  // One after the other: the others are awake. A busy machine may have stopped this thread in between.
  bool shared = false;
  for (int i = 0; i < 10'000 && !shared; ++i) {
    note(1000);
    shared = !goes_alone(few, 0);
  }
  NOPAL_CHECK(shared);
  // Short and long by turns.
  note(1'000'000'000);
  for (int i = 0; i < 5; ++i) {
    NOPAL_CHECK(!goes_alone(few, quiet));
    note(1000);
  }
  for (int i = 0; i < 30; ++i) note(1000);
  NOPAL_CHECK(goes_alone(few, quiet));
  return 0;
}

/// One that waited for those that it woke took several times as long as it takes alone.
NOPAL_PROGRAM(ones_that_were_shared_after_quiet_are_tried_alone) {
  static const char place = 0;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  const std::size_t few = 4 * static_cast<std::size_t>(nopal::workers());
  int tried = 0;
  for (int i = 0; i < 200; ++i) {
    nopal_end_loop(&place, few, nopal_loop_time() - 115'000);
    for (const std::uint64_t before = nopal_loop_time(); nopal_loop_time() - before < 1'100'000;) {
    }
    int alone = nopal_alone_as_before;
    static_cast<void>(nopal_begin_loop(&place, few, &alone));
    tried += alone != nopal_not_alone ? 1 : 0;
  }
  NOPAL_CHECK(tried >= 1 && tried <= 200 / 32 + 6);
  return 0;
}

/// As many as there are workers in the next life of the runtime, which may wait for one another there.
NOPAL_PROGRAM(as_many_as_a_later_life_has_workers_are_shared) {
  static const char place = 0;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  const int later = 4 * nopal::workers();
  const auto goes_alone = [](int wanted) {
    const auto count = static_cast<std::size_t>(wanted);
    bool seen = false;
    // A busy machine may have stopped this thread in between, so that the last loop took long.
    for (int i = 0; i < 100 && !seen; ++i) {
      nopal_end_loop(&place, count, nopal_loop_time() - 1000);
      for (const std::uint64_t before = nopal_loop_time(); nopal_loop_time() - before < 1'100'000;) {
      }
      int alone = nopal_alone_as_before;
      static_cast<void>(nopal_begin_loop(&place, count, &alone));
      seen = alone != nopal_not_alone;
    }
    return seen;
  };
  NOPAL_CHECK(goes_alone(later));
  nopal::shutdown();
  // The environment may ask for others by now.
  NOPAL_CHECK(!goes_alone(later));
  nopal::configure({.workers = later});
  NOPAL_CHECK(!goes_alone(later));
  nopal::parallel_for(0, 2 * later, [](int) {});
  NOPAL_CHECK(nopal::workers() == later && !goes_alone(later) && goes_alone(2 * later));
  return 0;
}

/// Where few positions were short, and all but the first one are long this time, one of these is gone through before the rest is
/// shared.
NOPAL_PROGRAM(few_positions_that_become_long_are_shared) {
  static const char place = 0;
  constexpr std::uint64_t quiet = 1'100'000;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  const std::size_t few = 4 * static_cast<std::size_t>(nopal::workers());
  const std::size_t step = nopal::detail::chunk_of(few, 1);
  bool seen = false;
  // A busy machine may have stopped this thread in between, so that the loop did not go on.
  for (int i = 0; i < 10'000 && !seen; ++i) {
    nopal_end_loop(&place, few, nopal_loop_time());
    for (const std::uint64_t before = nopal_loop_time(); nopal_loop_time() - before < quiet;) {
    }
    nopal::detail::whole_loop loop(&place, few);
    const std::size_t rest = loop.go_alone(1, [](std::size_t from, std::size_t) {
      if (from != 0) take(std::chrono::microseconds{100});
      return true;
    });
    NOPAL_CHECK(rest <= 2 * step);
    seen = rest == 2 * step;
  }
  NOPAL_CHECK(seen);
  return 0;
}

class short_loops : public support::program_at_workers {};

TEST_P(short_loops, that_take_longer_are_shared) { EXPECT_TRUE(run("loops_that_take_longer_are_shared")); }
TEST_P(short_loops, inside_a_region_that_take_longer_are_shared) {
  EXPECT_TRUE(run("inner_loops_that_take_longer_are_shared"));
}
TEST_P(short_loops, are_measured_one_in_sixteen) { EXPECT_TRUE(run("one_in_sixteen_is_measured")); }
TEST_P(short_loops, of_as_many_positions_as_a_later_life_has_workers_are_shared) {
  EXPECT_TRUE(run("as_many_as_a_later_life_has_workers_are_shared"));
}
TEST_P(short_loops, that_were_shared_after_quiet_are_tried_alone) {
  EXPECT_TRUE(run("ones_that_were_shared_after_quiet_are_tried_alone"));
}
TEST_P(short_loops, of_few_positions_are_alone_after_quiet) {
  EXPECT_TRUE(run("few_positions_are_shared_but_for_short_ones_after_quiet"));
}
TEST_P(short_loops, of_few_positions_that_become_long_are_shared) {
  EXPECT_TRUE(run("few_positions_that_become_long_are_shared"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, short_loops, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
