// Waits inside of tasks that other waits run: how deep they go, and what they find.
#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <nopal/nopal.hpp>

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

constexpr int many = 20000;

int wait_at_each_level(int depth) {
  if (depth == 0) return 0;
  int below = 0;
  tbb::task_group group;
  group.run([&below, depth] { below = wait_at_each_level(depth - 1); });
  group.wait();
  return below + 1;
}

int run_and_wait_at_each_level(int depth) {
  if (depth == 0) return 0;
  int below = 0;
  tbb::task_group group;
  group.run_and_wait([&below, depth] { below = run_and_wait_at_each_level(depth - 1); });
  return below + 1;
}

/// Two strands at each level, of which the second is left to others.
int fork_at_each_level(int depth) {
  if (depth == 0) return 0;
  int below = 0;
  int beside = 0;
  tbb::task_group group;
  group.run([&below, &beside, depth] {
    nopal::scope s;
    s.fork([&below, depth] { below = fork_at_each_level(depth - 1); });
    s.fork([&beside] { beside = 1; });
    s.join();
  });
  group.wait();
  return below + beside;
}

// Far more than fits on the stack that they begin on.
NOPAL_PROGRAM(recursion_of_waits) {
  NOPAL_CHECK(wait_at_each_level(many) == many);
  return 0;
}
NOPAL_PROGRAM(recursion_of_waits_in_an_arena) {
  tbb::task_arena arena;
  NOPAL_CHECK(arena.execute([] { return wait_at_each_level(many); }) == many);
  return 0;
}
NOPAL_PROGRAM(recursion_of_calls) {
  NOPAL_CHECK(run_and_wait_at_each_level(many) == many);
  return 0;
}

// So deep that nobody would see the end of it where each look went through all workers, and for each through all that it is nested in.
NOPAL_PROGRAM(recursion_of_scopes) {
  constexpr int depth = support::watched ? many : 25000;
  NOPAL_CHECK(fork_at_each_level(depth) == depth);
  return 0;
}

/// Tasks of another group that wait for the one that this task is of.
class waiting_tasks {
public:
  explicit waiting_tasks(tbb::task_group& awaited) : awaited_(awaited) {}

  void start(int count) {
    for (int i = 0; i < count; ++i) {
      group_.run([this] {
        ++begun_;
        awaited_.wait();
      });
    }
  }

  void wait_until_begun(int count) const {
    while (begun_ < count) std::this_thread::yield();
  }

  int finished() {
    group_.wait();
    return begun_;
  }

private:
  tbb::task_group& awaited_;
  tbb::task_group group_;
  std::atomic<int> begun_{0};
};

// One other thread begins more than one, as each wait finds the next. In the first task that a thread calls or runs.
NOPAL_PROGRAM(tasks_of_the_first_call) {
  tbb::task_group awaited;
  waiting_tasks waiting(awaited);
  awaited.run_and_wait([&] {
    waiting.start(30);
    waiting.wait_until_begun(20);
  });
  NOPAL_CHECK(waiting.finished() == 30);
  return 0;
}
// More than a thread begins on top of each other without a pause where a stack has little room.
NOPAL_PROGRAM(tasks_with_room_for_them) {
  tbb::task_group awaited;
  waiting_tasks waiting(awaited);
  awaited.run_and_wait([&] {
    waiting.start(120);
    waiting.wait_until_begun(100);
  });
  NOPAL_CHECK(waiting.finished() == 120);
  return 0;
}

/// Has tasks of as many groups under way, of which `last` is told the innermost one.
template <class Last>
void run_in_groups(int depth, const Last& last) {
  tbb::task_group group;
  group.run_and_wait([&group, depth, &last] {
    if (depth == 1) {
      last(group);
    } else {
      run_in_groups(depth - 1, last);
    }
  });
}

/// More groups than a wait looks for, of which the innermost one's task waits for what a wait alone can run here.
NOPAL_PROGRAM(tasks_in_many_groups) {
  tbb::task_group awaited;
  std::atomic<tbb::task_group*> innermost{nullptr};
  std::atomic<bool> is_run{false};
  std::thread runs([&] {
    awaited.run_and_wait([&] {
      run_in_groups(40, [&](tbb::task_group& group) {
        innermost = &group;
        while (!is_run) std::this_thread::yield();
      });
    });
  });
  std::thread starts([&] {
    while (innermost == nullptr) std::this_thread::yield();
    innermost.load()->run([&is_run] { is_run = true; });
    while (!is_run) std::this_thread::yield();
  });
  while (innermost == nullptr) std::this_thread::yield();
  awaited.wait();
  NOPAL_CHECK(is_run);
  runs.join();
  starts.join();
  return 0;
}

int run_first_task() {
  tbb::task_group awaited;
  waiting_tasks waiting(awaited);
  awaited.run([&] {
    waiting.start(30);
    waiting.wait_until_begun(20);
  });
  awaited.wait();
  NOPAL_CHECK(waiting.finished() == 30);
  return 0;
}
NOPAL_PROGRAM(tasks_of_the_first_task) { return run_first_task(); }
NOPAL_PROGRAM(tasks_of_the_first_task_in_an_arena) { return tbb::task_arena(2).execute(run_first_task); }

/// One thread starts many tasks of another group while this one waits for the task that does.
int wait_beside_many_tasks() {
  constexpr int count = support::watched ? 50'000 : 400'000;
  tbb::task_group awaited;
  std::atomic<bool> begun{false};
  std::atomic<int> calls{0};
  awaited.run([&] {
    begun = true;
    tbb::task_group many_tasks;
    for (int i = 0; i < count; ++i) many_tasks.run([&calls] { ++calls; });
    many_tasks.wait();
  });
  while (!begun) std::this_thread::yield();
  awaited.wait();
  NOPAL_CHECK(calls == count);
  return 0;
}

// So many that nobody would see the end of it where each look went through all of them.
NOPAL_PROGRAM(many_tasks_of_another_group) { return wait_beside_many_tasks(); }
NOPAL_PROGRAM(many_tasks_of_another_group_in_an_arena) {
  return tbb::task_arena(4).execute(wait_beside_many_tasks);
}

/// Pushes many tasks of two groups by turns, or of one, each by another task.
enum class neighbours { of_two_groups, of_many_starters };
template <neighbours Which>
int wait_beside_neighbours_that_differ() {
  constexpr int count = support::watched ? 50'000 : 400'000;
  tbb::task_group awaited;
  std::atomic<bool> begun{false};
  std::atomic<int> calls{0};
  awaited.run([&] {
    begun = true;
    tbb::task_group even;
    tbb::task_group odd;
    const auto call = [&calls] { ++calls; };
    for (int i = 0; i < count; ++i) {
      if (Which == neighbours::of_many_starters) {
        even.run([&odd, call] { odd.run(call); });
      } else {
        (i % 2 == 0 ? even : odd).run(call);
      }
    }
    if (Which == neighbours::of_two_groups) {
      while (calls < count) std::this_thread::yield();  // others run them
    }
    even.wait();
    odd.wait();
  });
  while (!begun) std::this_thread::yield();
  awaited.wait();
  NOPAL_CHECK(calls == count);
  return 0;
}

// As above.
NOPAL_PROGRAM(tasks_of_two_groups_by_turns) {
  return wait_beside_neighbours_that_differ<neighbours::of_two_groups>();
}
NOPAL_PROGRAM(tasks_of_two_groups_by_turns_in_an_arena) {
  return tbb::task_arena(4).execute(wait_beside_neighbours_that_differ<neighbours::of_two_groups>);
}
NOPAL_PROGRAM(tasks_of_many_starters) {
  return wait_beside_neighbours_that_differ<neighbours::of_many_starters>();
}
NOPAL_PROGRAM(tasks_of_many_starters_in_an_arena) {
  return tbb::task_arena(4).execute(wait_beside_neighbours_that_differ<neighbours::of_many_starters>);
}

/// Calls `f` with more than half of a stack of the pool in use.
template <class F>
[[gnu::noinline]] void with_much_stack_used(const F& f) {
  char used[600'000];
  asm volatile("" : : "r"(used) : "memory");  // all of it is there
  f();
  asm volatile("" : : "r"(used) : "memory");
}

// Each task on top of the last takes a stack. Deep enough, a wait goes on so only where nothing happens for long.
NOPAL_PROGRAM(tasks_without_end) {
  constexpr int count = 5000;
  tbb::task_group awaited;
  tbb::task_group waiting;
  std::atomic<int> begun{0};
  const std::uint64_t before = nopal::stats().total.stacks_taken;
  awaited.run_and_wait([&] {
    for (int i = 0; i < count; ++i) {
      waiting.run([&] {
        ++begun;
        with_much_stack_used([&] { awaited.wait(); });
      });
    }
    while (begun < 50) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    NOPAL_CHECK(nopal::stats().total.stacks_taken - before < 150U * static_cast<unsigned>(nopal::workers()));
  });
  waiting.wait();
  NOPAL_CHECK(begun == count);
  support::check_quiet_soon();
  return 0;
}

/// Far more than a stack of the pool has.
[[gnu::noinline]] void use_two_megabytes() {
  volatile char used[std::size_t{2} << 20];
  for (std::size_t i = 0; i < sizeof used; i += 4096) used[i] = 1;
}

void use_much_in_tasks() {
  tbb::task_group group;
  group.run_and_wait(use_two_megabytes);
  if (nopal::workers() == 1) group.run(use_two_megabytes);  // else a thread of the pool may take it
  group.wait();
}

// More than half of it is used, and more is left than one of the pool has.
NOPAL_PROGRAM(tasks_on_a_large_stack) {
  pthread_attr_t attributes;
  NOPAL_CHECK(pthread_attr_init(&attributes) == 0 &&
              pthread_attr_setstacksize(&attributes, std::size_t{16} << 20) == 0);
  pthread_t thread;
  NOPAL_CHECK(pthread_create(
                  &thread, &attributes,
                  [](void*) -> void* {
                    volatile char used[std::size_t{12} << 20];
                    used[0] = 1;
                    use_much_in_tasks();
                    used[1] = used[0];
                    return nullptr;
                  },
                  nullptr) == 0);
  NOPAL_CHECK(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  return 0;
}

// Such a stack is the program's to fill.
NOPAL_PROGRAM(tasks_on_a_stack_of_the_programs) {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  NOPAL_CHECK(memory != MAP_FAILED);
  ucontext_t before;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = memory;
  context.uc_stack.ss_size = bytes;
  context.uc_link = &before;
  makecontext(&context, use_much_in_tasks, 0);
  NOPAL_CHECK(swapcontext(&before, &context) == 0);
  return munmap(memory, bytes);
}

class deep_waits : public support::program_at_workers {};

TEST_P(deep_waits, fit_on_any_stack) { EXPECT_TRUE(run("recursion_of_waits")); }
TEST_P(deep_waits, fit_on_any_stack_in_arenas) { EXPECT_TRUE(run("recursion_of_waits_in_an_arena")); }
TEST_P(deep_waits, of_functions_called_at_once_fit_on_any_stack) { EXPECT_TRUE(run("recursion_of_calls")); }

TEST_P(deep_waits, find_what_the_innermost_of_many_groups_waits_for) {
  EXPECT_TRUE(run("tasks_in_many_groups"));
}

TEST_P(deep_waits, look_at_few_workers_at_once) { EXPECT_TRUE(run("recursion_of_scopes")); }

TEST_P(deep_waits, stay_where_there_is_more_room) {
  EXPECT_TRUE(run("tasks_on_a_large_stack"));
  EXPECT_TRUE(run("tasks_on_a_stack_of_the_programs"));
}

INSTANTIATE_TEST_SUITE_P(tbb, deep_waits, testing::Values(1, 2, 7), testing::PrintToStringParamName());

class waits_of_others : public support::program_at_workers {};

TEST_P(waits_of_others, find_what_the_first_call_of_a_thread_starts) {
  EXPECT_TRUE(run("tasks_of_the_first_call"));
}
TEST_P(waits_of_others, go_on_on_top_of_each_other_where_there_is_room) {
  EXPECT_TRUE(run("tasks_with_room_for_them"));
}
TEST_P(waits_of_others, find_what_the_first_task_of_a_thread_starts) {
  EXPECT_TRUE(run("tasks_of_the_first_task"));
}
TEST_P(waits_of_others, find_what_the_first_task_starts_in_an_arena) {
  EXPECT_TRUE(run("tasks_of_the_first_task_in_an_arena"));
}
TEST_P(waits_of_others, pass_over_tasks_of_another_group) {
  EXPECT_TRUE(run("many_tasks_of_another_group"));
  EXPECT_TRUE(run("many_tasks_of_another_group_in_an_arena"));
}
TEST_P(waits_of_others, pass_over_tasks_of_two_groups_by_turns) {
  EXPECT_TRUE(run("tasks_of_two_groups_by_turns"));
  EXPECT_TRUE(run("tasks_of_two_groups_by_turns_in_an_arena"));
}
TEST_P(waits_of_others, pass_over_tasks_of_many_starters) { EXPECT_TRUE(run("tasks_of_many_starters")); }
TEST_P(waits_of_others, pass_over_tasks_of_many_starters_in_an_arena) {
  EXPECT_TRUE(run("tasks_of_many_starters_in_an_arena"));
}
TEST_P(waits_of_others, take_few_stacks) { EXPECT_TRUE(run("tasks_without_end")); }

INSTANTIATE_TEST_SUITE_P(tbb, waits_of_others, testing::Values(2, 7), testing::PrintToStringParamName());

}  // namespace
