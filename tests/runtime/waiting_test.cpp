// Strands that wait for events and mutexes.
#include <nopal/arena.hpp>
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::sleep_ms;

NOPAL_PROGRAM(events) {
  nopal::event one;
  NOPAL_CHECK(!one.is_set());
  one.set();
  one.set();
  NOPAL_CHECK(one.is_set());
  one.wait();
  one.reset();
  NOPAL_CHECK(!one.is_set());
  // Of a later strand.
  int seen = 0;
  int value = 0;
  scope s;
  s.fork([&] {
    one.wait();
    seen = value;
  });
  value = 8;
  one.set();
  s.join();
  NOPAL_CHECK(seen == 8);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(many_wait_for_one_event) {
  for (int round = 0; round < 20; ++round) {
    nopal::event start;
    std::atomic<int> went{0};
    scope s;
    for (int i = 0; i < 100; ++i) {
      s.fork([&] {
        start.wait();
        ++went;
      });
    }
    NOPAL_CHECK(went == 0);
    start.set();
    s.join();
    NOPAL_CHECK(went == 100);
  }
  support::check_quiet();
  return 0;
}

/// As pairs play: each waits for the other's event.
NOPAL_PROGRAM(producers_and_consumers) {
  constexpr int rounds = 2000;
  nopal::event full;
  nopal::event empty;
  empty.set();
  long place = 0;
  long sum = 0;
  scope s;
  s.fork([&] {
    for (int i = 0; i < rounds; ++i) {
      full.wait();
      full.reset();
      sum += place;
      empty.set();
    }
  });
  s.fork([&] {
    for (int i = 1; i <= rounds; ++i) {
      empty.wait();
      empty.reset();
      place = i;
      full.set();
    }
  });
  s.join();
  NOPAL_CHECK(sum == long{rounds} * (rounds + 1) / 2);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(events_set_by_other_threads) {
  support::use_runtime();
  for (int i = 0; i < 50; ++i) {
    nopal::event one;
    nopal::event of_thread;
    std::thread setter([&] {
      of_thread.wait();
      sleep_ms(i % 3);
      one.set();
    });
    scope s;
    s.fork([&] { one.wait(); });
    of_thread.set();
    one.wait();
    s.join();
    setter.join();
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(mutexes_exclude) {
  nopal::mutex lock;
  long count = 0;
  scope s;
  for (int i = 0; i < 64; ++i) {
    s.fork([&] {
      for (int k = 0; k < 200; ++k) {
        const std::lock_guard guard(lock);
        ++count;
      }
    });
  }
  s.join();
  NOPAL_CHECK(count == 64 * 200);
  NOPAL_CHECK(lock.try_lock());
  NOPAL_CHECK(!lock.try_lock());
  lock.unlock();
  support::check_quiet();
  return 0;
}

/// The holder forks and joins, and may be on another thread at the end.
void hold_across_a_join(nopal::mutex& lock, std::atomic<int>& inside) {
  const std::lock_guard guard(lock);
  NOPAL_CHECK(++inside == 1);
  support::flag went_on{false};
  scope s;
  s.fork([&] { support::wait_for_continuation(went_on); });
  support::set(went_on);
  const long result = support::fib(8);
  s.join();
  NOPAL_CHECK(result == 21);
  NOPAL_CHECK(--inside == 0);
}

NOPAL_PROGRAM(mutexes_are_held_across_forks_and_joins) {
  nopal::mutex lock;
  std::atomic<int> inside{0};
  scope s;
  for (int i = 0; i < 200; ++i) s.fork([&] { hold_across_a_join(lock, inside); });
  s.join();
  support::check_quiet();
  return 0;
}

/// So many that each would need a thread.
NOPAL_PROGRAM(two_thousand_wait_at_once) {
  constexpr int many = 2000;
  nopal::event go;
  std::atomic<int> begun{0};
  std::atomic<int> went{0};
  scope s;
  for (int i = 0; i < many; ++i) {
    s.fork([&] {
      ++begun;
      go.wait();
      ++went;
    });
  }
  while (begun != many) std::this_thread::yield();
  NOPAL_CHECK(went == 0);
  go.set();
  s.join();
  NOPAL_CHECK(went == many);
  support::check_quiet();
  return 0;
}

/// Strands of a thread that waits at its join are set going by a thread that runs none.
NOPAL_PROGRAM(waiting_roots_are_woken_for_ready_strands) {
  for (int round = 0; round < 20; ++round) {
    nopal::event one;
    support::flag waits{false};
    int value = 0;
    std::thread setter([&] {
      while (!waits.load(std::memory_order_acquire)) sleep_ms(1);
      sleep_ms(5);
      value = round;
      one.set();
    });
    scope s;
    int seen = -1;
    s.fork([&] {
      scope inner;
      inner.fork([&] {
        support::set(waits);
        one.wait();
        seen = value;
      });
      inner.join();
    });
    s.join();
    NOPAL_CHECK(seen == round);
    setter.join();
  }
  support::check_quiet();
  return 0;
}

/// An endless exchange of two strands does not keep a third from beginning.
NOPAL_PROGRAM(ready_strands_are_fair) {
  nopal::event ping;
  nopal::event pong;
  support::flag over{false};
  scope s;
  s.fork([&] {
    while (!over.load(std::memory_order_acquire)) {
      pong.set();
      ping.wait();
      ping.reset();
    }
    pong.set();
  });
  s.fork([&] {
    while (!over.load(std::memory_order_acquire)) {
      ping.set();
      pong.wait();
      pong.reset();
    }
    ping.set();
  });
  support::set(over);
  s.join();
  return 0;
}

/// Where exceptions are handled.
NOPAL_PROGRAM(waits_in_handlers) {
  nopal::event one;
  std::string seen;
  scope s;
  s.fork([&] {
    try {
      throw std::runtime_error("kept");
    } catch (const std::runtime_error& e) {
      one.wait();
      seen = e.what();
    }
  });
  one.set();
  s.join();
  NOPAL_CHECK(seen == "kept");
  return 0;
}

NOPAL_PROGRAM(waits_with_reducers) {
  nopal::reducer<nopal::op_string_append> text;
  nopal::event go;
  std::string expected;
  scope s;
  for (int i = 0; i < 60; ++i) {
    s.fork([&, i] {
      *text += std::to_string(i);
      if (i % 3 == 0) go.wait();
      *text += ',';
    });
    *text += ';';
    expected += std::to_string(i) + ",;";
  }
  go.set();
  s.join();
  NOPAL_CHECK(text.value() == expected);
  return 0;
}

/// Waits at every depth of a tree, for what its later half sets.
int tree(int depth) {
  if (depth == 0) return 1;
  nopal::event right_is_there;
  int left = 0;
  int right = 0;
  scope s;
  s.fork([&] {
    left = tree(depth - 1);
    right_is_there.wait();
    left += right;
  });
  right = tree(depth - 1);
  right_is_there.set();
  s.join();
  return left;
}

NOPAL_PROGRAM(a_tree_of_waits) {
  NOPAL_CHECK(tree(9) == 512);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(new_processes_while_strands_wait) {
  nopal::event never_in_child;
  nopal::mutex lock;
  scope s;
  s.fork([&] { never_in_child.wait(); });
  s.fork([&] {
    const std::lock_guard guard(lock);
    never_in_child.wait();
  });
  const pid_t child = support::split();
  if (child == 0) {
    nopal::event own;
    scope inner;
    inner.fork([&] { own.wait(); });
    own.set();
    inner.join();
    _exit(support::fib(15) == 610 ? 0 : 1);
  }
  support::exited_with_0(child);
  never_in_child.set();
  s.join();
  return 0;
}

/// A thread that became a worker before it first forked.
NOPAL_PROGRAM(waits_of_a_thread_that_entered_an_arena) {
  nopal::arena(1).execute([] {});
  nopal::event ready;
  scope s;
  s.fork([&ready] {
    scope own;
    own.fork([&ready] { ready.wait(); });
    ready.set();
    own.join();
  });
  s.join();
  return 0;
}

class waiting : public support::program_at_workers {};

/// Without a thread to take anybody's place: strands that wait are suspended.
class suspended : public testing::TestWithParam<int> {
protected:
  static testing::AssertionResult run(const char* name) {
    support::environment with = support::on_workers(GetParam());
    with.emplace_back("NOPAL_SUBSTITUTES", "0");
    return support::succeeds(name, with);
  }
};

TEST_P(waiting, events) { EXPECT_TRUE(run("events")); }
TEST_P(waiting, many_wait_for_one_event) { EXPECT_TRUE(run("many_wait_for_one_event")); }
TEST_P(waiting, producers_and_consumers) { EXPECT_TRUE(run("producers_and_consumers")); }
TEST_P(waiting, events_set_by_other_threads) { EXPECT_TRUE(run("events_set_by_other_threads")); }
TEST_P(waiting, mutexes_exclude) { EXPECT_TRUE(run("mutexes_exclude")); }
TEST_P(waiting, mutexes_are_held_across_forks_and_joins) {
  EXPECT_TRUE(run("mutexes_are_held_across_forks_and_joins"));
}
TEST_P(waiting, in_handlers) { EXPECT_TRUE(run("waits_in_handlers")); }
TEST_P(waiting, with_reducers) { EXPECT_TRUE(run("waits_with_reducers")); }
TEST_P(waiting, a_tree_of_waits) { EXPECT_TRUE(run("a_tree_of_waits")); }
TEST_P(waiting, new_processes_while_strands_wait) { EXPECT_TRUE(run("new_processes_while_strands_wait")); }
TEST_P(waiting, roots_are_woken_for_ready_strands) {
  EXPECT_TRUE(run("waiting_roots_are_woken_for_ready_strands"));
}

TEST_P(suspended, of_a_thread_that_entered_an_arena) {
  EXPECT_TRUE(run("waits_of_a_thread_that_entered_an_arena"));
}
TEST_P(suspended, events) { EXPECT_TRUE(run("events")); }
TEST_P(suspended, many_wait_for_one_event) { EXPECT_TRUE(run("many_wait_for_one_event")); }
TEST_P(suspended, two_thousand_at_once) { EXPECT_TRUE(run("two_thousand_wait_at_once")); }
TEST_P(suspended, producers_and_consumers) { EXPECT_TRUE(run("producers_and_consumers")); }
TEST_P(suspended, mutexes_exclude) { EXPECT_TRUE(run("mutexes_exclude")); }
TEST_P(suspended, mutexes_are_held_across_forks_and_joins) {
  EXPECT_TRUE(run("mutexes_are_held_across_forks_and_joins"));
}
TEST_P(suspended, with_reducers) { EXPECT_TRUE(run("waits_with_reducers")); }
TEST_P(suspended, a_tree_of_waits) { EXPECT_TRUE(run("a_tree_of_waits")); }
TEST_P(suspended, roots_are_woken_for_ready_strands) {
  EXPECT_TRUE(run("waiting_roots_are_woken_for_ready_strands"));
}
TEST_P(suspended, ready_strands_are_fair) { EXPECT_TRUE(run("ready_strands_are_fair")); }
TEST_P(suspended, new_processes_while_strands_wait) { EXPECT_TRUE(run("new_processes_while_strands_wait")); }

INSTANTIATE_TEST_SUITE_P(at, waiting, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(at, suspended, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

}  // namespace
