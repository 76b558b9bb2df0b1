// What is enqueued in arenas: that it runs, where, and in which order.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/at_once.hpp"
#include "support/program.hpp"

namespace {

using support::tree;
using support::wait_for;

NOPAL_PROGRAM(enqueued) {
  support::at_once here;
  {
    nopal::arena two(2);
    for (int i = 0; i != 200; ++i) two.enqueue([&] { tree(here, 2); });
    two.wait();
    NOPAL_CHECK(here.calls() == 200 * 10);
    auto moved = std::make_unique<int>(3);
    std::atomic<int> seen{0};
    two.enqueue([&seen, only = std::move(moved)] { seen = *only; });
    two.wait();
    NOPAL_CHECK(seen == 3);
    two.enqueue([] { throw std::runtime_error("kept"); });
    std::string what;
    try {
      two.wait();
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    NOPAL_CHECK(what == "kept");
    two.wait();
    for (int i = 0; i != 100; ++i) two.enqueue([&] { tree(here, 2); });
  }
  NOPAL_CHECK(here.calls() == 300 * 10 && here.most() <= 2);
  return 0;
}

// By workers, though nobody waits; of three seats two are for threads of the program.
NOPAL_PROGRAM(reserved_seats) {
  support::at_once here;
  nopal::arena three(3, nopal::priority::normal, 2);
  std::atomic<int> over{0};
  for (int i = 0; i != 50; ++i) {
    three.enqueue([&] {
      tree(here, 4);
      ++over;
    });
  }
  wait_for(over, 50);
  NOPAL_CHECK(here.most() == 1);
  three.wait();
  return 0;
}

// One of those of a higher rank is there all the time.
NOPAL_PROGRAM(low_priority) {
  nopal::arena high(2, nopal::priority::high);
  nopal::arena low(2, nopal::priority::low);
  std::atomic<int> low_over{0};
  std::atomic<int> high_over{0};
  struct again {
    nopal::arena& high;
    std::atomic<int>& low_over;
    std::atomic<int>& high_over;
    void operator()() const {
      ++high_over;
      if (low_over == 0) high.enqueue(*this);
    }
  };
  const again one{high, low_over, high_over};
  for (int i = 0; i != 8; ++i) high.enqueue(one);
  wait_for(high_over, 100);
  low.enqueue([&] { ++low_over; });
  wait_for(low_over, 1);
  high.wait();
  return 0;
}

// The worker is in a task while tasks of all ranks come, in no order.
NOPAL_PROGRAM(priorities) {
  nopal::arena low(2, nopal::priority::low);
  nopal::arena normal(2);
  nopal::arena high(2, nopal::priority::high);
  for (int round = 0; round != 20; ++round) {
    std::atomic<int> begun{0};
    std::atomic<int> may_end{0};
    std::atomic<int> over{0};
    std::string order;  // of one thread
    normal.enqueue([&] {
      ++begun;
      wait_for(may_end, 1);
    });
    wait_for(begun, 1);
    const auto note = [&](char what) {
      return [&order, &over, what] {
        order += what;
        ++over;
      };
    };
    low.enqueue(note('l'));
    normal.enqueue(note('n'));
    high.enqueue(note('h'));
    normal.enqueue(note('n'));
    low.enqueue(note('l'));
    high.enqueue(note('h'));
    may_end = 1;
    wait_for(over, 6);
    NOPAL_CHECK(order == "hhnnll");
    low.wait();
    normal.wait();
    high.wait();
  }
  return 0;
}

/// A worker that an observer sees keeps its seat while it looks for more. With the next call it has that one, and no
/// second one that nobody gives back: then this would wait for ever, or two threads would not meet.
NOPAL_PROGRAM(seats_of_those_who_are_observed) {
  struct unmoved : nopal::observer {
    explicit unmoved(const nopal::arena& of) : observer(of) { observe(); }
    ~unmoved() override { observe(false); }
  };
  for (int round = 0; round != 300; ++round) {
    nopal::arena two(2);
    const unmoved sees(two);
    for (int i = 0; i != 20; ++i) two.enqueue([] {});
    two.wait();
    std::atomic<int> there{0};
    const auto meet = [&] {
      two.execute([&] {
        ++there;
        wait_for(there, 2);
      });
    };
    std::thread other(meet);
    meet();
    other.join();
  }
  return 0;
}

class arena_tasks : public support::program_at_workers {};

TEST_P(arena_tasks, are_all_run) { EXPECT_TRUE(run("enqueued")); }
TEST_P(arena_tasks, leave_the_seats_of_observed_workers_free) {
  EXPECT_TRUE(run("seats_of_those_who_are_observed"));
}

INSTANTIATE_TEST_SUITE_P(at_workers, arena_tasks, testing::Values(1, 2, 4, 8),
                         testing::PrintToStringParamName());

class arena_tasks_with_help : public support::program_at_workers {};

TEST_P(arena_tasks_with_help, keep_seats_for_threads_of_the_program) { EXPECT_TRUE(run("reserved_seats")); }
TEST_P(arena_tasks_with_help, of_low_priority_are_served_some_time) { EXPECT_TRUE(run("low_priority")); }

INSTANTIATE_TEST_SUITE_P(at_workers, arena_tasks_with_help, testing::Values(3, 4, 8),
                         testing::PrintToStringParamName());

TEST(arenas_of_two_threads, are_served_by_priority_and_then_in_turn) {
  EXPECT_TRUE(support::succeeds("priorities", support::on_workers(2)));
}

}  // namespace
