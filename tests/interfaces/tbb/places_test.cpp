// A thread of the pool that waits in a call that stays on it keeps nobody from tasks that it may not run.
#include <gtest/gtest.h>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <nopal/nopal.hpp>
#include <thread>

#include "support/program.hpp"

namespace {

using namespace std::chrono_literals;

void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::sleep_for(1ms);
}

/// Where the task is started that what waits needs.
enum class from { call, thread };

/// Starts a task of no interest to those who wait, in the way `how`, and waits until it has run.
void need_other_task(from how) {
  std::atomic<bool> done{false};
  if (how == from::call) {
    tbb::task_arena arena(2);
    arena.enqueue([&] { done = true; });
    wait_until(done);
    return;
  }
  std::thread([&] {
    tbb::task_group others;
    others.run([&] { done = true; });
    wait_until(done);
    others.wait();
  }).join();
}

/// A task that a thread of the pool runs forks. The program's thread takes the continuation, and so the one of
/// the pool waits at the join.
void wait_at_join(from how, std::chrono::milliseconds until_asleep) {
  const std::thread::id program = std::this_thread::get_id();
  std::atomic<bool> begun{false};
  std::atomic<bool> taken{false};
  tbb::task_group group;
  group.run([&] {
    begun = true;
    nopal::scope s;
    s.fork([&] { wait_until(taken); });
    taken = true;
    if (std::this_thread::get_id() == program) {  // on a thread of the pool it would hold that
      std::this_thread::sleep_for(until_asleep);
      need_other_task(how);
    }
    s.join();
  });
  wait_until(begun);
  group.wait();
}

/// The same, where it waits for a group of which the program's thread runs the only task.
void wait_for_group(from how) {
  const std::thread::id program = std::this_thread::get_id();
  std::atomic<bool> begun{false};
  tbb::task_group group;
  group.run([&] {
    std::atomic<bool> taken{false};
    tbb::task_group inner;
    inner.run([&] {
      taken = true;
      if (std::this_thread::get_id() == program) {
        std::this_thread::sleep_for(20ms);
        need_other_task(how);
      }
    });
    begun = true;
    wait_until(taken);
    inner.wait();
  });
  wait_until(begun);
  group.wait();
}

NOPAL_PROGRAM(join_then_task) {
  wait_at_join(from::call, 30ms);
  wait_at_join(from::thread, 30ms);
  return 0;
}

NOPAL_PROGRAM(task_then_join) {
  for (int round = 0; round < 20; ++round) {
    wait_at_join(from::call, 0ms);
    wait_at_join(from::thread, 0ms);
  }
  return 0;
}

NOPAL_PROGRAM(group) {
  wait_for_group(from::call);
  wait_for_group(from::thread);
  return 0;
}

class places : public support::program_at_workers {};

TEST_P(places, are_given_for_a_task_by_who_sleeps_at_a_join) { EXPECT_TRUE(run("join_then_task")); }
TEST_P(places, are_given_for_a_task_by_who_goes_to_sleep_at_a_join) { EXPECT_TRUE(run("task_then_join")); }
TEST_P(places, are_given_for_a_task_by_who_waits_for_a_group) { EXPECT_TRUE(run("group")); }

INSTANTIATE_TEST_SUITE_P(tbb, places, testing::Values(2, 4), testing::PrintToStringParamName());

}  // namespace
