// Reducers updated in tasks: whoever runs these, each update counts once, in the strand that waits for their group.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nopal/reducer.hpp>

#include "interfaces/tbb/reducers_in_tasks.hpp"
#include "support/strands.hpp"

namespace {

using namespace reducers_in_tasks;  // NOLINT(google-build-using-namespace)

/// A set whose reductions fork, count what both had, and throw when they are told to.
struct op_set {
  using value_type = std::set<int>;
  static value_type identity() { return {}; }
  static void reduce(value_type& left, value_type&& right) {
    std::atomic<int> calls{0};
    nopal::scope s;
    for (int i = 0; i != 3; ++i) s.fork([&calls] { ++calls; });
    s.join();
    NOPAL_CHECK(calls == 3);
    for (const int one : right) {
      if (!left.insert(one).second && doubles != nullptr) **doubles += 1;
    }
    if (throws) throw std::domain_error("reduce");
  }
  static inline sum_reducer* doubles = nullptr;
  static inline std::atomic<bool> throws{false};
};

NOPAL_PROGRAM(reductions) {
  for (int round = 0; round != 50; ++round) {
    sum_reducer doubles;
    op_set::doubles = &doubles;
    nopal::reducer<op_set> set;
    set->insert(0);
    tbb::task_group group;
    for (int i = 0; i != 60; ++i) {
      group.run([&set, &doubles, i] {
        // What the strand itself finds twice, and what its merges do.
        if (!set->insert(i % 20).second) *doubles += 1;
      });
      if (i % 20 == 0) std::this_thread::yield();
    }
    std::thread other([&] { group.wait(); });
    other.join();
    NOPAL_CHECK(set.value().size() == 20);
    NOPAL_CHECK(doubles.value() == 41);
  }
  op_set::doubles = nullptr;
  check_no_set_is_left();
  return 0;
}

// The first of all that is thrown, as in joins; the reducer goes on without the view.
NOPAL_PROGRAM(reductions_that_throw) {
  for (int round = 0; round != 50 && nopal::workers() != 1; ++round) {
    nopal::reducer<op_set> set;
    const auto insert = [&set] { set->insert(1); };
    set->insert(0);
    tbb::task_group group;
    run_elsewhere(group, insert);
    op_set::throws = true;
    int caught = 0;
    try {
      group.wait();
    } catch (const std::domain_error&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 1);
    // A task threw before.
    run_elsewhere(group, insert);
    run_elsewhere(group, [&set] {
      set->insert(2);
      throw std::runtime_error("task");
    });
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 2);
    // The end of a group.
    try {
      tbb::task_group ended;
      std::atomic<bool> is_over{false};
      run_elsewhere(ended, [&] {
        insert();
        is_over = true;
      });
      support::sleep_ms(1);
    } catch (const std::domain_error&) {
      ++caught;
    } catch (const tbb::missing_wait&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 3);
    try {
      tbb::task_group ended;
      run_elsewhere(ended, insert);
      support::sleep_ms(1);
      throw std::logic_error("leaving");
    } catch (const std::logic_error&) {
      ++caught;
    }
    NOPAL_CHECK(caught == 4);
    op_set::throws = false;
    run_elsewhere(group, insert);
    NOPAL_CHECK(group.wait() == tbb::complete);
    NOPAL_CHECK(set.value().count(0) == 1);
  }
  check_no_set_is_left();
  return 0;
}

struct scratch {
  std::vector<int> buffer;
  std::atomic<int> users{0};
};

/// A reducer of each kind, and the serial program's values.
struct results {
  sum_reducer sum;
  list_reducer list;
  nopal::reducer<op_set> set;
  nopal::holder<scratch> held;

  std::atomic<long> expected_sum{0};
  std::atomic<int> next{0};

  void update(std::uint64_t seed) {
    const long amount = static_cast<long>(seed % 1000);
    *sum += amount;
    expected_sum += amount;
    list->push_back(next++);
    set->insert(static_cast<int>(seed % 50));
    scratch& mine = *held;
    NOPAL_CHECK(mine.users.fetch_add(1) == 0);
    mine.buffer.assign(seed % 10, 1);
    if (seed % 4 == 0) std::this_thread::yield();
    NOPAL_CHECK(mine.buffer.size() == seed % 10);
    mine.users.fetch_sub(1);
  }
};

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state >> 33U;
}

void random_tree(results& all, std::uint64_t seed, int depth) {
  std::uint64_t state = seed;
  all.update(next(state));
  if (depth == 0) return;
  const int children = static_cast<int>(next(state) % 5);
  switch (next(state) % 4) {
  case 0: {
    nopal::scope s;
    for (int i = 0; i != children; ++i) {
      s.fork([&all, child = next(state), depth] { random_tree(all, child, depth - 1); });
      all.update(next(state));
    }
    s.join();
    break;
  }
  case 1:
    tbb::parallel_for(0, children,
                      [&](int i) { random_tree(all, seed * 5 + static_cast<std::uint64_t>(i), depth - 1); });
    break;
  default: {
    tbb::task_group group;
    const auto task = [&all, depth](std::uint64_t child) {
      return [&all, depth, child] { random_tree(all, child, depth - 1); };
    };
    for (int i = 0; i != children; ++i) {
      const auto child = task(next(state));
      next(state) % 3 == 0 ? group.run(group.defer(child)) : group.run(child);
      all.update(next(state));
    }
    next(state) % 2 == 0 ? group.run_and_wait(task(next(state))) : group.wait();
  }
  }
  all.update(next(state));
}

NOPAL_PROGRAM(random_trees) {
  const auto first = static_cast<std::uint64_t>(getpid()) * 1000;
  std::printf("seeds from %llu\n", static_cast<unsigned long long>(first));
  std::fflush(stdout);
  for (std::uint64_t seed = first; seed != first + 60; ++seed) {
    results all;
    const auto run = [&all, seed] { random_tree(all, seed, 5); };
    std::uint64_t state = seed;
    if (next(state) % 3 == 0) {
      tbb::task_arena(3).execute(run);
    } else if (next(state) % 2 == 0) {
      std::thread(run).join();
    } else {
      run();
    }
    NOPAL_CHECK(all.sum.value() == all.expected_sum);
    check_holds_each_once(all.list, all.next);
  }
  check_no_set_is_left();
  return 0;
}

// They are lists of what the serial program has, so the set too.
NOPAL_PROGRAM(random_sets) {
  for (std::uint64_t seed = 1; seed != 40; ++seed) {
    nopal::reducer<op_set> set;
    std::set<int> expected;
    std::uint64_t state = seed;
    std::vector<int> values;
    for (int i = 0; i != 100; ++i) values.push_back(static_cast<int>(next(state) % 1000));
    expected.insert(values.begin(), values.end());
    tbb::task_group group;
    for (int i = 0; i != 100; i += 5) {
      group.run([&set, &values, i] {
        tbb::task_group inner;
        for (int k = i; k != i + 5; ++k)
          inner.run([&set, one = values[static_cast<std::size_t>(k)]] { set->insert(one); });
        inner.wait();
      });
    }
    group.wait();
    NOPAL_CHECK(set.value() == expected);
  }
  return 0;
}

// What ended before fork(2) counts in both processes.
NOPAL_PROGRAM(new_process) {
  sum_reducer sum;
  tbb::task_group group;
  std::atomic<int> over{0};
  for (int i = 0; i != 10; ++i) {
    run_elsewhere(group, [&] {
      *sum += 1;
      ++over;
    });
  }
  if (nopal::workers() == 1) group.wait();
  while (over != 10) std::this_thread::yield();
  support::sleep_ms(50);
  const pid_t child = fork();
  NOPAL_CHECK(child >= 0);
  if (child == 0) {
    alarm(20);
    group.wait();
    NOPAL_CHECK(sum.value() == 10);
    for (int i = 0; i != 50; ++i) group.run([&] { *sum += 1; });
    group.wait();
    NOPAL_CHECK(sum.value() == 60);
    std::thread([&] {
      for (int i = 0; i != 50; ++i) group.run([&] { *sum += 1; });
      group.wait();
    }).join();
    NOPAL_CHECK(sum.value() == 110);
    _exit(0);
  }
  int status = 0;
  NOPAL_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  group.wait();
  NOPAL_CHECK(sum.value() == 10);
  return 0;
}

NOPAL_PROGRAM(own_reducers_of_what_nobody_waits_for) {
  std::atomic<int> calls{0};
  std::atomic<nopal::reducer<nopal::op_add<long>>*> kept{nullptr};
  for (int i = 0; i != 20; ++i) {
    tbb::this_task_arena::enqueue([&, i] {
      sum_reducer sum;
      *sum += 1;
      count_leaves(sum, 4);
      tbb::task_group group;
      for (int k = 0; k != 10; ++k) group.run([&sum] { *sum += 1; });
      group.wait();
      NOPAL_CHECK(sum.value() == 27);
      if (i == 0) {
        auto* const lasting = new sum_reducer;
        **lasting += 5;
        count_leaves(*lasting, 2);
        kept = lasting;
      }
      ++calls;
    });
  }
  while (calls != 20 || kept == nullptr) std::this_thread::yield();
  support::sleep_ms(20);
  NOPAL_CHECK(kept.load()->value() == 9);
  delete kept.load();
  support::check_quiet_soon();
  return 0;
}

NOPAL_PROGRAM(update_that_nobody_waits_for) {
  sum_reducer sum;
  tbb::task_arena arena;
  arena.enqueue([&sum] { *sum += 1; });
  support::sleep_ms(5000);
  return 0;
}

// By a strand that the task forked.
NOPAL_PROGRAM(later_update_that_nobody_waits_for) {
  sum_reducer sum;
  tbb::this_task_arena::enqueue([&sum] { count_leaves(sum, 8); });
  support::sleep_ms(5000);
  return 0;
}

class tasks_with_reducers : public support::program_at_workers {};

TEST_P(tasks_with_reducers, have_every_update_once) { EXPECT_TRUE(run("sums")); }
TEST_P(tasks_with_reducers, leave_nothing_to_other_strands_of_a_worker) {
  EXPECT_TRUE(run("strands_after_tasks"));
}
TEST_P(tasks_with_reducers, have_the_updates_of_scopes_loops_and_groups_there) {
  EXPECT_TRUE(run("scopes_in_tasks"));
}
TEST_P(tasks_with_reducers, are_in_order_with_the_strand_that_waits) { EXPECT_TRUE(run("order_of_strands")); }
TEST_P(tasks_with_reducers, have_those_of_arenas_handles_and_calls) {
  EXPECT_TRUE(run("other_ways_to_start"));
}
TEST_P(tasks_with_reducers, have_those_of_tasks_that_ran_in_cancelled_and_failed_groups) {
  EXPECT_TRUE(run("cancelled_and_failed"));
}
TEST_P(tasks_with_reducers, have_those_of_groups_that_end) { EXPECT_TRUE(run("groups_that_end")); }
TEST_P(tasks_with_reducers, have_them_for_every_thread_that_waits) { EXPECT_TRUE(run("several_threads")); }
TEST_P(tasks_with_reducers, may_be_reduced_by_several_threads_at_once) {
  EXPECT_TRUE(run("waits_that_reduce_at_once"));
}
TEST_P(tasks_with_reducers, have_them_where_another_thread_reduces) {
  EXPECT_TRUE(run("waits_while_another_reduces"));
}
TEST_P(tasks_with_reducers, may_fork_and_update_in_reductions) { EXPECT_TRUE(run("reductions")); }
TEST_P(tasks_with_reducers, have_waits_throw_what_reductions_throw) {
  EXPECT_TRUE(run("reductions_that_throw"));
}
TEST_P(tasks_with_reducers, agree_with_the_serial_program_in_random_trees) {
  const support::outcome seen = support::run_program("random_trees", support::on_workers(GetParam()));
  EXPECT_TRUE(seen.exit_code == 0 && seen.err.empty()) << seen.description();
}
TEST_P(tasks_with_reducers, agree_with_the_serial_program_in_sets) { EXPECT_TRUE(run("random_sets")); }
TEST_P(tasks_with_reducers, go_on_in_a_child_of_fork) { EXPECT_TRUE(run("new_process")); }
TEST_P(tasks_with_reducers, are_of_the_task_where_nobody_waits) {
  EXPECT_TRUE(run("own_reducers_of_what_nobody_waits_for"));
}
TEST_P(tasks_with_reducers, are_refused_with_one_line_where_nobody_waits) {
  for (const char* const name : {"update_that_nobody_waits_for", "later_update_that_nobody_waits_for"}) {
    const support::outcome seen = support::run_program(name, support::on_workers(GetParam()));
    EXPECT_EQ(seen.signal, SIGABRT) << seen.description();
    EXPECT_EQ(seen.err.find("nopal: a task that nobody waits for (tbb::task_arena::enqueue) used a reducer"),
              0U)
        << seen.description();
    EXPECT_EQ(std::count(seen.err.begin(), seen.err.end(), '\n'), 1) << seen.description();
  }
}

INSTANTIATE_TEST_SUITE_P(tbb, tasks_with_reducers, testing::Values(1, 2, 4, 7),
                         testing::PrintToStringParamName());

}  // namespace
