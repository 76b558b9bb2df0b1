// Calls of strands that block in the system, and who takes their workers' places.
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::blocking;
using nopal::scope;
using support::sleep_ms;

NOPAL_PROGRAM(results_of_blocking_calls) {
  int number = 3;
  NOPAL_CHECK(blocking([] { return 7; }) == 7);
  NOPAL_CHECK(&blocking([&]() -> int& { return number; }) == &number);
  blocking([&] { number = 4; });
  NOPAL_CHECK(number == 4);
  NOPAL_CHECK(*blocking([] { return std::make_unique<int>(5); }) == 5);
  scope s;
  int result = 0;
  s.fork_into(result, [] { return blocking([] { return support::fib(12); }) == 144 ? 1 : 2; });
  s.join();
  NOPAL_CHECK(result == 1);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(exceptions_of_blocking_calls) {
  int caught = 0;
  for (int i = 0; i < 100; ++i) {
    scope s;
    try {
      s.fork([] { blocking([] { throw std::runtime_error("passes"); }); });
      s.join();
    } catch (const std::runtime_error& e) {
      caught += e.what() == std::string("passes") ? 1 : 0;
    }
  }
  NOPAL_CHECK(caught == 100);
  return 0;
}

/// How many are there at once.
class crowd {
public:
  void enter() {
    const int now = ++now_;
    for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
    }
  }
  void leave() { --now_; }
  [[nodiscard]] int most() const { return most_; }

private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

NOPAL_PROGRAM(a_thousand_sleepers) {
  crowd asleep;
  std::atomic<int> done{0};
  scope s;
  for (int i = 0; i < 1000; ++i) {
    s.fork([&] {
      blocking([&] {
        asleep.enter();
        timespec time{0, 10'000'000};
        errno = 0;
        // No question of a thief ends it.
        NOPAL_CHECK(nanosleep(&time, nullptr) == 0);
        asleep.leave();
        errno = EDOM;
      });
      NOPAL_CHECK(errno == EDOM);
      ++done;
    });
  }
  s.join();
  NOPAL_CHECK(done == 1000);
  NOPAL_CHECK(asleep.most() > 2 * nopal::workers());
  support::check_quiet();
  nopal::shutdown();
  support::use_runtime();
  return 0;
}

/// Each waits for the next, which only another thread can start meanwhile.
void wait_for_next(std::vector<support::flag>& begun, std::size_t i) {
  support::set(begun[i]);
  blocking([&] {
    while (i + 1 < begun.size() && !begun[i + 1].load(std::memory_order_acquire)) sleep_ms(1);
  });
}

NOPAL_PROGRAM(more_block_than_there_are_workers) {
  std::vector<support::flag> begun(40);
  scope s;
  for (std::size_t i = 0; i < begun.size(); ++i) s.fork([&begun, i] { wait_for_next(begun, i); });
  s.join();
  support::check_quiet();
  return 0;
}

void block_deeply(int depth, support::flag& last) {
  if (depth == 0) {
    blocking([&] {
      while (!last.load(std::memory_order_acquire)) sleep_ms(1);
    });
    return;
  }
  scope s;
  s.fork([depth, &last] { block_deeply(depth - 1, last); });
  if (depth == 10) support::set(last);  // the oldest fork
  s.join();
}

NOPAL_PROGRAM(all_forks_below_a_blocking_call_can_be_taken) {
  support::flag last{false};
  block_deeply(10, last);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(threads_without_strands_block_as_they_are) {
  std::thread([] { NOPAL_CHECK(blocking([] { return 1; }) == 1); }).join();
  support::use_runtime();
  const std::size_t workers = nopal::stats().per_worker.size();
  for (int i = 0; i < 10; ++i) blocking([] { sleep_ms(1); });
  NOPAL_CHECK(nopal::stats().per_worker.size() == workers);
  return 0;
}

NOPAL_PROGRAM(no_more_substitutes_than_allowed) {
  crowd asleep;
  scope s;
  for (int i = 0; i < 40; ++i) {
    s.fork([&] {
      blocking([&] {
        asleep.enter();
        sleep_ms(5);
        asleep.leave();
      });
    });
  }
  s.join();
  NOPAL_CHECK(asleep.most() <= nopal::workers() + 3);
  return 0;
}

NOPAL_PROGRAM(shutdown_is_refused_while_strands_block) {
  support::flag blocks{false};
  support::flag goes_on{false};
  std::thread other([&] {
    scope s;
    s.fork([&] {
      blocking([&] {
        support::set(blocks);
        while (!goes_on.load(std::memory_order_acquire)) sleep_ms(1);
      });
    });
    s.join();
  });
  while (!blocks.load(std::memory_order_acquire)) sleep_ms(1);
  NOPAL_CHECK(support::shutdown_is_refused());
  support::set(goes_on);
  other.join();
  nopal::shutdown();
  support::use_runtime();
  nopal::shutdown();
  return 0;
}

/// Calls `wait` while another thread stops the runtime as often as it may. What a strand waits for is then taken by the threads of the next life.
template <class Wait>
void wait_beside_shutdowns(Wait wait) {
  support::flag is_over{false};
  std::thread other([&is_over] {
    while (!is_over.load(std::memory_order_acquire)) {
      static_cast<void>(support::shutdown_is_refused());
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  // On a busy machine each life of the runtime takes long.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int i = 0; i < 200 && std::chrono::steady_clock::now() < end; ++i) wait();
  support::set(is_over);
  other.join();
}

NOPAL_PROGRAM(calls_beside_shutdowns) {
  wait_beside_shutdowns([] {
    std::atomic<bool> went_on{false};
    scope s;
    s.fork([&went_on] { blocking([&went_on] { went_on.wait(false); }); });
    went_on = true;
    went_on.notify_one();
    s.join();
  });
  return 0;
}

/// Strands that block until later forks of their scope have begun: what a thread of the pool begins beside a stop needs another one.
void block_several(int count) {
  std::vector<std::atomic<bool>> went_on(static_cast<std::size_t>(count));
  scope s;
  for (std::atomic<bool>& one : went_on) s.fork([&one] { blocking([&one] { one.wait(false); }); });
  for (std::atomic<bool>& one : went_on) {
    one = true;
    one.notify_one();
  }
  s.join();
}

NOPAL_PROGRAM(several_calls_beside_shutdowns) {
  // On a busy machine each life of the runtime takes long.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const auto fork_and_stop = [end](unsigned seed) {
    std::minstd_rand random(seed);
    for (int i = 0; i < 1000 && std::chrono::steady_clock::now() < end; ++i) {
      random() % 2 == 0 ? static_cast<void>(support::shutdown_is_refused())
                        : block_several(1 + static_cast<int>(random() % 4));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
  };
  std::thread other(fork_and_stop, 7U);
  fork_and_stop(8);
  other.join();
  return 0;
}

NOPAL_PROGRAM(waits_beside_shutdowns) {
  wait_beside_shutdowns([] {
    nopal::event went_on;
    scope s;
    s.fork([&went_on] { went_on.wait(); });
    went_on.set();
    s.join();
  });
  return 0;
}

NOPAL_PROGRAM(new_processes_of_blocked_strands) {
  scope s;
  s.fork([] {
    const pid_t child = blocking([] {
      const pid_t made = support::split();
      if (made == 0) {
        scope inner;
        int result = 0;
        inner.fork_into(result, [] { return blocking([] { return 3; }); });
        inner.join();
        _exit(result == 3 && support::fib(15) == 610 ? 0 : 1);
      }
      return made;
    });
    blocking([child] { support::exited_with_0(child); });
  });
  s.join();
  return 0;
}

/// What a thread that serves is told, one for each copy of its code.
template <int Copy>
struct server {
  static inline std::atomic<int> begun{0};
  static inline std::atomic<int> ended{0};
  static constexpr nopal_blocking_server told{[] { ++begun; }, [] { ++ended; }};
};

/// Calls of both overlap, and those of a thread that serves no more tell nobody. One forks, so that it may end elsewhere; waits at its
/// join are told, too.
NOPAL_PROGRAM(servers_of_two_copies) {
  constexpr int rounds = 50;
  const auto serve = [](const nopal_blocking_server* of) {
    nopal_tell_of_blocking(of);
    for (int i = 0; i < rounds; ++i) {
      blocking([] {
        scope s;
        s.fork([] { sleep_ms(1); });
        sleep_ms(1);
        s.join();
      });
    }
    nopal_tell_of_blocking(nullptr);
    blocking([] {});
  };
  std::thread one(serve, &server<1>::told);
  std::thread other(serve, &server<2>::told);
  one.join();
  other.join();
  NOPAL_CHECK(server<1>::begun >= rounds && server<1>::ended == server<1>::begun);
  NOPAL_CHECK(server<2>::begun >= rounds && server<2>::ended == server<2>::begun);
  return 0;
}

class blocking_calls : public support::program_at_workers {};

TEST_P(blocking_calls, results_of_blocking_calls) { EXPECT_TRUE(run("results_of_blocking_calls")); }
TEST_P(blocking_calls, exceptions_of_blocking_calls) { EXPECT_TRUE(run("exceptions_of_blocking_calls")); }
TEST_P(blocking_calls, a_thousand_sleepers) { EXPECT_TRUE(run("a_thousand_sleepers")); }
TEST_P(blocking_calls, tell_the_server_of_their_thread_at_both_ends) {
  EXPECT_TRUE(run("servers_of_two_copies"));
}
TEST_P(blocking_calls, more_block_than_there_are_workers) {
  EXPECT_TRUE(run("more_block_than_there_are_workers"));
}
TEST_P(blocking_calls, all_forks_below_a_blocking_call_can_be_taken) {
  EXPECT_TRUE(run("all_forks_below_a_blocking_call_can_be_taken"));
}
TEST_P(blocking_calls, threads_without_strands_block_as_they_are) {
  EXPECT_TRUE(run("threads_without_strands_block_as_they_are"));
}
TEST_P(blocking_calls, shutdown_is_refused_while_strands_block) {
  EXPECT_TRUE(run("shutdown_is_refused_while_strands_block"));
}
TEST_P(blocking_calls, end_beside_shutdowns) { EXPECT_TRUE(run("calls_beside_shutdowns")); }
TEST_P(blocking_calls, end_beside_shutdowns_that_others_begin_beside) {
  EXPECT_TRUE(run("several_calls_beside_shutdowns"));
}
TEST_P(blocking_calls, waits_end_beside_shutdowns) { EXPECT_TRUE(run("waits_beside_shutdowns")); }
TEST_P(blocking_calls, new_processes_of_blocked_strands) {
  EXPECT_TRUE(run("new_processes_of_blocked_strands"));
}

INSTANTIATE_TEST_SUITE_P(at, blocking_calls, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

TEST(blocking_settings, bound_the_substitutes) {
  EXPECT_TRUE(support::succeeds("no_more_substitutes_than_allowed",
                                {{"NOPAL_WORKERS", "2"}, {"NOPAL_SUBSTITUTES", "3"}}));
  EXPECT_TRUE(support::succeeds("no_more_substitutes_than_allowed",
                                {{"NOPAL_WORKERS", "2"}, {"NOPAL_SUBSTITUTES", "0"}}));
}

}  // namespace
