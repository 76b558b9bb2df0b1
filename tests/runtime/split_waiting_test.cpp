// fork(2) beside threads that wait for events and mutexes.
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

/// Overwrites what other threads' stacks held that the C library has given to these.
void use_stacks_of_new_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([] {
      volatile unsigned char used[std::size_t{64} << 10];
      for (volatile unsigned char& byte : used) byte = 0x41;
      for (volatile unsigned char& byte : used) NOPAL_CHECK(byte == 0x41);
    });
  }
  for (std::thread& one : threads) one.join();
}

// The child wakes those that wait there, and touches nothing of those that waited in its parent.
NOPAL_PROGRAM(new_processes_beside_threads_that_wait) {
  nopal::event happens;
  nopal::mutex lock;
  lock.lock();
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&happens] { happens.wait(); });
    threads.emplace_back([&lock] { const std::lock_guard guard(lock); });
  }
  support::sleep_ms(30);
  const pid_t child = support::split();
  if (child == 0) {
    use_stacks_of_new_threads();
    std::thread waits([&happens] { happens.wait(); });
    std::thread locks([&lock] { const std::lock_guard guard(lock); });
    support::sleep_ms(10);
    happens.set();
    lock.unlock();
    waits.join();
    locks.join();
    _exit(lock.try_lock() ? 0 : 1);
  }
  support::exited_with_0(child);
  happens.set();
  lock.unlock();
  for (std::thread& one : threads) one.join();
  return 0;
}

class split_waiting : public support::program_at_workers {};

TEST_P(split_waiting, leaves_the_records_of_its_parent_alone) {
  EXPECT_TRUE(run("new_processes_beside_threads_that_wait"));
}

INSTANTIATE_TEST_SUITE_P(at, split_waiting, testing::Values(1, 2), testing::PrintToStringParamName());

}  // namespace
