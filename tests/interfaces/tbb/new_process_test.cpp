// fork(2) in bodies and beside tasks: nothing that the parent has begun is run by the new process, but by waits.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <nopal/nopal.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/splitting.hpp"
#include "support/strands.hpp"

namespace {

using support::exited_with_0;
using support::flag;
using support::says_it_came_to;
using support::split;
using support::use_runtime;
using support::was_refused;

/// Counts what runs in another process than the first.
class elsewhere {
public:
  void count() const {
    if (getpid() != first_) ++*count_;
  }
  [[nodiscard]] long counted() const { return *count_; }

private:
  const pid_t first_ = getpid();
  std::atomic<long>* const count_ = static_cast<std::atomic<long>*>(
      mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

void compute_and_end() {
  std::atomic<int> sum{0};
  for (int round = 0; round < 5; ++round) {
    use_runtime();
    tbb::parallel_for(0, 100, [&](int) {
      ++sum;
      support::burn(1000);
    });
    tbb::task_group group;
    for (int i = 0; i < 100; ++i) group.run([&] { ++sum; });
    group.wait();
  }
  _exit(sum == 1000 ? 0 : 3);
}

NOPAL_PROGRAM(split_in_a_body) {
  const elsewhere runs;
  for (int i = 0; i < 30; ++i) {
    tbb::parallel_for(
        0, 40,
        [&](int at) {
          runs.count();
          if (at % 16 != 3) return support::burn(1000);
          const pid_t child = split();
          if (child == 0) compute_and_end();
          exited_with_0(child);
        },
        tbb::simple_partitioner());
  }
  NOPAL_CHECK(runs.counted() == 0);
  return 0;
}

NOPAL_PROGRAM(split_beside_tasks) {
  const elsewhere runs;
  tbb::task_arena arena;
  for (int i = 0; i < 30; ++i) {
    std::atomic<int> done{0};
    const auto task = [&] {
      runs.count();
      support::burn(20000);
      ++done;
    };
    tbb::task_group group;
    for (int k = 0; k < 100; ++k) group.run(task);
    arena.execute([&] {
      for (int k = 0; k < 100; ++k) group.run(task);
    });
    const pid_t child = split();
    if (child == 0) compute_and_end();
    group.wait();
    NOPAL_CHECK(done == 200);
    exited_with_0(child);
  }
  NOPAL_CHECK(runs.counted() == 0);
  return 0;
}

/// On one worker: all of the tasks are this thread's.
NOPAL_PROGRAM(wait_in_both) {
  tbb::task_arena arena;
  for (int i = 0; i < 5; ++i) {
    std::atomic<int> done{0};
    tbb::task_group group;
    for (int k = 0; k < 100; ++k) group.run([&] { ++done; });
    arena.execute([&] {
      for (int k = 0; k < 100; ++k) group.run([&] { ++done; });
    });
    const pid_t child = split();
    if (child == 0) {
      setenv("NOPAL_WORKERS", "4", 1);
      use_runtime();
      NOPAL_CHECK(done == 0);
    }
    for (int k = 0; k < 100; ++k) group.run([&] { ++done; });
    group.wait();
    NOPAL_CHECK(done == 300);
    if (child == 0) std::exit(0);
    exited_with_0(child);
  }
  return 0;
}

NOPAL_PROGRAM(wait_for_what_others_have) {
  flag begun{false};
  flag over{false};
  tbb::task_group group;
  group.run([&] {
    support::set(begun);
    while (!over) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  const pid_t child = split();
  if (child != 0) {
    was_refused(child);
    support::set(over);
  }
  group.wait();
  return 0;
}

/// On one worker: nobody runs the task before the other thread may go on.
NOPAL_PROGRAM(wait_for_what_another_has_started) {
  flag started{false};
  flag over{false};
  tbb::task_group group;
  std::thread other([&] {
    group.run([] {});
    support::set(started);
    while (!over) std::this_thread::yield();
  });
  while (!started) std::this_thread::yield();
  const pid_t child = split();
  if (child != 0) {
    was_refused(child);
    support::set(over);
  }
  group.wait();
  other.join();
  return 0;
}

NOPAL_PROGRAM(return_from_a_task_of_the_pool) {
  flag begun{false};
  tbb::task_group group;
  group.run([&] {
    support::set(begun);
    const pid_t child = split();
    if (child == 0) return use_runtime();
    was_refused(child);
  });
  while (!begun) std::this_thread::yield();
  group.wait();
  return 0;
}

/// Calls `f` with little room left, where waits run tasks on stacks of the pool.
template <class F>
[[gnu::noinline]] void with_much_stack_used(const F& f) {
  char used[600'000];
  asm volatile("" : : "r"(used) : "memory");  // Clang would make the array smaller
  f();
  asm volatile("" : : "r"(used) : "memory");
}

/// The new process goes on, with more workers. On one: nobody else has a part in anything.
void split_in_moved_task(pid_t& child, int& done) {
  child = split();
  if (child == 0) setenv("NOPAL_WORKERS", "4", 1);
  ++done;
}

void begin_moved_tasks(int way, pid_t& child, int& done) {
  tbb::task_group group;
  const auto task = [&] { split_in_moved_task(child, done); };
  if (way == 0) group.run_and_wait(task);
  if (way == 1) group.run(task);
  if (way == 2) tbb::task_arena(1).execute([&] { group.run(task); });
  if (way == 3) {
    group.run([&] {
      use_runtime();
      with_much_stack_used([&] { begin_moved_tasks(1, child, done); });
    });
  }
  if (way == 4) {
    group.run([&] { ++done; });
    group.run(task);
    group.run([&] { --done; });
  }
  group.wait();
  use_runtime();
}

NOPAL_PROGRAM(split_in_moved_tasks) {
  for (int way = 0; way < 5; ++way) {
    support::on_thread_with_stack(std::size_t{1} << 20, [way] {
      pid_t child = -1;
      int done = 0;
      const std::uint64_t before = nopal::stats().total.stacks_taken;
      with_much_stack_used([&] { begin_moved_tasks(way, child, done); });
      NOPAL_CHECK(done == 1);
      NOPAL_CHECK(child == 0 || nopal::stats().total.stacks_taken > before);
      if (child != 0) return exited_with_0(child);
      support::check_quiet_soon();
      nopal::shutdown();
      use_runtime();
      std::exit(0);
    });
  }
  support::check_quiet_soon();
  return 0;
}

/// What waits is a task that a thread of the pool began.
NOPAL_PROGRAM(split_in_a_moved_task_of_the_pool) {
  flag begun{false};
  tbb::task_group group;
  group.run([&] {
    support::set(begun);
    pid_t child = -1;
    int done = 0;
    with_much_stack_used([&] {
      tbb::task_group inner;
      inner.run_and_wait([&] { split_in_moved_task(child, done); });
    });
    NOPAL_CHECK(done == 1);
    if (child == 0) compute_and_end();
    exited_with_0(child);
  });
  while (!begun) std::this_thread::yield();
  group.wait();
  return 0;
}

void wait_until(const std::atomic<int>& count, int value) {
  while (count != value) std::this_thread::yield();
}

/// A thread enqueues at each moment. What it has enqueued is the parent's to run.
NOPAL_PROGRAM(split_beside_enqueued_tasks) {
  const elsewhere runs;
  flag over{false};
  std::atomic<int> left{0};
  tbb::task_arena arena;
  std::thread other([&] {
    while (!over) {
      if (left > 100) continue;
      ++left;
      arena.enqueue([&] {
        runs.count();
        support::burn(1000);
        --left;
      });
    }
  });
  for (int i = 0; i < 30; ++i) {
    const pid_t child = split();
    if (child == 0) {
      std::atomic<int> done{0};
      for (int k = 0; k < 10; ++k) tbb::task_arena().enqueue([&] { ++done; });
      wait_until(done, 10);
      _exit(0);
    }
    exited_with_0(child);
  }
  support::set(over);
  other.join();
  wait_until(left, 0);
  NOPAL_CHECK(runs.counted() == 0);
  return 0;
}

/// Threads that the child has not, and their indices in the arena.
NOPAL_PROGRAM(split_beside_threads_in_an_arena) {
  for (int most = 1; most != 4; ++most) {
    flag over{false};
    std::atomic<int> inside{0};
    tbb::task_arena arena(most);
    const auto stay = [&] {
      NOPAL_CHECK(tbb::this_task_arena::current_thread_index() >= 0);
      ++inside;
      while (!over) std::this_thread::yield();
      --inside;
    };
    std::thread other([&] { arena.execute(stay); });
    arena.enqueue(stay);
    wait_until(inside, 2);
    const pid_t child = split();
    if (child == 0) {
      std::atomic<int> done{0};
      arena.execute([&] {
        NOPAL_CHECK(tbb::this_task_arena::current_thread_index() < most);
        arena.enqueue([&] {
          NOPAL_CHECK(tbb::this_task_arena::current_thread_index() >= 0);
          ++done;
        });
        wait_until(done, 1);
      });
      _exit(0);
    }
    exited_with_0(child);
    support::set(over);
    other.join();
    wait_until(inside, 0);
  }
  return 0;
}

/// The child's only thread goes on with what is enqueued.
NOPAL_PROGRAM(split_in_an_enqueued_task) {
  for (int most = 1; most != 4; ++most) {
    flag over{false};
    tbb::task_arena arena(most);
    arena.enqueue([&] {
      const pid_t child = split();
      if (child != 0) {
        exited_with_0(child);
        return support::set(over);
      }
      static std::atomic<int> left{5};
      for (int i = 0; i < 5; ++i) {
        arena.enqueue([&arena] {
          arena.enqueue([] {
            if (--left == 0) _exit(0);
          });
        });
      }
    });
    while (!over) std::this_thread::yield();
  }
  return 0;
}

class new_process : public support::program_at_workers {};

TEST_P(new_process, of_a_body_runs_no_other_body) { EXPECT_TRUE(run("split_in_a_body")); }
TEST_P(new_process, runs_no_task_that_it_does_not_wait_for) { EXPECT_TRUE(run("split_beside_tasks")); }
TEST_P(new_process, enqueues_while_a_thread_of_its_parent_does) {
  EXPECT_TRUE(run("split_beside_enqueued_tasks"));
}
TEST_P(new_process, has_the_places_of_its_parents_threads) {
  EXPECT_TRUE(run("split_beside_threads_in_an_arena"));
}
TEST_P(new_process, of_an_enqueued_task_goes_on_with_others) {
  EXPECT_TRUE(run("split_in_an_enqueued_task"));
}
TEST_P(new_process, of_a_moved_task_of_the_pool_comes_to_what_waits_for_it) {
  EXPECT_TRUE(run("split_in_a_moved_task_of_the_pool"));
}
TEST_P(new_process, says_that_others_have_what_it_waits_for) {
  EXPECT_TRUE(says_it_came_to("the wait for a group of tasks", "wait_for_what_others_have", GetParam()));
}
TEST_P(new_process, says_that_a_task_of_the_pool_cannot_end) {
  EXPECT_TRUE(says_it_came_to("the end of a task", "return_from_a_task_of_the_pool", GetParam()));
}

INSTANTIATE_TEST_SUITE_P(at_workers, new_process, testing::Values(2, 7), testing::PrintToStringParamName());

TEST(new_process_of_one_worker, runs_the_tasks_that_it_waits_for) {
  EXPECT_TRUE(support::succeeds("wait_in_both", support::on_workers(1)));
}
TEST(new_process_of_one_worker, goes_on_behind_waits_that_moved_their_tasks) {
  EXPECT_TRUE(support::succeeds("split_in_moved_tasks", support::on_workers(1)));
}
TEST(new_process_of_one_worker, says_that_another_thread_has_started_what_it_waits_for) {
  EXPECT_TRUE(says_it_came_to("the wait for a group of tasks", "wait_for_what_another_has_started", 1));
}

}  // namespace
