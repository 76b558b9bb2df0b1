// Where forks may come from: any thread, any depth of foreign code, before main and after it.
#include <gtest/gtest.h>

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::check_quiet;
using support::fib;
using support::fib_serial;
using support::flag;
using support::thread_id;

/// Its continuation surely runs on another thread, and yet the join returns on the caller's.
void steal_and_come_home() {
  const pid_t before = thread_id();
  pid_t during = 0;
  flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  during = thread_id();
  support::set(went_on);
  s.join();
  NOPAL_CHECK(thread_id() == before);
  NOPAL_CHECK(nopal::workers() == 1 || during != before);
}

void use_from_this_thread() {
  const pid_t before = thread_id();
  NOPAL_CHECK(fib(16) == 987);
  NOPAL_CHECK(thread_id() == before);
  steal_and_come_home();
}

NOPAL_PROGRAM(several_threads) {
  flag start{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      while (!start) std::this_thread::yield();
      for (int round = 0; round < 50; ++round) use_from_this_thread();
    });
  }
  // The runtime starts in all of them at once.
  support::set(start);
  for (std::thread& thread : threads) thread.join();
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(threads_come_and_go) {
  std::array<std::thread, 64> present;
  for (std::size_t i = 0; i < 2000; ++i) {
    std::thread& place = present[i % present.size()];
    if (place.joinable()) place.join();
    place = std::thread(use_from_this_thread);
  }
  for (std::thread& thread : present) thread.join();
  check_quiet();
  // Workers of threads that ended served the threads that came after.
  NOPAL_CHECK(nopal::stats().per_worker.size() <=
              static_cast<std::size_t>(nopal::workers()) + present.size());
  return 0;
}

std::vector<int> shuffled(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i * 7919 % count;
  return numbers;
}

bool parallel_less(int a, int b) {
  long forked = 0;
  scope s;
  s.fork_into(forked, fib, 4 + a % 4);
  const long here = fib(4 + b % 4);
  s.join();
  NOPAL_CHECK(forked == fib_serial(4 + a % 4) && here == fib_serial(4 + b % 4));
  return a < b;
}

int compare_for_c(const void* a, const void* b) {
  const int left = *static_cast<const int*>(a);
  const int right = *static_cast<const int*>(b);
  if (left == right) return 0;
  return parallel_less(left, right) ? -1 : 1;
}

void sort_through_c() {
  std::vector<int> numbers = shuffled(500);
  std::qsort(numbers.data(), numbers.size(), sizeof(int), compare_for_c);
  NOPAL_CHECK(std::is_sorted(numbers.begin(), numbers.end()));
}

void sort_through_cpp() {
  std::vector<int> numbers = shuffled(500);
  std::sort(numbers.begin(), numbers.end(), parallel_less);
  NOPAL_CHECK(std::is_sorted(numbers.begin(), numbers.end()));
}

/// Several sorts at once, so that a join inside a comparator may leave the sort's code on another thread.
NOPAL_PROGRAM(comparators) {
  for (int round = 0; round < 10; ++round) {
    scope s;
    s.fork(sort_through_c);
    s.fork(sort_through_cpp);
    s.fork(sort_through_c);
    sort_through_cpp();
    s.join();
  }
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(functions_in_functions) {
  std::function<long(int)> tree = [&tree](int depth) {
    if (depth == 0) return fib(6);
    const std::function<long()> half = [&tree, depth] { return tree(depth - 1); };
    long left = 0;
    scope s;
    s.fork_into(left, half);
    const long right = half();
    s.join();
    return left + right;
  };
  for (const int depth : {1, 5, 11, 3}) NOPAL_CHECK(tree(depth) == 8L << depth);
  steal_and_come_home();
  check_quiet();
  return 0;
}

void* main_of_small_thread(void*) {
  for (int round = 0; round < 20; ++round) use_from_this_thread();
  return nullptr;
}

NOPAL_PROGRAM(small_native_stacks) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0);
  // Some processors' least is more.
  const auto least = static_cast<std::size_t>(sysconf(_SC_THREAD_STACK_MIN));
  NOPAL_CHECK(pthread_attr_setstacksize(&attributes, std::max(std::size_t{64} << 10, least)) == 0);
  std::array<pthread_t, 6> threads{};
  for (pthread_t& thread : threads) {
    NOPAL_CHECK(pthread_create(&thread, &attributes, main_of_small_thread, nullptr) == 0);
  }
  for (const pthread_t thread : threads) NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  check_quiet();
  return 0;
}

std::atomic<int> ended{0};

struct forks_at_thread_end {
  void touch() const {}
  ~forks_at_thread_end() {
    use_from_this_thread();
    ++ended;
  }
};

NOPAL_PROGRAM(thread_local_destructors) {
  for (int round = 0; round < 50; ++round) {
    std::thread([round] {
      thread_local const forks_at_thread_end last;
      last.touch();
      // Every other thread forks for the first time when it ends.
      if (round % 2 == 0) use_from_this_thread();
    }).join();
  }
  NOPAL_CHECK(ended == 50);
  check_quiet();
  return 0;
}

void fork_in_key_destructor(void*) {
  use_from_this_thread();
  ++ended;
}

/// Keys made before and after the runtime's own: one destructor at least runs when the thread is no worker anymore.
NOPAL_PROGRAM(key_destructors) {
  std::array<pthread_key_t, 2> keys{};
  NOPAL_CHECK(pthread_key_create(&keys[0], fork_in_key_destructor) == 0);
  use_from_this_thread();
  NOPAL_CHECK(pthread_key_create(&keys[1], fork_in_key_destructor) == 0);
  for (int round = 0; round < 50; ++round) {
    std::thread([&] {
      use_from_this_thread();
      for (const pthread_key_t key : keys) pthread_setspecific(key, &keys);
    }).join();
  }
  NOPAL_CHECK(ended == 100);
  check_quiet();
  return 0;
}

struct counts_unwinding {
  ~counts_unwinding() { ++ended; }
};

void leave_thread() {
  const counts_unwinding local;
  use_from_this_thread();
  // Its destructor runs in the unwinding, with nothing left to wait for.
  scope s;
  s.fork([] { support::burn(100); });
  s.join();
  pthread_exit(nullptr);
}

NOPAL_PROGRAM(thread_exit) {
  for (int round = 0; round < 100; ++round) std::thread(leave_thread).join();
  NOPAL_CHECK(ended == 100);
  check_quiet();
  return 0;
}

bool running_program(const char* name) {
  const char* const running = std::getenv("TEST_PROGRAM");
  return running != nullptr && std::strcmp(running, name) == 0;
}

bool constructed = false;

/// Exists in every process of this test, and forks only in the programs that are about it.
struct forks_around_main {
  forks_around_main() {
    if (!running_program("static_constructor")) return;
    use_from_this_thread();
    constructed = true;
  }
  ~forks_around_main() {
    if (running_program("static_destructor")) use_from_this_thread();
  }
};

const forks_around_main around_main;

NOPAL_PROGRAM(static_constructor) {
  NOPAL_CHECK(constructed);
  use_from_this_thread();
  check_quiet();
  return 0;
}

NOPAL_PROGRAM(static_destructor) {
  // Once with a runtime that main has started, once with one that main has stopped, once with a new one.
  const char* const before = std::getenv("BEFORE_THE_END");
  if (before != nullptr) use_from_this_thread();
  if (before != nullptr && std::strcmp(before, "stopped") == 0) nopal::shutdown();
  return 0;
}

class entry : public support::program_at_workers {};

TEST_P(entry, from_several_threads_at_once) { EXPECT_TRUE(run("several_threads")); }
TEST_P(entry, from_2000_threads_that_come_and_go) { EXPECT_TRUE(run("threads_come_and_go")); }
TEST_P(entry, from_comparators_of_qsort_and_sort) { EXPECT_TRUE(run("comparators")); }
TEST_P(entry, from_functions_at_several_depths) { EXPECT_TRUE(run("functions_in_functions")); }
TEST_P(entry, from_threads_with_small_stacks) { EXPECT_TRUE(run("small_native_stacks")); }
TEST_P(entry, from_thread_local_destructors) { EXPECT_TRUE(run("thread_local_destructors")); }
TEST_P(entry, from_destructors_of_keys) { EXPECT_TRUE(run("key_destructors")); }
TEST_P(entry, from_threads_that_leave_by_pthread_exit) { EXPECT_TRUE(run("thread_exit")); }
TEST_P(entry, from_a_static_constructor) { EXPECT_TRUE(run("static_constructor")); }

TEST_P(entry, from_a_static_destructor) {
  EXPECT_TRUE(run("static_destructor"));
  for (const char* const before : {"used", "stopped"}) {
    support::environment with = support::on_workers(GetParam());
    with.emplace_back("BEFORE_THE_END", before);
    EXPECT_TRUE(support::succeeds("static_destructor", with)) << before;
  }
}

INSTANTIATE_TEST_SUITE_P(at_workers, entry, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
