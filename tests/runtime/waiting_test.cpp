// Strands that block and that wait: blocking calls, mutexes, events, futures.
#include <nopal/waiting.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
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
  s.fork([&] { support::wait_briefly(went_on); });
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

NOPAL_PROGRAM(futures_give_what_promises_get) {
  nopal::promise<std::unique_ptr<int>> moved;
  nopal::future<std::unique_ptr<int>> of_moved = moved.get_future();
  NOPAL_CHECK(of_moved.valid() && !of_moved.ready());
  int number = 2;
  nopal::promise<int&> reference;
  nopal::future<int&> of_reference = reference.get_future();
  nopal::promise<void> nothing;
  nopal::future<void> of_nothing = nothing.get_future();
  nopal::promise<int> throws;
  nopal::future<int> of_throws = throws.get_future();
  nopal::future<int> of_broken;
  NOPAL_CHECK(!of_broken.valid());
  {
    nopal::promise<int> broken;
    of_broken = broken.get_future();
  }
  scope s;
  s.fork([&] {
    NOPAL_CHECK(*of_moved.get() == 1);
    NOPAL_CHECK(!of_moved.valid());
    of_nothing.wait();
    of_nothing.get();
    NOPAL_CHECK(&of_reference.get() == &number);
    int caught = 0;
    try {
      static_cast<void>(of_throws.get());
    } catch (const std::out_of_range&) {
      ++caught;
    }
    try {
      static_cast<void>(of_broken.get());
    } catch (const nopal::broken_promise&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 2);
  });
  s.fork([&] { throws.set_exception(std::make_exception_ptr(std::out_of_range("far"))); });
  moved.set_value(std::make_unique<int>(1));
  nothing.set_value();
  reference.set_value(number);
  s.join();
  support::check_quiet();
  return 0;
}

bool fails(const std::function<void()>& call, const char* what) {
  try {
    call();
  } catch (const nopal::error& e) {
    return e.what() == std::string(what);
  }
  return false;
}

NOPAL_PROGRAM(wrong_use_of_futures) {
  nopal::promise<int> one;
  nopal::future<int> of_one = one.get_future();
  NOPAL_CHECK(
      fails([&] { static_cast<void>(one.get_future()); }, "nopal: promise: its future was taken already"));
  one.set_value(1);
  NOPAL_CHECK(fails([&] { one.set_value(2); }, "nopal: promise: it has a value or an exception already"));
  NOPAL_CHECK(of_one.ready() && of_one.get() == 1);
  const char* const of_none = "nopal: future: it is of no promise, or its value was taken";
  NOPAL_CHECK(fails([&] { of_one.get(); }, of_none));
  NOPAL_CHECK(fails([&] { of_one.wait(); }, of_none));
  NOPAL_CHECK(fails([&] { static_cast<void>(of_one.ready()); }, of_none));
  const nopal::promise<int> other = std::move(one);
  NOPAL_CHECK(fails([&] { one.set_value(3); }, "nopal: promise: it was moved from"));
  return 0;
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("no copy"); }
};

NOPAL_PROGRAM(values_that_throw_break_promises) {
  nopal::promise<throws_when_copied> one;
  nopal::future<throws_when_copied> of_one = one.get_future();
  const throws_when_copied value;
  bool threw = false;
  try {
    one.set_value(value);
  } catch (const std::runtime_error&) {
    threw = true;
  }
  NOPAL_CHECK(threw && of_one.ready());
  NOPAL_CHECK(fails([&] { static_cast<void>(of_one.get()); },
                    "nopal: future: its promise was destroyed without a value"));
  return 0;
}

/// A pipeline of futures, forked in the order opposite to that of the values.
NOPAL_PROGRAM(a_chain_of_futures) {
  constexpr std::size_t links = 300;
  std::vector<nopal::promise<int>> promises(links + 1);
  std::vector<nopal::future<int>> futures;
  futures.reserve(links + 1);
  for (auto& one : promises) futures.push_back(one.get_future());
  scope s;
  for (std::size_t i = links; i > 0; --i) {
    s.fork([&, i] { promises[i].set_value(futures[i - 1].get() + 1); });
  }
  promises[0].set_value(0);
  s.join();
  NOPAL_CHECK(futures[links].get() == static_cast<int>(links));
  support::check_quiet();
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

class waiting : public support::program_at_workers {};
class waiting_unlike : public testing::Test {};

TEST_P(waiting, results_of_blocking_calls) { EXPECT_TRUE(run("results_of_blocking_calls")); }
TEST_P(waiting, exceptions_of_blocking_calls) { EXPECT_TRUE(run("exceptions_of_blocking_calls")); }
TEST_P(waiting, a_thousand_sleepers) { EXPECT_TRUE(run("a_thousand_sleepers")); }
TEST_P(waiting, more_block_than_there_are_workers) { EXPECT_TRUE(run("more_block_than_there_are_workers")); }
TEST_P(waiting, all_forks_below_a_blocking_call_can_be_taken) {
  EXPECT_TRUE(run("all_forks_below_a_blocking_call_can_be_taken"));
}
TEST_P(waiting, threads_without_strands_block_as_they_are) {
  EXPECT_TRUE(run("threads_without_strands_block_as_they_are"));
}
TEST_P(waiting, shutdown_is_refused_while_strands_block) {
  EXPECT_TRUE(run("shutdown_is_refused_while_strands_block"));
}
TEST_P(waiting, new_processes_of_blocked_strands) { EXPECT_TRUE(run("new_processes_of_blocked_strands")); }
TEST_P(waiting, events) { EXPECT_TRUE(run("events")); }
TEST_P(waiting, many_wait_for_one_event) { EXPECT_TRUE(run("many_wait_for_one_event")); }
TEST_P(waiting, producers_and_consumers) { EXPECT_TRUE(run("producers_and_consumers")); }
TEST_P(waiting, events_set_by_other_threads) { EXPECT_TRUE(run("events_set_by_other_threads")); }
TEST_P(waiting, mutexes_exclude) { EXPECT_TRUE(run("mutexes_exclude")); }
TEST_P(waiting, mutexes_are_held_across_forks_and_joins) {
  EXPECT_TRUE(run("mutexes_are_held_across_forks_and_joins"));
}
TEST_P(waiting, futures_give_what_promises_get) { EXPECT_TRUE(run("futures_give_what_promises_get")); }
TEST_P(waiting, wrong_use_of_futures) { EXPECT_TRUE(run("wrong_use_of_futures")); }
TEST_P(waiting, values_that_throw_break_promises) { EXPECT_TRUE(run("values_that_throw_break_promises")); }
TEST_P(waiting, a_chain_of_futures) { EXPECT_TRUE(run("a_chain_of_futures")); }
TEST_P(waiting, in_handlers) { EXPECT_TRUE(run("waits_in_handlers")); }
TEST_P(waiting, with_reducers) { EXPECT_TRUE(run("waits_with_reducers")); }
TEST_P(waiting, a_tree_of_waits) { EXPECT_TRUE(run("a_tree_of_waits")); }
TEST_P(waiting, new_processes_while_strands_wait) { EXPECT_TRUE(run("new_processes_while_strands_wait")); }

INSTANTIATE_TEST_SUITE_P(at, waiting, testing::Values(1, 2, 4, 7), testing::PrintToStringParamName());

TEST(waiting_settings, bound_the_substitutes) {
  EXPECT_TRUE(support::succeeds("no_more_substitutes_than_allowed",
                                {{"NOPAL_WORKERS", "2"}, {"NOPAL_SUBSTITUTES", "3"}}));
  EXPECT_TRUE(support::succeeds("no_more_substitutes_than_allowed",
                                {{"NOPAL_WORKERS", "2"}, {"NOPAL_SUBSTITUTES", "0"}}));
}

}  // namespace
