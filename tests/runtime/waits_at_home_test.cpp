// Strands that wait on stacks of the pool, on a thread that alone may go on with what they wait for: they leave it to that.
#include <gtest/gtest.h>

#include <nopal/detail/pinned.h>
#include <nopal/nopal.hpp>
#include <nopal/parallel.hpp>
#include <nopal/waiting.hpp>
#include <tbb/task_group.h>

#include <chrono>
#include <thread>

#include "support/busy_thieves.hpp"
#include "support/strands.hpp"

namespace {

using nopal::scope;
using support::flag;
using support::set;
using support::wait_for_continuation;

void wait_up_to_100_ms(const flag& set) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (!set.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

/// The child suspends at a join on the caller's own stack. Its continuation is then taken by the caller's thread, and waits for
/// the child, having done `before`.
template <class Before>
void wait_for_code_at_home(Before before) {
  nopal::event woken;
  nopal::promise<int> made;
  nopal::future<int> taken = made.get_future();
  flag went_on{false};
  flag inner_went_on{false};
  flag goes_on{false};
  scope s;
  s.fork([&] {
    wait_for_continuation(went_on);
    // Meanwhile that is suspended, and who ran it looks for work.
    support::sleep_ms(2);
    scope inner;
    inner.fork([&] { wait_for_continuation(inner_went_on); });
    set(inner_went_on);
    // Another thread is here now, and the caller's looks for work.
    support::sleep_ms(2);
    woken.set();
    wait_up_to_100_ms(goes_on);
    inner.join();
    made.set_value(7);
  });
  set(went_on);
  woken.wait();
  set(goes_on);
  before();
  NOPAL_CHECK(taken.get() == 7);
  s.join();
}

/// The same without another wait: the caller's thread steals from the continuation, and is the last that comes to its join. That
/// takes three workers.
void wait_where_another_forked() {
  nopal::promise<int> made;
  nopal::future<int> taken = made.get_future();
  flag went_on{false};
  flag inner_went_on{false};
  flag goes_on{false};
  scope s;
  s.fork([&] {
    wait_up_to_100_ms(went_on);
    scope inner;
    inner.fork([&] { wait_up_to_100_ms(inner_went_on); });
    set(inner_went_on);
    wait_up_to_100_ms(goes_on);
    inner.join();
    made.set_value(7);
  });
  set(went_on);
  wait_up_to_100_ms(inner_went_on);
  flag was_taken{false};
  scope own;
  own.fork([&] { wait_up_to_100_ms(was_taken); });
  set(was_taken);
  support::sleep_ms(5);  // that child ends
  own.join();
  set(goes_on);
  NOPAL_CHECK(taken.get() == 7);
  s.join();
}

constexpr auto nothing = [] {};

NOPAL_PROGRAM(waits_in_calls_that_stay) {
  for (int round = 0; round < 10; ++round) {
    nopal::detail::call_pinned([] { wait_for_code_at_home(nothing); });
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(waits_in_arenas) {
  for (int limit = 2; limit < 5; ++limit) {
    nopal::arena some(limit);
    for (int round = 0; round < 3; ++round) {
      some.execute([] { wait_for_code_at_home(nothing); });
      some.execute(wait_where_another_forked);
    }
  }
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(waits_beside_tasks) {
  for (int round = 0; round < 10; ++round) {
    tbb::task_group group;
    wait_for_code_at_home([&group] { group.run([] {}); });
    group.wait();
  }
  support::check_quiet_soon();
  return 0;
}

// Each takes a seat of its own when it goes on: there are never more at work than the arena has.
NOPAL_PROGRAM(strands_that_waited_take_seats) {
  constexpr int limit = 2;
  nopal::arena two(limit);
  std::atomic<int> at_work{0};
  std::atomic<int> most{0};
  const auto work = [&] {
    const int now = ++at_work;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    support::burn(20'000);
    --at_work;
  };
  for (int round = 0; round < 20; ++round) {
    two.execute([&] {
      nopal::event all;
      scope s;
      for (int i = 0; i < 40; ++i) {
        s.fork([&] {
          work();
          scope inner;
          inner.fork([&] {
            all.wait();
            work();
          });
          work();
          inner.join();
        });
      }
      all.set();
      s.join();
    });
  }
  NOPAL_CHECK(most <= limit);
  support::check_quiet_soon();
  return 0;
}

/// The caller's thread is at the join of its own code from here on, and takes strands of it.
template <class Rest>
void with_caller_at_its_join(Rest rest) {
  nopal::event at_its_end;
  scope s;
  s.fork([&] { at_its_end.wait(); });
  at_its_end.set();
  support::sleep_ms(5);
  rest();
  s.join();
}

void compute_us(int microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Those that wait keep no thread, so nobody computes in their place.
NOPAL_PROGRAM(strands_that_wait_in_calls_take_no_threads) {
  std::atomic<int> at_work{0};
  std::atomic<int> most{0};
  const auto work = [&](int microseconds) {
    const int now = ++at_work;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    compute_us(microseconds);
    --at_work;
  };
  const auto many_wait = [&] {
    nopal::event all;
    scope s;
    for (int i = 0; i < 300; ++i) {
      s.fork([&] {
        work(50);
        all.wait();
      });
    }
    nopal::parallel_for(0, 1000, [&](int) { work(200); });
    all.set();
    s.join();
  };
  scope first;
  first.fork(nothing);
  first.join();
  nopal::detail::call_pinned([&] { with_caller_at_its_join(many_wait); });
  // One more while a thread that blocked goes on.
  NOPAL_CHECK(most <= nopal::workers() + 1);
  support::check_quiet_soon();
  return 0;
}

void wait_for_own_tasks() {
  scope s;
  for (int i = 0; i < 20; ++i) {
    s.fork([] {
      nopal::event done;
      tbb::task_group group;
      group.run([&done] { done.set(); });
      done.wait();
      group.wait();
    });
    support::sleep_ms(1);
  }
  s.join();
}

/// What they wait for is a task of the thread that they leave, which runs none there.
NOPAL_PROGRAM(strands_that_wait_for_tasks) {
  scope first;
  first.fork(nothing);
  first.join();
  for (int round = 0; round < 5; ++round) {
    nopal::detail::call_pinned([] { with_caller_at_its_join(wait_for_own_tasks); });
    with_caller_at_its_join(wait_for_own_tasks);
    nopal::arena(2).execute([] { with_caller_at_its_join(wait_for_own_tasks); });
  }
  support::check_quiet_soon();
  return 0;
}

/// A strand blocks, and waits for its own continuation, while the one substitute sleeps in a wait that this has nothing to do with.
NOPAL_PROGRAM(forks_of_strands_that_block_beside_waits) {
  for (int round = 0; round < 3; ++round) {
    flag waits{false};
    tbb::task_group group;
    tbb::task_handle last = group.defer([] {});
    scope s;
    s.fork([&] {
      nopal::blocking([&] {
        support::wait_until(waits);
        support::sleep_ms(20);
      });
      nopal::detail::call_pinned([] {
        nopal::event later;
        scope inner;
        inner.fork([&] { later.wait(); });
        later.set();
        inner.join();
      });
      group.run(std::move(last));
    });
    nopal::detail::call_pinned([&] {
      set(waits);
      group.wait();
    });
    s.join();
  }
  support::check_quiet_soon();
  return 0;
}

class waits_at_home : public support::program_at_workers {};

TEST_P(waits_at_home, in_calls_that_stay) { EXPECT_TRUE(run("waits_in_calls_that_stay")); }
TEST_P(waits_at_home, in_arenas) { EXPECT_TRUE(run("waits_in_arenas")); }
TEST_P(waits_at_home, beside_tasks) { EXPECT_TRUE(run("waits_beside_tasks")); }
TEST_P(waits_at_home, take_no_threads) { EXPECT_TRUE(run("strands_that_wait_in_calls_take_no_threads")); }
TEST_P(waits_at_home, for_tasks) { EXPECT_TRUE(run("strands_that_wait_for_tasks")); }
TEST_P(waits_at_home, leave_forks_to_others) { EXPECT_TRUE(run("forks_of_strands_that_block_beside_waits")); }
TEST_P(waits_at_home, take_seats) { EXPECT_TRUE(run("strands_that_waited_take_seats")); }

INSTANTIATE_TEST_SUITE_P(at_workers, waits_at_home, testing::Values(1, 2, 3, 7),
                         testing::PrintToStringParamName());

}  // namespace
