// Work and span of programs for which both are known. Each thread has a clock of its own here, which
// leaves put forward: so the numbers are exact, whatever the schedule.

#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "profiled.hpp"

namespace {

INSTANTIATE_TEST_SUITE_P(workers, profiled, testing::Values(1, 2, 4));

TEST_P(profiled, a_balanced_tree_has_the_span_of_a_leaf) {
  tree(8, 1000);
  expect(256'000, 1000);
}

/// Before the fork, in the child, beside it, and after the join.
void stairs(int steps) {
  if (steps == 0) return;
  spend(10);
  nopal::scope s;
  s.fork(stairs, steps - 1);
  spend(300);
  s.join();
  spend(5);
}

TEST_P(profiled, stairs_have_the_span_of_their_longest_way_down) {
  stairs(100);
  // Down the stairs each step takes 15; the last one has 300 beside nothing. The first one's 15 are
  // outside of the region.
  expect(100 * 315 - 15, 98 * 15 + 315);
}

TEST_P(profiled, children_of_one_scope_begin_when_they_are_forked) {
  nopal::scope s;
  for (int i = 0; i < 50; ++i) {
    spend(7);
    s.fork([] { spend(400); });
  }
  s.join();
  // What comes before the first fork is outside of the region.
  expect(49 * 7 + 50 * 400, 49 * 7 + 400);
}

TEST_P(profiled, a_loop_with_long_bodies_has_the_span_of_one) {
  nopal::parallel_for(0, 64, [](int) { spend(10'000); });
  expect(640'000, 10'000);
}

TEST_P(profiled, scopes_that_follow_one_another_add_up) {
  for (int i = 0; i < 10; ++i) {
    tree(3, 100);
    spend(50);
  }
  auto numbers = whole();
  EXPECT_EQ(numbers["work_ns"], 10U * 800);
  EXPECT_EQ(numbers["span_ns"], 10U * 100);
  EXPECT_EQ(numbers["regions"], 10U);
  EXPECT_EQ(numbers["outside_ns"], 9U * 50);
}

TEST_P(profiled, a_scope_is_joined_twice) {
  nopal::scope s;
  s.fork([] { spend(100); });
  spend(30);
  s.join();
  s.fork([] { spend(20); });
  spend(40);
  s.join();
  expect(190, 140);
}

/// Children that end only when their continuation has gone on: each is stolen.
TEST_P(profiled, what_is_stolen_counts_as_if_it_were_not) {
  if (GetParam() == 1) GTEST_SKIP() << "nobody steals";
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> went_on{false};
    nopal::scope both;
    both.fork([&went_on] {
      tree(3, 100);
      while (!went_on.load()) std::this_thread::yield();
      spend(10);
    });
    spend(30);
    went_on.store(true);
    spend(20);
    both.join();
    spend(5);
  }
  EXPECT_GE(nopal::stats().total.steals, 20U);
  // What comes after the last join is outside of the region, as all that lies between two of them.
  expect(20U * 860, 20U * 110);
}

[[gnu::noinline]] void throw_after(std::uint64_t ns) {
  spend(ns);
  throw std::runtime_error("thrown");
}

TEST_P(profiled, an_exception_leaves_the_fork_or_the_join_as_ever) {
  int caught = 0;
  for (int i = 0; i < 20; ++i) {
    try {
      nopal::scope s;
      s.fork(throw_after, std::uint64_t{100});
      s.join();
      FAIL();
    } catch (const std::runtime_error&) {
      ++caught;
    }
  }
  EXPECT_EQ(caught, 20);
  expect(2000, 2000);
}

TEST(profiled_alone, an_exception_of_an_unstolen_child_leaves_its_fork) {
  const std::string file = testing::TempDir() + "nopal-profile-alone-" + std::to_string(getpid());
  setenv("NOPAL_PROFILE", file.c_str(), 1);
  setenv("NOPAL_WORKERS", "1", 1);
  bool went_on = false;
  try {
    nopal::scope s;
    s.fork(throw_after, std::uint64_t{1});
    went_on = true;
    s.join();
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(went_on);
  std::remove(file.c_str());
}

TEST_P(profiled, threads_of_the_program_run_beside_one_another) {
  tree(1, 0);  // this thread has a worker from here on
  std::thread other([] { tree(4, 500); });
  tree(4, 200);
  other.join();
  auto numbers = whole();
  EXPECT_EQ(numbers["work_ns"], 16U * 700);
  EXPECT_EQ(numbers["span_ns"], 500U);
  EXPECT_EQ(numbers["roots"], 2U);
}

[[gnu::noinline]] void fork_within() {
  spend(3);
  nopal::scope s;
  s.fork([] { spend(100); });
  spend(20);
  s.join();
}

TEST_P(profiled, a_site_has_its_forks_its_work_and_its_part_of_the_path) {
  nopal::scope s;
  for (int i = 0; i < 10; ++i) {
    s.fork(fork_within);
  }
  s.join();
  const std::string all = text();
  std::map<std::string, std::uint64_t> outer = numbers_of(all, "{\"site\":2,");
  std::map<std::string, std::uint64_t> inner = numbers_of(all, "{\"site\":3,");
  EXPECT_EQ(outer["forks"], 10U);
  EXPECT_EQ(outer["work_ns"], 1230U);
  EXPECT_EQ(outer["own_work_ns"], 230U);
  EXPECT_EQ(outer["path_ns"], 3U);
  EXPECT_EQ(inner["forks"], 10U);
  EXPECT_EQ(inner["work_ns"], 1000U);
  EXPECT_EQ(inner["all_work_ns"], 1000U);
  EXPECT_EQ(inner["path_ns"], 100U);
  EXPECT_NE(all.find("{\"path\":[2],\"ns\":3}\n"), std::string::npos);
  EXPECT_NE(all.find("{\"path\":[2,3],\"ns\":100}\n"), std::string::npos);
}

void fork_other(int depth);
[[gnu::noinline]] void fork_one(int depth) {
  nopal::scope s;
  s.fork([depth] {
    spend(7);
    fork_other(depth);
  });
  s.join();
}
[[gnu::noinline]] void fork_other(int depth) {
  nopal::scope s;
  s.fork([depth] {
    spend(5);
    if (depth != 0) fork_one(depth - 1);
  });
  s.join();
}

TEST_P(profiled, the_path_is_told_by_sites_within_sites_and_a_recursion_is_within_itself) {
  fork_one(2);
  const std::string all = text();
  EXPECT_NE(all.find("{\"path\":[2],\"ns\":21}\n"), std::string::npos);
  EXPECT_NE(all.find("{\"path\":[2,3],\"ns\":15}\n"), std::string::npos);
  EXPECT_EQ(all.find("\"path\":["), all.find("{\"path\":[2],") + 1);
  EXPECT_EQ(all.rfind("{\"path\":["), all.find("{\"path\":[2,3]"));
}

TEST_P(profiled, intervals_are_named_and_subtracted) {
  nopal::work_span both;
  both.begin();
  tree(4, 100);
  const nopal::work_span between = nopal::work_span::now();
  spend(30);
  tree(3, 10);
  const nopal::work_span second = nopal::work_span::now() - between;
  both.end("both \"quoted\"");
  EXPECT_TRUE(nopal::is_profiled());
  EXPECT_EQ(second.work_ns(), 30U + 80);
  EXPECT_EQ(second.span_ns(), 30U + 10);
  EXPECT_EQ(both.work_ns(), 1600U + 110);
  EXPECT_EQ(both.span_ns(), 100U + 40);
  EXPECT_DOUBLE_EQ(both.parallelism(), 1710.0 / 140);
  std::map<std::string, std::uint64_t> told = numbers_of(text(), "{\"interval\"");
  EXPECT_EQ(told["work_ns"], 1710U);
  EXPECT_EQ(told["span_ns"], 140U);
}

TEST_P(profiled, intervals_that_end_elsewhere_are_not_negative) {
  tree(4, 100);
  nopal::work_span interval;
  interval.begin();
  const nopal::work_span here = interval;
  nopal::work_span difference;
  std::thread([&interval, &difference, here] {
    tree(1, 1);
    difference = nopal::work_span::now() - here;
    interval.end("elsewhere");
  }).join();
  EXPECT_EQ(interval.work_ns(), 0U);
  EXPECT_EQ(difference.work_ns(), 0U);
  EXPECT_EQ(numbers_of(text(), "{\"interval\"")["work_ns"], 0U);
}

TEST_P(profiled, an_interval_goes_from_its_last_begin_or_that_of_the_thread) {
  nopal::work_span never;
  nopal::work_span twice;
  twice.begin();
  tree(1, 10);
  twice.begin();
  tree(1, 100);
  twice.end();
  never.end();
  EXPECT_EQ(twice.work_ns(), 200U);
  EXPECT_EQ(never.work_ns(), 220U);
}

TEST_P(profiled, intervals_of_c_add_up_by_name) {
  for (int i = 0; i < 3; ++i) {
    nopal_work_span interval;
    nopal_work_span_begin(&interval);
    tree(2, 10);
    nopal_work_span_end(&interval, "part");
    EXPECT_EQ(interval.work_ns, 40U);
    EXPECT_EQ(interval.span_ns, 10U);
  }
  std::map<std::string, std::uint64_t> told = numbers_of(text(), "{\"interval\"");
  EXPECT_EQ(told["count"], 3U);
  EXPECT_EQ(told["work_ns"], 120U);
}

TEST(unprofiled, intervals_are_zero) {
  unsetenv("NOPAL_PROFILE");
  nopal::work_span interval;
  interval.begin();
  tree(3, 10);
  interval.end("nothing");
  EXPECT_FALSE(nopal::is_profiled());
  EXPECT_EQ(interval.work_ns(), 0U);
  EXPECT_EQ(interval.parallelism(), 0);
}

TEST_P(profiled, a_strand_that_waits_does_no_work) {
  nopal::event ready;
  nopal::scope s;
  s.fork([&ready] {
    ready.wait();
    spend(10);
  });
  spend(100);
  ready.set();
  s.join();
  auto numbers = whole();
  EXPECT_EQ(numbers["work_ns"], 110U);
}

TEST_P(profiled, tasks_that_the_waiting_thread_runs_are_work) {
  tbb::task_group group;
  for (int i = 0; i < 20; ++i) {
    group.run([i] {
      spend(100);
      if (i % 2 == 0) {
        tbb::task_group inner;
        inner.run_and_wait([] { tree(1, 40); });
      }
    });
  }
  group.wait();
  auto numbers = whole();
  EXPECT_EQ(numbers["work_ns"], 20U * 100 + 10U * 80);
  EXPECT_EQ(numbers["span_ns"], 100U);
}

TEST_P(profiled, a_child_that_waits_for_tasks_is_not_their_work) {
  nopal::scope s;
  s.fork([] {
    spend(30);
    tbb::task_group group;
    group.run([] { spend(500); });
    group.run([] { spend(500); });
    group.wait();
    spend(20);
  });
  s.join();
  auto numbers = whole();
  EXPECT_EQ(numbers["work_ns"], 1050U);
  EXPECT_EQ(numbers["span_ns"], 500U);
}

TEST_P(profiled, a_child_process_leaves_the_file_alone) {
  tree(4, 100);
  const pid_t child = fork();
  if (child == 0) {
    tree(6, 100);
    profile::finish();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  expect(1600, 100);
}

}  // namespace
