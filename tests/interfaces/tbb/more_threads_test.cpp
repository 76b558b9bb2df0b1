// global_control for more threads than there are by default: those beyond it serve arenas with a number of their own.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using control = tbb::global_control;

int usual() { return std::atoi(std::getenv("NOPAL_WORKERS")); }
std::size_t more() { return static_cast<std::size_t>(usual()) + 3; }

/// A table with a place for each index, as programs have them.
class table {
public:
  explicit table(int places) : taken_(static_cast<std::size_t>(places)) {}
  void use() {
    const int index = tbb::this_task_arena::current_thread_index();
    NOPAL_CHECK(index >= 0 && index < static_cast<int>(taken_.size()));
    std::atomic<bool>& taken = taken_[static_cast<std::size_t>(index)];
    NOPAL_CHECK(!taken.exchange(true));
    here.stay();
    taken = false;
  }
  support::at_once here;

private:
  std::vector<std::atomic<bool>> taken_;
};

void tree(table& all, int depth) {
  if (depth == 0) {
    all.use();
    return;
  }
  nopal::scope s;
  s.fork([&all, depth] { tree(all, depth - 1); });
  tree(all, depth - 1);
  s.join();
}

void use_in_many_ways(table& all) {
  tbb::parallel_for(0, 2000, [&](int) { all.use(); });
  tbb::task_group group;
  for (int i = 0; i != 500; ++i) group.run([&] { all.use(); });
  group.wait();
  for (int i = 0; i != 50; ++i) {
    group.run([&] { tbb::parallel_for(0, 20, [&](int) { all.use(); }); });
  }
  group.wait();
  NOPAL_CHECK(all.here.most() <= usual());
}

NOPAL_PROGRAM(no_arena) {
  const control limit(control::max_allowed_parallelism, more());
  NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == usual());
  NOPAL_CHECK(tbb::info::default_concurrency() == usual());
  NOPAL_CHECK(control::active_value(control::max_allowed_parallelism) == more());
  table all(usual());
  for (int round = 0; round != 5; ++round) {
    use_in_many_ways(all);
    tree(all, 10);
  }
  return 0;
}

NOPAL_PROGRAM(no_number) {
  const control limit(control::max_allowed_parallelism, more());
  tbb::task_arena arena;
  table all(usual());
  for (int round = 0; round != 5; ++round) arena.execute([&] { use_in_many_ways(all); });
  NOPAL_CHECK(arena.max_concurrency() == usual());
  return 0;
}

/// All `threads` are there at once, or this does not end.
void meet(int threads) {
  std::atomic<int> there{0};
  tbb::parallel_for(
      0, threads,
      [&](int) {
        ++there;
        support::wait_for(there, threads);
      },
      tbb::simple_partitioner());
}

NOPAL_PROGRAM(own_number) {
  const control limit(control::max_allowed_parallelism, more());
  const int threads = static_cast<int>(more());
  tbb::task_arena arena(threads);
  for (int round = 0; round != 20; ++round) {
    arena.execute([&] { meet(threads); });
    table all(usual());
    tbb::parallel_for(0, 100, [&](int) { all.use(); });
  }
  return 0;
}

NOPAL_PROGRAM(enqueued) {
  const control limit(control::max_allowed_parallelism, more());
  const int threads = static_cast<int>(more());
  tbb::task_arena arena(threads);
  for (int round = 0; round != 20; ++round) {
    std::atomic<int> over{0};
    arena.enqueue([&] {
      meet(threads - 1);  // one place is for threads that come by a call
      ++over;
    });
    table all(usual());
    tbb::parallel_for(0, 100, [&](int) { all.use(); });
    support::wait_for(over, 1);
  }
  return 0;
}

NOPAL_PROGRAM(beside_one_another) {
  const control limit(control::max_allowed_parallelism, more());
  std::atomic<bool> over{false};
  std::thread other([&] {
    tbb::task_arena arena(static_cast<int>(more()));
    table all(static_cast<int>(more()));
    for (int round = 0; round != 200; ++round) {
      arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { all.use(); }); });
    }
    over = true;
  });
  while (!over) {
    // Each of the program's own threads has the index 0 outside of arenas.
    std::atomic<int> worst{0};
    tbb::parallel_for(0, 100, [&](int) {
      const int index = tbb::this_task_arena::current_thread_index();
      for (int seen = worst; index > seen && !worst.compare_exchange_weak(seen, index);) {
      }
    });
    NOPAL_CHECK(worst < usual());
  }
  other.join();
  return 0;
}

NOPAL_PROGRAM(suspended) {
  const control limit(control::max_allowed_parallelism, more());
  std::atomic<int> worst{0};
  tbb::task_group group;
  for (int i = 0; i != 200; ++i) {
    group.run([&] {
      std::thread helper;
      tbb::task::suspend([&](tbb::task::suspend_point point) {
        helper = std::thread([point] { tbb::task::resume(point); });
      });
      helper.join();
      const int index = tbb::this_task_arena::current_thread_index();
      for (int seen = worst; index > seen && !worst.compare_exchange_weak(seen, index);) {
      }
    });
  }
  group.wait();
  NOPAL_CHECK(worst < usual());
  return 0;
}

NOPAL_PROGRAM(ended) {
  for (int round = 0; round != 5; ++round) {
    {
      const control limit(control::max_allowed_parallelism, more());
      table all(usual());
      use_in_many_ways(all);
    }
    NOPAL_CHECK(nopal::workers() == usual());
    table all(usual());
    use_in_many_ways(all);
    // The program's own number is a number of workers as any other.
    nopal_shutdown();
    nopal::configure({.workers = usual() + 1});
    NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == usual() + 1);
    meet(usual() + 1);
    nopal_shutdown();
    nopal::configure({});
  }
  return 0;
}

// The program's last word holds.
NOPAL_PROGRAM(configured_since) {
  const control limit(control::max_allowed_parallelism, more());
  nopal::configure({.workers = usual() + 2});
  NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == usual() + 2);
  meet(usual() + 2);
  return 0;
}

// Made and ended while another thread runs loops, between two of these too.
NOPAL_PROGRAM(beside_loops) {
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      tbb::parallel_for(0, 20, [&](int) {
        const int index = tbb::this_task_arena::current_thread_index();
        NOPAL_CHECK(index >= 0 && index < usual());
      });
      NOPAL_CHECK(tbb::this_task_arena::max_concurrency() == usual());
      NOPAL_CHECK(tbb::info::default_concurrency() == usual());
      std::this_thread::yield();
    }
  });
  for (int round = 0; round != 3000; ++round) {
    const control limit(control::max_allowed_parallelism, more());
    std::this_thread::yield();
  }
  over = true;
  other.join();
  return 0;
}

// On a thread of the header's own.
NOPAL_PROGRAM(signals_of_what_is_enqueued) {
  tbb::task_arena arena;
  std::atomic<int> seen{0};
  arena.enqueue([&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    for (const int own : {SIGSEGV, SIGFPE, SIGPIPE, SIGPROF}) NOPAL_CHECK(sigismember(&blocked, own) == 0);
    for (const int others : {SIGTERM, SIGINT, SIGCHLD, SIGALRM})
      NOPAL_CHECK(sigismember(&blocked, others) == 1);
    seen = 1;
  });
  support::wait_for(seen, 1);
  return 0;
}

class more_threads : public support::program_at_workers {};

TEST_P(more_threads, run_nothing_outside_of_arenas) { EXPECT_TRUE(run("no_arena")); }
TEST_P(more_threads, run_nothing_in_arenas_without_a_number) { EXPECT_TRUE(run("no_number")); }
TEST_P(more_threads, are_there_in_arenas_with_a_number) { EXPECT_TRUE(run("own_number")); }
TEST_P(more_threads, are_there_for_what_is_enqueued) { EXPECT_TRUE(run("enqueued")); }
TEST_P(more_threads, keep_apart_what_runs_at_once) { EXPECT_TRUE(run("beside_one_another")); }
TEST_P(more_threads, go_on_with_nothing_that_was_suspended_outside) { EXPECT_TRUE(run("suspended")); }
TEST_P(more_threads, end_with_their_control) { EXPECT_TRUE(run("ended")); }
TEST_P(more_threads, run_anything_once_the_program_has_configured_them) {
  EXPECT_TRUE(run("configured_since"));
}
TEST_P(more_threads, are_never_taken_for_usual_ones) { EXPECT_TRUE(run("beside_loops")); }
TEST_P(more_threads, that_serve_what_is_enqueued_get_signals_of_their_own) {
  EXPECT_TRUE(run("signals_of_what_is_enqueued"));
}

INSTANTIATE_TEST_SUITE_P(tbb, more_threads, testing::Values(1, 2, 3), testing::PrintToStringParamName());

}  // namespace
