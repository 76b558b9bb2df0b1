// Bodies that block until a task is over which they have started, or a fork has gone on, in great number.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <thread>
#include <utility>

#include "support/busy_thieves.hpp"
#include "support/strands.hpp"

namespace {

// More bodies than there may be substitutes: threads that took one body after the other would all block at the end.
constexpr int bodies = 4000;
constexpr int few_bodies = 2000;
constexpr const char* few_substitutes = "100";

void block_for_a_task() {
  tbb::task_group group;
  std::atomic<bool> is_run{false};
  group.run([&is_run] {
    is_run = true;
    is_run.notify_one();
  });
  nopal::blocking([&is_run] { is_run.wait(false); });
  group.wait();
}

void block_for_what_follows() {
  std::atomic<bool> went_on{false};
  nopal::scope s;
  s.fork([&went_on] { nopal::blocking([&went_on] { went_on.wait(false); }); });
  went_on = true;
  went_on.notify_one();
  s.join();
}

template <class Body>
void run_bodies(int count, Body body) {
  std::atomic<int> ended{0};
  nopal::parallel_for(0, count, [&ended, body](int) {
    body();
    ++ended;
  });
  NOPAL_CHECK(ended == count);
}

NOPAL_PROGRAM(bodies_that_block_for_tasks) {
  run_bodies(bodies, block_for_a_task);
  return 0;
}

NOPAL_PROGRAM(bodies_that_block_for_forks) {
  run_bodies(few_bodies, block_for_what_follows);
  return 0;
}

// Events, in calls that stay on their threads: strands that wait there keep these.
NOPAL_PROGRAM(bodies_that_wait_for_forks) {
  std::atomic<int> ended{0};
  tbb::parallel_for(0, few_bodies, [&ended](int) {
    nopal::event went_on;
    nopal::scope s;
    s.fork([&went_on] { went_on.wait(); });
    went_on.set();
    s.join();
    ++ended;
  });
  NOPAL_CHECK(ended == few_bodies);
  return 0;
}

// What was enqueued waits for what is enqueued behind it: itself, by strands of its own, and for a group.
NOPAL_PROGRAM(enqueued_tasks_wait_for_later_ones) {
  constexpr int each = 10;
  nopal::event set_last;
  tbb::task_group group;
  tbb::task_handle put_off = group.defer([] {});
  support::flag is_over{false};
  std::atomic<int> left{3 * each};
  const auto end_one = [&left, &is_over] {
    if (--left == 0) support::set(is_over);
  };
  for (int i = 0; i < each; ++i) {
    tbb::this_task_arena::enqueue([&] {
      set_last.wait();
      end_one();
    });
    tbb::this_task_arena::enqueue([&] {
      nopal::scope s;
      s.fork([&] { set_last.wait(); });
      s.join();
      end_one();
    });
    tbb::this_task_arena::enqueue([&] {
      group.wait();
      end_one();
    });
  }
  tbb::this_task_arena::enqueue([&] {
    set_last.set();
    group.run(std::move(put_off));
  });
  support::wait_until(is_over);
  return 0;
}

// No worker of the pool takes anything then: the thread of the program, which sleeps at its join, leaves the task to another one.
NOPAL_PROGRAM(blocks_within_a_limit_of_one) {
  for (int round = 0; round < 5; ++round) {
    nopal::scope s;
    s.fork([] {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      support::flag went_on{false};
      nopal::scope inner;
      inner.fork([&went_on] { nopal::blocking([&went_on] { support::wait_until(went_on); }); });
      support::set(went_on);
      support::sleep_ms(3);  // that thread comes to its join
      block_for_a_task();
      inner.join();
    });
    s.join();
  }
  return 0;
}

// A thread that handles an exception cannot say whether it has latent forks, however often who waits asks. That one gives its place all
// the same, for a task of the other's.
NOPAL_PROGRAM(waits_beside_threads_that_cannot_answer) {
  support::flag handles{false};
  support::flag is_run{false};
  tbb::task_group group;
  std::thread other([&] {
    tbb::task_group later;
    later.run([&is_run] { support::set(is_run); });
    group.run([&] {
      nopal::scope s;
      s.fork([] {});
      s.join();
      try {
        throw 1;
      } catch (int) {
        support::set(handles);
        support::wait_until(is_run);
      }
    });
    group.wait();
    later.wait();
  });
  support::wait_until(handles);
  group.wait();
  other.join();
  return 0;
}

class blocked_bodies : public support::program_at_workers {
protected:
  static testing::AssertionResult run_with_few_substitutes(const char* name) {
    support::environment with = support::on_workers(GetParam());
    with.emplace_back("NOPAL_SUBSTITUTES", few_substitutes);
    return support::succeeds(name, with);
  }
};

TEST_P(blocked_bodies, end_in_any_number) { EXPECT_TRUE(run("bodies_that_block_for_tasks")); }
TEST_P(blocked_bodies, end_where_they_block_for_forks) {
  EXPECT_TRUE(run_with_few_substitutes("bodies_that_block_for_forks"));
}
TEST_P(blocked_bodies, end_where_they_wait_in_calls) {
  EXPECT_TRUE(run_with_few_substitutes("bodies_that_wait_for_forks"));
}
TEST_P(blocked_bodies, end_where_what_was_enqueued_waits_for_later_tasks) {
  EXPECT_TRUE(run("enqueued_tasks_wait_for_later_ones"));
}
TEST_P(blocked_bodies, end_within_a_limit_of_one) { EXPECT_TRUE(run("blocks_within_a_limit_of_one")); }
TEST_P(blocked_bodies, leave_tasks_beside_threads_that_cannot_answer) {
  EXPECT_TRUE(run("waits_beside_threads_that_cannot_answer"));
}

INSTANTIATE_TEST_SUITE_P(tbb, blocked_bodies, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
