// Loops that were short after quiet go on alone without the library, as long as they are short, and as long as what they know of
// it is true.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

#ifndef NOPAL_RACES_WATCHED

constexpr std::uint64_t long_quiet = 28'000'000;

void keep_quiet(std::uint64_t ticks = 1'100'000) {
  for (const std::uint64_t before = nopal_loop_time(); nopal_loop_time() - before < ticks;) {
  }
}

bool some_place_is_known() {
  for (const void* place : nopal_this_quiet_loops()->places) {
    if (place != nullptr) return true;
  }
  return false;
}

/// Runs the loop after quiet until the thread knows its place; one worker has nobody to share with, and asks nothing. A busy machine may stop the thread in one, which makes it long.
template <class Loop>
void become_quiet(Loop loop) {
  for (int i = 0; i < (nopal::workers() == 1 ? 10 : 10'000) && !some_place_is_known(); ++i) {
    keep_quiet();
    loop();
  }
  NOPAL_CHECK(some_place_is_known() || nopal::workers() == 1);
}

int few() { return 4 * nopal::workers(); }

/// The same for a place of ours. Whether a loop from there goes on alone.
bool goes_on_quietly(const void* place, int wanted) {
  const auto count = static_cast<std::size_t>(wanted);
  for (int i = 0; i < 100 && !nopal_may_be_quiet(place, count); ++i) {
    keep_quiet();
    int alone = nopal_not_alone;
    const std::uint64_t began = nopal_begin_loop(place, count, &alone);
    nopal_end_loop(place, count, alone == nopal_not_alone ? nopal_loop_time() - 1000 : began);
  }
  keep_quiet();
  std::uint64_t worth = 0;
  return nopal_begin_quiet_loop(place, count, &worth) != 0;
}

NOPAL_PROGRAM(short_ones_do_not_ask) {
  static const char place = 0;
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  const auto count = static_cast<std::size_t>(few());
  std::uint64_t worth = 0;
  const std::uint64_t time = nopal_worth_after(0);
  NOPAL_CHECK(goes_on_quietly(&place, few()));
  NOPAL_CHECK(nopal_begin_quiet_loop(&place, static_cast<std::size_t>(nopal::workers()), &worth) ==
              0);                                   // they may wait for one another
  NOPAL_CHECK(!nopal_may_be_quiet(&place, count));  // the library decides about the next one
  NOPAL_CHECK(goes_on_quietly(&place, few()));
  NOPAL_CHECK(nopal_begin_quiet_loop(&place, 2 * count + 2, &worth) == 0);  // more may take any time
  // Few are gone through in steps of a length, more in steps of as many as are over or as fit.
  const std::uint64_t now = nopal_loop_time();
  NOPAL_CHECK(nopal_go_on_quietly(now - time, time, 1, count - 1, 1) == 0);
  NOPAL_CHECK(nopal_go_on_quietly(nopal_loop_time(), time, 1'000'000, 5'000, 1) == 5'000);
  for (int i = 0;; ++i) {  // unless a busy machine stops the thread here
    const std::size_t more = nopal_go_on_quietly(nopal_loop_time(), time, 1, count - 1, 1);
    if (more == 1) break;
    NOPAL_CHECK(more == 0 && i < 1000);
  }
  NOPAL_CHECK(!nopal_end_quiet_loop(nopal_loop_time() - time, time));
  // One that took longer is short after longer quiet alone.
  const auto is_noted = [&](std::uint64_t took, bool after_long) {
    for (int i = 0; i < 20; ++i) {
      keep_quiet(long_quiet);
      nopal_forget_quiet_loop(&place);
      int alone = nopal_not_alone;
      const std::uint64_t began = nopal_begin_loop(&place, count, &alone);
      while (nopal_loop_time() - began < took) {
      }
      nopal_end_loop(&place, count, began);
      if (!nopal_may_be_quiet(&place, count)) continue;  // a busy machine stopped the thread
      if (after_long) {
        keep_quiet(long_quiet);
      } else {
        keep_quiet();
      }
      if (nopal_begin_quiet_loop(&place, count, &worth) != 0) return true;
    }
    return false;
  };
  NOPAL_CHECK(is_noted(70'000, true) && worth >= nopal_worth_after(long_quiet));
  NOPAL_CHECK(nopal_worth_after(8 * long_quiet) > nopal_worth_after(long_quiet) + 40'000);
  NOPAL_CHECK(is_noted(1'000, false) && worth < nopal_worth_after(UINT64_MAX));
  NOPAL_CHECK(!is_noted(70'000, false));
  // One that follows another is not after quiet.
  nopal_end_loop(&place, count, nopal_loop_time());
  bool asked = false;
  for (int i = 0; i < 1000 && !asked; ++i) {
    NOPAL_CHECK(goes_on_quietly(&place, few()));
    NOPAL_CHECK(nopal_end_quiet_loop(nopal_loop_time(), time));
    asked = nopal_begin_quiet_loop(&place, count, &worth) == 0;
  }
  NOPAL_CHECK(asked);
  return 0;
}

NOPAL_PROGRAM(long_ones_are_shared) {
  if (nopal::workers() == 1) return 0;
  std::atomic<int> longer{0};
  std::atomic<std::uint64_t> threads{0};
  const auto loop = [&] {
    nopal::parallel_for(0, few(), [&](int i) {
      if (longer == 0) return;
      threads |= std::uint64_t{1} << nopal::worker_index();
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds{100};
      while (i == 0 && std::chrono::steady_clock::now() < until) {
      }
      // All but the first ones wait until another thread takes part.
      while (i > few() / 8 && std::popcount(threads.load()) < 2) std::this_thread::yield();
    });
  };
  for (int round = 0; round < 20; ++round) {
    longer = 0;
    become_quiet(loop);
    keep_quiet();
    threads = 0;
    longer = 1;
    loop();
    NOPAL_CHECK(std::popcount(threads.load()) >= 2);
    NOPAL_CHECK(!some_place_is_known());  // it was long
  }
  return 0;
}

NOPAL_PROGRAM(reductions_are_right) {
  const auto sum = [] {
    return nopal::parallel_reduce(
        0, few() + 1, 0, [](int i) { return i; }, [](int a, int b) { return a + b; });
  };
  const int expected = few() * (few() + 1) / 2;
  become_quiet([&] { NOPAL_CHECK(sum() == expected); });
  for (int round = 0; round < 20; ++round) {
    keep_quiet();
    NOPAL_CHECK(sum() == expected);
  }
  return 0;
}

NOPAL_PROGRAM(bodies_that_throw_or_change_threads_leave_it_right) {
  std::atomic<int> calls{0};
  int what = 0;
  const auto loop = [&] {
    nopal::parallel_for(0, few(), [&](int i) {
      ++calls;
      if (what == 1 && i == 1) throw i;
      if (what == 2 && i == 0 && nopal::workers() > 1) {
        // The child waits until its continuation, the rest of this loop, is a thief's.
        std::atomic<bool> stolen{false};
        nopal::scope s;
        s.fork([&] {
          while (!stolen) std::this_thread::yield();
        });
        stolen = true;
        s.join();
      }
    });
  };
  for (int round = 0; round < 20; ++round) {
    what = 0;
    become_quiet(loop);
    keep_quiet();
    what = 1;
    bool thrown = false;
    try {
      loop();
    } catch (int) {
      thrown = true;
    }
    NOPAL_CHECK(thrown);
    what = 0;
    become_quiet(loop);
    keep_quiet();
    what = 2;
    calls = 0;
    loop();
    NOPAL_CHECK(calls == few());
  }
  return 0;
}

/// As many positions as there are workers in the next life of the runtime may wait for one another there, whichever thread chooses
/// that number.
NOPAL_PROGRAM(a_later_life_s_workers_are_known) {
  static const char place = 0;
  const int later = 4 * nopal::workers();
  std::promise<void> has_chosen;
  std::promise<void> is_quiet;
  std::thread other([&] {
    static const char others_place = 0;
    nopal::parallel_for(0, 2, [](int) {});
    NOPAL_CHECK(goes_on_quietly(&others_place, later));
    is_quiet.set_value();
    has_chosen.get_future().wait();
    NOPAL_CHECK(nopal_may_be_quiet(&others_place, static_cast<std::size_t>(later)));
    std::uint64_t worth = 0;
    NOPAL_CHECK(nopal_begin_quiet_loop(&others_place, static_cast<std::size_t>(later), &worth) == 0);
    NOPAL_CHECK(!goes_on_quietly(&others_place, later));
  });
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  NOPAL_CHECK(goes_on_quietly(&place, later));
  is_quiet.get_future().wait();
  nopal::shutdown();
  nopal::configure({.workers = later});
  NOPAL_CHECK(!goes_on_quietly(&place, later));
  nopal::parallel_for(0, 2 * later, [](int) {});
  has_chosen.set_value();
  other.join();
  NOPAL_CHECK(!goes_on_quietly(&place, later) && goes_on_quietly(&place, 2 * later));
  return 0;
}

/// A child of fork(2) reads the environment anew.
NOPAL_PROGRAM(a_child_s_workers_are_known) {
  static const char place = 0;
  const int later = few();
  nopal::parallel_for(0, 2, [](int) {});  // this thread is a worker
  NOPAL_CHECK(goes_on_quietly(&place, later));
  const pid_t child = fork();
  if (child == 0) {
    setenv("NOPAL_WORKERS", std::to_string(later).c_str(), 1);
    const auto count = static_cast<std::size_t>(later);
    std::uint64_t worth = 0;
    NOPAL_CHECK(nopal_may_be_quiet(&place, count) && nopal_begin_quiet_loop(&place, count, &worth) == 0);
    nopal::parallel_for(0, 2 * later, [](int) {});
    NOPAL_CHECK(!goes_on_quietly(&place, later) && goes_on_quietly(&place, 2 * later));
    _exit(0);
  }
  int status = 1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}

/// Destructors of thread-specific values run loops after the thread has ceased to be a worker, and make it one again.
NOPAL_PROGRAM(a_thread_that_ends_is_not_known) {
  static const char place = 0;
  nopal::parallel_for(0, 2, [](int) {});  // the library's key is older
  pthread_key_t key;
  static std::atomic<int> ends{0};
  const int refused = pthread_key_create(&key, [](void*) {
    std::uint64_t worth = 0;
    if (ends == 0) {
      NOPAL_CHECK(nopal_may_be_quiet(&place, static_cast<std::size_t>(few())));
    }
    NOPAL_CHECK(nopal_begin_quiet_loop(&place, static_cast<std::size_t>(few()), &worth) == 0);
    nopal::parallel_for(0, 2, [](int) {});
    NOPAL_CHECK(!goes_on_quietly(&place, few()));
    ++ends;
  });
  NOPAL_CHECK(refused == 0);
  std::thread([key] {
    nopal::parallel_for(0, 2, [](int) {});
    NOPAL_CHECK(goes_on_quietly(&place, few()));
    NOPAL_CHECK(pthread_setspecific(key, &ends) == 0);
  }).join();
  NOPAL_CHECK(ends == 1);
  nopal::shutdown();
  return 0;
}

class quiet_loops : public support::program_at_workers {};

TEST_P(quiet_loops, that_are_short_do_not_ask) { EXPECT_TRUE(run("short_ones_do_not_ask")); }
TEST_P(quiet_loops, that_become_long_are_shared) { EXPECT_TRUE(run("long_ones_are_shared")); }
TEST_P(quiet_loops, that_reduce_are_right) { EXPECT_TRUE(run("reductions_are_right")); }
TEST_P(quiet_loops, whose_bodies_throw_or_change_threads_are_right) {
  EXPECT_TRUE(run("bodies_that_throw_or_change_threads_leave_it_right"));
}
TEST_P(quiet_loops, know_a_later_life_s_workers) { EXPECT_TRUE(run("a_later_life_s_workers_are_known")); }
TEST_P(quiet_loops, know_a_child_s_workers) { EXPECT_TRUE(run("a_child_s_workers_are_known")); }
TEST_P(quiet_loops, are_not_known_of_a_thread_that_ends) {
  EXPECT_TRUE(run("a_thread_that_ends_is_not_known"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, quiet_loops, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

#endif

}  // namespace
