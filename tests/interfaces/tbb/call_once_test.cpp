// collaborative_call_once of oneTBB's interface: one call, and those who wait for it help.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

/// Calls `f(i)` in that many threads of the program.
template <class F>
void in_threads(int count, const F& f) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i != count; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& one : threads) one.join();
}

long sum_of_loop(int count) {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, count, [&](int i) { sum += i; });
  return sum;
}

NOPAL_PROGRAM(one_call) {
  for (int round = 0; round != 200; ++round) {
    tbb::collaborative_once_flag flag;
    int calls = 0;
    long sum = 0;
    const auto use = [&](int) {
      tbb::collaborative_call_once(flag, [&] {
        ++calls;
        sum = sum_of_loop(1000);
      });
      NOPAL_CHECK(calls == 1 && sum == 499500);
    };
    if (round % 2 == 0) {
      tbb::parallel_for(0, 40, use);
    } else {
      in_threads(3, use);
    }
  }
  return 0;
}

NOPAL_PROGRAM(arguments) {
  tbb::collaborative_once_flag flag;
  int a = 1;
  const auto add = [](int& to, std::unique_ptr<int> what) { to += *what; };
  tbb::collaborative_call_once(flag, add, a, std::make_unique<int>(4));
  tbb::collaborative_call_once(flag, add, a, std::make_unique<int>(7));
  NOPAL_CHECK(a == 5);
  return 0;
}

// The body of the loop in the call waits until the thread that waits for the call has come to another one.
NOPAL_PROGRAM(help) {
  for (int round = 0; round != 20; ++round) {
    tbb::collaborative_once_flag flag;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    std::thread::id caller;
    std::thread other([&] {
      while (!has_begun) std::this_thread::yield();
      const std::thread::id here = std::this_thread::get_id();
      caller = here;
      tbb::collaborative_call_once(flag, [] { NOPAL_CHECK(false); });
      NOPAL_CHECK(std::this_thread::get_id() == here);
    });
    const std::thread::id helper = other.get_id();
    tbb::collaborative_call_once(flag, [&] {
      has_begun = true;
      // The thread that waits is to find bodies, and takes no longer than the machine is busy.
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!has_come && std::chrono::steady_clock::now() < until) {
        tbb::parallel_for(
            0, 64,
            [&](int) {
              if (std::this_thread::get_id() == helper) has_come = true;
              std::this_thread::yield();
            },
            tbb::simple_partitioner());
      }
    });
    other.join();
    NOPAL_CHECK(has_come && caller == helper);
  }
  return 0;
}

// The thread that waits runs tasks of a group in the call as well.
NOPAL_PROGRAM(help_with_tasks) {
  for (int round = 0; round != 20; ++round) {
    tbb::collaborative_once_flag flag;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_come{false};
    std::thread other([&] {
      while (!has_begun) std::this_thread::yield();
      tbb::collaborative_call_once(flag, [] { NOPAL_CHECK(false); });
    });
    const std::thread::id helper = other.get_id();
    tbb::collaborative_call_once(flag, [&] {
      has_begun = true;
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!has_come && std::chrono::steady_clock::now() < until) {
        tbb::task_group group;
        for (int i = 0; i != 16; ++i) {
          group.run([&] {
            if (std::this_thread::get_id() == helper) has_come = true;
          });
        }
        std::this_thread::yield();
        group.wait();
      }
    });
    other.join();
    NOPAL_CHECK(has_come);
  }
  return 0;
}

NOPAL_PROGRAM(exceptions) {
  for (int round = 0; round != 50; ++round) {
    tbb::collaborative_once_flag flag;
    std::atomic<int> calls{0};
    std::atomic<int> thrown{0};
    in_threads(4, [&](int) {
      for (bool goes_on = true; goes_on;) {
        goes_on = false;
        try {
          tbb::collaborative_call_once(flag, [&] {
            const int call = ++calls;
            tbb::parallel_for(0, 100, [&](int i) {
              if (call < 4 && i == 50) throw std::runtime_error("not yet");
            });
          });
        } catch (const std::runtime_error&) {
          ++thrown;
          goes_on = true;
        }
      }
    });
    NOPAL_CHECK(calls == 4 && thrown == 3);
  }
  return 0;
}

// Flags that need each other's values, as the numbers of Fibonacci: each is computed once.
NOPAL_PROGRAM(recursion) {
  struct number {
    tbb::collaborative_once_flag flag;
    long value = 0;
    std::atomic<int> calls{0};
  };
  for (int round = 0; round != 20; ++round) {
    std::deque<number> numbers(40);
    const auto get = [&](const auto& self, std::size_t n) -> long {
      tbb::collaborative_call_once(numbers[n].flag, [&] {
        ++numbers[n].calls;
        if (n < 2) {
          numbers[n].value = static_cast<long>(n);
          return;
        }
        tbb::task_group group;
        long a = 0;
        group.run([&] { a = self(self, n - 1); });
        const long b = self(self, n - 2);
        group.wait();
        numbers[n].value = a + b;
      });
      return numbers[n].value;
    };
    if (round % 2 == 0) {
      NOPAL_CHECK(get(get, 39) == 63245986);
    } else {
      in_threads(3, [&](int i) { NOPAL_CHECK(get(get, static_cast<std::size_t>(37 + i)) > 0); });
    }
    for (const number& one : numbers) NOPAL_CHECK(one.calls == 1);
  }
  return 0;
}

// Many flags, each of which goes as soon as the call that made its value has returned.
NOPAL_PROGRAM(short_lives) {
  for (int round = 0; round != 500; ++round) {
    auto flag = std::make_shared<tbb::collaborative_once_flag>();
    std::atomic<int> calls{0};
    in_threads(3, [mine = std::move(flag), &calls](int) {
      const std::shared_ptr<tbb::collaborative_once_flag> kept = mine;
      tbb::collaborative_call_once(*kept, [&] { calls += static_cast<int>(sum_of_loop(10)); });
    });
    NOPAL_CHECK(calls == 45);
  }
  return 0;
}

// A body that waits for another body's call, in a loop where others do the same.
NOPAL_PROGRAM(many_flags) {
  for (int round = 0; round != 20; ++round) {
    std::deque<tbb::collaborative_once_flag> flags(8);
    std::atomic<int> calls{0};
    tbb::parallel_for(0, 200, [&](int i) {
      tbb::collaborative_call_once(flags[static_cast<std::size_t>(i % 8)], [&] {
        NOPAL_CHECK(sum_of_loop(100) == 4950);
        ++calls;
      });
    });
    NOPAL_CHECK(calls == 8);
  }
  return 0;
}

// All workers wait but for those in bodies that wait for one another: what is left lies below these, on their stacks.
NOPAL_PROGRAM(help_by_all) {
  const int all = nopal::workers();
  for (int round = 0; round != 10; ++round) {
    std::atomic<int> there{0};
    const auto meet = [&](int count) {
      ++there;
      while (there < count) std::this_thread::yield();
    };
    tbb::collaborative_once_flag flag;
    tbb::parallel_for(0, all, [&](int) {
      meet(all);
      tbb::collaborative_call_once(flag, [&] { tbb::parallel_for(0, all, [&](int) { meet(2 * all); }); });
    });
    NOPAL_CHECK(there == 2 * all);
  }
  return 0;
}

class call_once : public support::program_at_workers {};

TEST_P(call_once, calls_once) { EXPECT_TRUE(run("one_call")); }
TEST_P(call_once, hands_arguments_on) { EXPECT_TRUE(run("arguments")); }
TEST_P(call_once, is_helped_by_those_who_wait) { EXPECT_TRUE(run("help")); }
TEST_P(call_once, is_helped_with_its_tasks) { EXPECT_TRUE(run("help_with_tasks")); }
TEST_P(call_once, calls_again_after_an_exception) { EXPECT_TRUE(run("exceptions")); }
TEST_P(call_once, is_used_in_its_own_calls) { EXPECT_TRUE(run("recursion")); }
TEST_P(call_once, has_flags_of_short_lives) { EXPECT_TRUE(run("short_lives")); }
TEST_P(call_once, is_helped_by_all) { EXPECT_TRUE(run("help_by_all")); }
TEST_P(call_once, has_many_flags) { EXPECT_TRUE(run("many_flags")); }

INSTANTIATE_TEST_SUITE_P(tbb, call_once, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace
