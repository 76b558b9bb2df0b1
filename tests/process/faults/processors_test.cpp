// Processors that go away: fewer of them, none for a while, and a thread that stands still in the middle of anything.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Every thread of this process, workers included, as the system lists them.
std::vector<pid_t> threads() {
  std::vector<pid_t> all;
  std::FILE* const list = popen(("ls /proc/" + std::to_string(getpid()) + "/task").c_str(), "r");
  NOPAL_CHECK(list != nullptr);
  for (int id = 0; std::fscanf(list, "%d", &id) == 1;) all.push_back(id);
  pclose(list);
  return all;
}

void restrict_all(const cpu_set_t& cpus) {
  for (const pid_t id : threads()) (void)sched_setaffinity(id, sizeof cpus, &cpus);
}

NOPAL_PROGRAM(shrunk_affinity) {
  NOPAL_CHECK(support::fib(15) == 610);
  cpu_set_t before;
  NOPAL_CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  flag stop{false};
  std::thread shaker([&] {
    for (int i = 0; i < 6; ++i) {
      restrict_all(i % 2 == 0 ? one : before);
      support::sleep_ms(30);
    }
    restrict_all(one);
    support::sleep_ms(100);
    support::set(stop);
  });
  while (!stop) NOPAL_CHECK(support::fib(20) == 6765);
  shaker.join();
  NOPAL_CHECK(support::fib(20) == 6765);
  support::check_quiet();
  return 0;
}

TEST(processors, taken_from_running_threads) {
  for (const int workers : {2, 5})
    EXPECT_TRUE(support::succeeds("shrunk_affinity", support::on_workers(workers)));
}

cpu_set_t processors_at_first;

/// Wherever a strand runs, its thread may use all processors.
void check_processors_here() {
  cpu_set_t now;
  NOPAL_CHECK(sched_getaffinity(0, sizeof now, &now) == 0);
  NOPAL_CHECK(CPU_EQUAL(&now, &processors_at_first));
}

void check_in_halves(int halvings) {
  check_processors_here();
  if (halvings == 0) {
    support::fib(10);
    return;
  }
  nopal::scope s;
  s.fork(check_in_halves, halvings - 1);
  check_in_halves(halvings - 1);
  s.join();
}

/// Sleepers are kept off their last wakers' CPUs, and may use them again once they are awake.
NOPAL_PROGRAM(woken_and_woken) {
  NOPAL_CHECK(sched_getaffinity(0, sizeof processors_at_first, &processors_at_first) == 0);
  for (int i = 0; i < 200; ++i) {
    check_in_halves(6);
    support::sleep_ms(1);
  }
  NOPAL_CHECK(nopal::workers() == 1 || nopal::stats().total.parks > 0);
  support::sleep_ms(50);
  for (const pid_t id : threads()) {
    cpu_set_t now;
    NOPAL_CHECK(sched_getaffinity(id, sizeof now, &now) == 0);
    NOPAL_CHECK(CPU_COUNT(&now) >= CPU_COUNT(&processors_at_first) - 1);
  }
  return 0;
}

TEST(processors, are_all_left_to_threads_that_were_woken) {
  for (const int workers : {1, 2, 4})
    EXPECT_TRUE(support::succeeds("woken_and_woken", support::on_workers(workers)));
}

/// A child of fork(2) works while its parent stops it and lets it go on.
NOPAL_PROGRAM(stopped_and_continued) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(50);
    for (const double end = seconds() + 0.6; seconds() < end;) {
      NOPAL_CHECK(support::fib(19) == 4181);
      support::sleep_ms(1);
    }
    support::check_quiet();
    std::exit(0);
  }
  for (int i = 0; i < 12; ++i) {
    support::sleep_ms(20 + i);
    kill(child, SIGSTOP);
    support::sleep_ms(20);
    kill(child, SIGCONT);
  }
  int status = -1;
  NOPAL_CHECK(waitpid(child, &status, 0) == child);
  NOPAL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 0;
}

TEST(processors, taken_from_the_whole_process) {
  for (const int workers : {1, 3}) {
    EXPECT_TRUE(support::succeeds("stopped_and_continued", support::on_workers(workers)));
  }
}

flag stands_still{false};
std::atomic<int> stood_still{0};

void on_freeze(int) {
  support::set(stands_still);
  support::sleep_ms(1000);
  stands_still.store(false);
  ++stood_still;
}

/// One worker after the other stands still for a second in the middle of whatever it does, the others go on around it. Frozen
/// in turn: what a frozen one holds at worst is one strand, so that the rest of the work gets done meanwhile.
NOPAL_PROGRAM(frozen_worker) {
  struct sigaction action = {};
  action.sa_handler = on_freeze;
  NOPAL_CHECK(sigaction(SIGPROF, &action, nullptr) == 0);
  NOPAL_CHECK(support::fib(15) == 610);
  const pid_t self = support::thread_id();
  flag stop{false};
  std::thread freezer([&] {
    const pid_t own = support::thread_id();
    for (const pid_t id : threads()) {
      if (id == own || id == self) continue;
      support::sleep_ms(7);
      syscall(SYS_tgkill, getpid(), id, SIGPROF);
      while (!stands_still) std::this_thread::yield();
      while (stands_still) std::this_thread::yield();
    }
    // The thread of the program last: the pool carries its strand on.
    syscall(SYS_tgkill, getpid(), self, SIGPROF);
    while (!stands_still) std::this_thread::yield();
    while (stands_still) std::this_thread::yield();
    support::set(stop);
  });
  long rounds = 0;
  while (!stop) {
    NOPAL_CHECK(support::fib(18) == 2584);
    ++rounds;
  }
  freezer.join();
  NOPAL_CHECK(stood_still == nopal::workers());
  NOPAL_CHECK(rounds > 1);
  support::check_quiet();
  return 0;
}

TEST(processors, taken_from_one_thread) {
  for (const int workers : {2, 4})
    EXPECT_TRUE(support::succeeds("frozen_worker", support::on_workers(workers)));
}

/// A strand that blocks its worker for a second, and a loop that others finish in the meantime.
NOPAL_PROGRAM(blocked_strand) {
  const double start = seconds();
  std::atomic<int> done{0};
  double all_done = 0;
  scope s;
  s.fork([] { support::sleep_ms(1000); });
  {
    scope rest;
    for (int i = 0; i < 2000; ++i) {
      rest.fork([&done] {
        support::burn(1000);
        ++done;
      });
    }
    rest.join();
    NOPAL_CHECK(done == 2000);
    all_done = seconds();
  }
  s.join();
  NOPAL_CHECK(nopal::workers() == 1 || all_done - start < 0.9);
  NOPAL_CHECK(seconds() - start > 0.99);
  return 0;
}

constexpr int levels = 40;

struct progress {
  std::atomic<int> continued{0};
  std::atomic<double> all_continued{0};
};

void block_at_depth(int depth, progress& made) {
  if (depth == 0) {
    support::sleep_ms(1000);
    return;
  }
  scope s;
  s.fork([depth, &made] { block_at_depth(depth - 1, made); });
  support::burn(100000);
  if (++made.continued == levels) made.all_continued = seconds();
  s.join();
}

/// What the blocked worker forked earlier is taken from it, private as it may be.
NOPAL_PROGRAM(blocked_below_forks) {
  const double start = seconds();
  progress made;
  block_at_depth(levels, made);
  NOPAL_CHECK(made.continued == levels);
  NOPAL_CHECK(nopal::workers() == 1 || made.all_continued - start < 0.9);
  NOPAL_CHECK(seconds() - start > 0.99);
  return 0;
}

TEST(processors, blocked_below_older_forks) {
  for (const int workers : {1, 2, 4})
    EXPECT_TRUE(support::succeeds("blocked_below_forks", support::on_workers(workers)));
}

TEST(processors, blocked_by_a_strand) {
  for (const int workers : {1, 2, 4})
    EXPECT_TRUE(support::succeeds("blocked_strand", support::on_workers(workers)));
}

}  // namespace
