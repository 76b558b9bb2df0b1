// Groups of tasks of oneTBB's interface, used by the function that made them and by others.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

long fib(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  tbb::task_group group;
  group.run([&, n] { a = fib(n - 1); });
  group.run_and_wait([&, n] { b = fib(n - 2); });
  return a + b;
}

long fib_of_tasks(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  tbb::task_group group;
  group.run([&, n] { a = fib_of_tasks(n - 1); });
  group.run([&, n] { b = fib_of_tasks(n - 2); });
  NOPAL_CHECK(group.wait() == tbb::complete);
  return a + b;
}

NOPAL_PROGRAM(recursion) {
  NOPAL_CHECK(fib(22) == 17711);
  NOPAL_CHECK(fib_of_tasks(22) == 17711);
  return 0;
}

void visit(tbb::task_group& group, std::atomic<int>& nodes, int depth) {
  ++nodes;
  if (depth == 0) return;
  group.run([&, depth] { visit(group, nodes, depth - 1); });
  group.run([&, depth] { visit(group, nodes, depth - 1); });
}

NOPAL_PROGRAM(tasks_that_add_tasks) {
  for (int round = 0; round != 10; ++round) {
    std::atomic<int> nodes{0};
    tbb::task_group group;
    visit(group, nodes, 10);
    group.wait();
    NOPAL_CHECK(nodes == 2047);
    // The function that made it and its tasks at once.
    group.run([&] { visit(group, nodes, 9); });
    group.run([&] { visit(group, nodes, 9); });
    ++nodes;
    group.wait();
    NOPAL_CHECK(nodes == 2 * 2047);
  }
  return 0;
}

void run_some(tbb::task_group& group, std::atomic<int>& calls) {
  for (int i = 0; i != 1000; ++i) group.run([&] { ++calls; });
}
tbb::task_group_status wait_for(tbb::task_group& group) { return group.wait(); }

// Functions that are not inlined, whatever the optimizer likes.
NOPAL_PROGRAM(other_functions) {
  void (*volatile run)(tbb::task_group&, std::atomic<int>&) = run_some;
  tbb::task_group_status (*volatile wait)(tbb::task_group&) = wait_for;
  for (int round = 0; round != 20; ++round) {
    std::atomic<int> calls{0};
    tbb::task_group group;
    run(group, calls);
    for (int i = 0; i != 100; ++i) {
      group.run([&] { tbb::parallel_for(0, 100, [&](int) { ++calls; }); });
    }
    NOPAL_CHECK(wait(group) == tbb::complete);
    NOPAL_CHECK(calls == 1000 + 100 * 100);
    run(group, calls);
    group.wait();
    NOPAL_CHECK(calls == 2000 + 100 * 100);
  }
  return 0;
}

/// Groups as members: made by a constructor, used by functions, ended by a destructor.
class server {
public:
  explicit server(int tasks) {
    for (int i = 0; i != tasks; ++i) group_.run([this] { ++served_; });
  }
  void serve(int tasks) {
    for (int i = 0; i != tasks; ++i) group_.run([this] { ++served_; });
  }
  int finish() {
    group_.wait();
    return served_;
  }

private:
  std::atomic<int> served_{0};
  tbb::task_group group_;
};

NOPAL_PROGRAM(members) {
  server local(10);
  local.serve(100);
  NOPAL_CHECK(local.finish() == 110);
  local.serve(5);
  NOPAL_CHECK(local.finish() == 115);
  const auto heap = std::make_unique<server>(20);
  heap->serve(1000);
  NOPAL_CHECK(heap->finish() == 1020);
  std::optional<server> maybe(std::in_place, 3);
  maybe->serve(4);
  NOPAL_CHECK(maybe->finish() == 7);
  return 0;
}

NOPAL_PROGRAM(other_threads) {
  std::atomic<int> calls{0};
  tbb::task_group group;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i != 500; ++i) group.run([&] { ++calls; });
    });
  }
  for (int i = 0; i != 500; ++i) group.run([&] { ++calls; });
  for (std::thread& each : threads) each.join();
  group.wait();
  NOPAL_CHECK(calls == 2500);
  return 0;
}

NOPAL_PROGRAM(two_waits) {
  std::atomic<bool> started{false};
  std::atomic<bool> goes_on{false};
  std::atomic<bool> is_over{false};
  const auto group = std::make_unique<tbb::task_group>();
  group->run([&] {
    started = true;
    while (!goes_on) std::this_thread::yield();
    is_over = true;
  });
  std::thread first([&] { group->wait(); });
  while (!started) std::this_thread::yield();
  std::thread second([&] {
    group->wait();
    NOPAL_CHECK(is_over);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  goes_on = true;
  first.join();
  second.join();
  return 0;
}

NOPAL_PROGRAM(handles) {
  std::atomic<int> calls{0};
  tbb::task_group group;
  tbb::task_handle empty;
  NOPAL_CHECK(!empty && empty == nullptr);
  tbb::task_handle one = group.defer([&] { ++calls; });
  NOPAL_CHECK(static_cast<bool>(one));
  tbb::task_handle dropped = group.defer([&] { calls += 100; });
  dropped = tbb::task_handle();
  NOPAL_CHECK(!dropped && calls == 0);
  group.run(std::move(one));
  NOPAL_CHECK(!one);  // NOLINT(bugprone-use-after-move)
  group.wait();
  NOPAL_CHECK(calls == 1);
  group.run_and_wait(group.defer([&] { ++calls; }));
  // A task that returns another.
  group.run([&]() -> tbb::task_handle { return group.defer([&] { calls += 10; }); });
  group.wait();
  NOPAL_CHECK(calls == 12);
  return 0;
}

// A wait is for the tasks of handles too, or for the handles to be without them.
NOPAL_PROGRAM(announced_tasks) {
  for (const bool runs : {true, false}) {
    std::atomic<bool> is_over{false};
    tbb::task_group group;
    tbb::task_handle handle = group.defer([] {});
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      is_over = true;
      if (runs) {
        group.run(std::move(handle));
      } else {
        handle = tbb::task_handle();
      }
    });
    NOPAL_CHECK(group.wait() == tbb::complete && is_over);
    other.join();
  }
  // At the very moment of the wait.
  for (int round = 0; round != 3000; ++round) {
    std::atomic<bool> begins{false};
    bool is_run = false;
    tbb::task_group group;
    tbb::task_handle handle = group.defer([&] { is_run = true; });
    std::thread other([&] {
      while (!begins) std::this_thread::yield();
      group.run(std::move(handle));
    });
    begins = true;
    group.wait();
    NOPAL_CHECK(is_run);
    other.join();
  }
  return 0;
}

NOPAL_PROGRAM(move_only_tasks) {
  tbb::task_group group;
  std::atomic<int> sum{0};
  auto number = std::make_unique<int>(7);
  group.run([&sum, number = std::move(number)] { sum += *number; });
  group.wait();
  NOPAL_CHECK(sum == 7);
  return 0;
}

NOPAL_PROGRAM(no_wait) {
  std::atomic<int> calls{0};
  int missed = 0;
  void (*volatile run)(tbb::task_group&, std::atomic<int>&) = run_some;
  try {
    tbb::task_group group;
    run(group, calls);
    // Not over before the destructor has found that it is not, and cancelled it.
    group.run([] {
      while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
    });
  } catch (const tbb::missing_wait&) {
    ++missed;
  }
  NOPAL_CHECK(missed == 1);
  try {
    const auto heap = std::make_unique<tbb::task_group>();
    heap->run([&] { calls = -1; });
    heap->wait();
    NOPAL_CHECK(calls == -1);
  } catch (...) {
    NOPAL_CHECK(false);
  }
  try {
    std::optional<tbb::task_group> group;
    group.emplace();
    group->run([] {});
    throw std::runtime_error("first");
  } catch (const std::runtime_error&) {
  }
  return 0;
}

/// Calls itself as a task of a group of its own each time, and waits for it.
void descend(int levels, const std::function<void()>& at_the_end) {
  if (levels == 0) return at_the_end();
  tbb::task_group inner;
  inner.run_and_wait([&] { descend(levels - 1, at_the_end); });
}

// The task of the group waits for so many more on its thread, which has started another task before that is not the group's.
NOPAL_PROGRAM(many_groups_inside) {
  for (const int levels : {3, 15, 16, 40}) {
    std::atomic<bool> is_deep{false};
    std::atomic<bool> may_end{false};
    tbb::task_group before;
    tbb::task_group group;
    std::thread::id ran_by;
    std::thread other([&] {
      before.run([&ran_by] { ran_by = std::this_thread::get_id(); });
      group.run_and_wait([&] {
        descend(levels, [&] {
          is_deep = true;
          while (!may_end) std::this_thread::yield();
        });
      });
      before.wait();
      NOPAL_CHECK(nopal::workers() != 1 || ran_by == std::this_thread::get_id());
    });
    while (!is_deep) std::this_thread::yield();
    std::thread ends([&may_end] {
      support::sleep_ms(5);
      may_end = true;
    });
    NOPAL_CHECK(group.wait() == tbb::complete && may_end);
    ends.join();
    other.join();
  }
  support::check_quiet_soon();
  return 0;
}

// What a task threw goes to one of those who wait, whole.
NOPAL_PROGRAM(two_waits_for_what_was_thrown) {
  for (int round = 0; round != 200; ++round) {
    tbb::task_group group;
    std::atomic<int> ready{0};
    std::atomic<int> caught{0};
    std::atomic<int> returned{0};
    constexpr int waiters = 4;
    const auto wait = [&] {
      ++ready;
      try {
        group.wait();
        ++returned;
      } catch (const std::runtime_error& error) {
        caught += std::string(error.what()) == "kept for one of them";
      }
    };
    group.run([&] {
      while (ready < waiters) std::this_thread::yield();
      for (int i = 0; i != 20; ++i) std::this_thread::yield();  // most of them wait then
      throw std::runtime_error("kept for one of them");
    });
    std::vector<std::thread> threads;
    for (int i = 1; i != waiters; ++i) threads.emplace_back(wait);
    wait();
    for (std::thread& thread : threads) thread.join();
    NOPAL_CHECK(caught >= 1 && caught + returned == waiters);
    NOPAL_CHECK(group.wait() != tbb::not_complete);
  }
  return 0;
}

class groups : public support::program_at_workers {};

TEST_P(groups, recur_in_the_function_that_makes_them) { EXPECT_TRUE(run("recursion")); }
TEST_P(groups, take_tasks_from_tasks) { EXPECT_TRUE(run("tasks_that_add_tasks")); }
TEST_P(groups, are_used_by_other_functions_than_their_makers) { EXPECT_TRUE(run("other_functions")); }
TEST_P(groups, are_members_of_objects) { EXPECT_TRUE(run("members")); }
TEST_P(groups, take_tasks_from_other_threads) { EXPECT_TRUE(run("other_threads")); }
TEST_P(groups, are_waited_for_by_several_threads) { EXPECT_TRUE(run("two_waits")); }
TEST_P(groups, give_what_was_thrown_to_one_of_several_threads) {
  EXPECT_TRUE(run("two_waits_for_what_was_thrown"));
}
TEST_P(groups, are_waited_for_while_their_tasks_wait_for_many) { EXPECT_TRUE(run("many_groups_inside")); }
TEST_P(groups, run_tasks_that_were_deferred) { EXPECT_TRUE(run("handles")); }
TEST_P(groups, are_waited_for_while_there_are_handles) { EXPECT_TRUE(run("announced_tasks")); }
TEST_P(groups, take_tasks_that_cannot_be_copied) { EXPECT_TRUE(run("move_only_tasks")); }
TEST_P(groups, may_end_without_a_wait) { EXPECT_TRUE(run("no_wait")); }

INSTANTIATE_TEST_SUITE_P(tbb, groups, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(made_in, tells_constructors_from_other_functions) {
  using tbb::nopal_detail::may_be_constructor;
  EXPECT_TRUE(may_be_constructor("server::server(int)"));
  EXPECT_TRUE(may_be_constructor("ns::box<T>::box(T) [with T = std::vector<int>]"));
  EXPECT_TRUE(may_be_constructor("ns::box<std::pair<int, int> >::box()"));
  EXPECT_TRUE(may_be_constructor("a::~a()"));
  EXPECT_TRUE(may_be_constructor(""));
  EXPECT_FALSE(may_be_constructor("int main()"));
  EXPECT_FALSE(may_be_constructor("long int fib(int)"));
  EXPECT_FALSE(may_be_constructor("void ns::run(std::pair<a::a, int>)"));
  EXPECT_FALSE(may_be_constructor("auto f(int)::(anonymous class)::operator()() const"));
}

}  // namespace
