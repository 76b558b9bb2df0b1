// Reducers updated in tasks: the strands that wait for their groups, and other ways to start them.
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

NOPAL_PROGRAM(sums) {
  for (int round = 0; round != 100; ++round) {
    sum_reducer sum;
    list_reducer list;
    tbb::task_group group;
    for (int i = 0; i != 200; ++i) {
      group.run([&, i] {
        *sum += 1;
        list->push_back(i);
      });
      if (i % 50 == 0) std::this_thread::yield();
    }
    *sum += 1000;
    NOPAL_CHECK(group.wait() == tbb::complete);
    NOPAL_CHECK(sum.value() == 1200);
    check_holds_each_once(list, 200);
    // And again in the same group.
    for (int i = 0; i != 20; ++i) run_elsewhere(group, [&] { *sum += 1; });
    group.wait();
    NOPAL_CHECK(sum.value() == 1220);
  }
  check_no_set_is_left();
  return 0;
}

/// What the strands of a pool's worker do after it ran a task has nothing of that task.
NOPAL_PROGRAM(strands_after_tasks) {
  for (int round = 0; round != 200; ++round) {
    sum_reducer sum;
    tbb::task_group group;
    for (int i = 0; i != workers(); ++i) run_elsewhere(group, [&] { *sum += 1; });
    list_reducer list;
    nopal::scope all;
    for (int i = 0; i != 20; ++i) {
      all.fork([&list, i] {
        std::this_thread::yield();
        list->push_back(i);
      });
    }
    all.join();
    NOPAL_CHECK(list.value() == up_to(20));
    group.wait();
    NOPAL_CHECK(sum.value() == workers());
  }
  check_no_set_is_left();
  return 0;
}

// Scopes, loops and groups in tasks.
NOPAL_PROGRAM(scopes_in_tasks) {
  for (int round = 0; round != 20; ++round) {
    sum_reducer sum;
    tbb::task_group group;
    for (int i = 0; i != 8; ++i) {
      run_elsewhere(group, [&sum] {
        *sum += 1;
        count_leaves(sum, 6);
        tbb::task_group inner;
        for (int k = 0; k != 5; ++k) {
          inner.run([&sum] {
            count_leaves(sum, 3);
            *sum += 1;
          });
        }
        *sum += 1;
        inner.wait();
        tbb::parallel_for(0, 20, [&sum](int) { *sum += 1; });
        *sum += 1;
      });
    }
    group.wait();
    NOPAL_CHECK(sum.value() == 8 * (1 + 64 + 5 * 9 + 1 + 20 + 1));
  }
  check_no_set_is_left();
  return 0;
}

/// Runs `f` as a task; waits a little, where those who run tasks may all be busy.
template <class F>
void run_and_yield(tbb::task_group& group, const F& f) {
  group.run(f);
  for (int i = 0; i != 20; ++i) std::this_thread::yield();
}

// In order: what a strand did before it starts a group, and after it has waited, is before and after what the tasks do.
NOPAL_PROGRAM(order_of_strands) {
  for (int round = 0; round != 100; ++round) {
    nopal::reducer<nopal::op_string_append> text;
    nopal::scope s;
    s.fork([&text] {
      *text += "(";
      tbb::task_group group;
      for (int i = 0; i != 4; ++i) run_and_yield(group, [&text] { *text += "x"; });
      group.wait();
      *text += ")";
    });
    *text += "[";
    tbb::task_group group;
    for (int i = 0; i != 4; ++i) run_and_yield(group, [&text] { *text += "y"; });
    group.wait();
    *text += "]";
    s.join();
    NOPAL_CHECK(text.value() == "(xxxx)[yyyy]");
  }
  check_no_set_is_left();
  return 0;
}

NOPAL_PROGRAM(other_ways_to_start) {
  for (int round = 0; round != 50; ++round) {
    sum_reducer sum;
    const auto add = [&sum] { *sum += 1; };
    tbb::task_arena arena(4);
    tbb::task_group in_arena;
    arena.execute([&] {
      for (int i = 0; i != 20; ++i) in_arena.run(add);
      if (round % 2 == 0) in_arena.wait();
    });
    in_arena.wait();
    NOPAL_CHECK(sum.value() == 20);

    tbb::isolated_task_group group;
    std::vector<tbb::task_handle> handles;
    for (int i = 0; i != 20; ++i) handles.push_back(group.defer(add));
    handles.pop_back();  // never runs
    for (tbb::task_handle& handle : handles) group.run(std::move(handle));
    arena.enqueue(group.defer(add));
    tbb::this_task_arena::enqueue(group.defer(add));
    group.run([&] {
      add();
      return group.defer(add);
    });
    NOPAL_CHECK(group.run_and_wait(add) == tbb::complete);
    NOPAL_CHECK(sum.value() == 20 + 19 + 1 + 1 + 2 + 1);
    NOPAL_CHECK(group.run_and_wait(group.defer(add)) == tbb::complete);
    NOPAL_CHECK(sum.value() == 45);
  }
  check_no_set_is_left();
  return 0;
}

// Those that ran count.
NOPAL_PROGRAM(cancelled_and_failed) {
  for (int round = 0; round != 50; ++round) {
    sum_reducer sum;
    std::atomic<int> calls{0};
    tbb::task_group group;
    for (int i = 0; i != 50; ++i) {
      group.run([&] {
        ++calls;
        *sum += 1;
        if (calls == 10) group.cancel();
      });
    }
    group.wait();
    NOPAL_CHECK(sum.value() == calls);

    calls = 0;
    sum.set(0);
    for (int i = 0; i != 50; ++i) {
      group.run([&] {
        *sum += 1;
        if (++calls == 5) throw std::runtime_error("x");
      });
    }
    bool caught = false;
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      caught = true;
    }
    NOPAL_CHECK(caught && sum.value() == calls);
  }
  check_no_set_is_left();
  return 0;
}

// Nobody waits but the group's end.
NOPAL_PROGRAM(groups_that_end) {
  for (int round = 0; round != 50; ++round) {
    sum_reducer sum;
    std::atomic<bool> is_over{false};
    {
      tbb::task_group group;
      run_elsewhere(group, [&] {
        *sum += 1;
        is_over = true;
      });
      if (nopal::workers() == 1) group.wait();
      wait_until(is_over);
      for (int i = 0; i != 100; ++i) std::this_thread::yield();
      try {
        throw std::logic_error("leaves while the group ends");
      } catch (const std::logic_error&) {
      }
    }
    NOPAL_CHECK(sum.value() == 1);
    bool missed = false;
    std::atomic<int> calls{0};
    try {
      tbb::task_group group;
      for (int i = 0; i != 100; ++i) {
        group.run([&] {
          ++calls;
          *sum += 1;
        });
      }
    } catch (const tbb::missing_wait&) {
      missed = true;
    }
    NOPAL_CHECK(sum.value() == 1 + calls && (missed || calls == 100));
  }
  check_no_set_is_left();
  return 0;
}

// Threads that are no workers before, each of which may run tasks; the value is there for each that has waited.
NOPAL_PROGRAM(several_threads) {
  for (int round = 0; round != 60; ++round) {
    sum_reducer sum;
    list_reducer list;
    tbb::task_arena arena(round % 2 == 0 ? tbb::task_arena::automatic : 8);
    tbb::task_group group;
    const auto task = [&](int i) {
      *sum += 1;
      list->push_back(i);
      if (i % 10 == 0) count_leaves(sum, 3);
      std::this_thread::yield();
    };
    const auto start = [&](int from, int to) {
      for (int i = from; i != to; ++i) group.run([&task, i] { task(i); });
    };
    round % 4 < 2 ? start(0, 200) : arena.execute([&] { start(0, 200); });
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    for (int i = 0; i != 4; ++i) {
      threads.emplace_back([&, i] {
        for (++ready; ready != 4;) std::this_thread::yield();
        i % 2 == 0 || round % 4 < 2 ? group.wait() : arena.execute([&] { return group.wait(); });
        NOPAL_CHECK(sum.value() == 200 + 20 * 8);
      });
    }
    if (round % 3 == 0) {
      group.wait();
      NOPAL_CHECK(sum.value() == 200 + 20 * 8);
    }
    for (std::thread& thread : threads) thread.join();
    check_holds_each_once(list, 200);
    // A wait by another thread than starts them.
    for (int i = 0; i != 10; ++i) run_elsewhere(group, [&] { *sum += 1; });
    std::thread([&] { group.wait(); }).join();
    NOPAL_CHECK(sum.value() == 210 + 20 * 8);
  }
  support::check_quiet_soon();
  return 0;
}

/// Two numbers of calls: the first thread to come goes on when the second has come, and is the first to go or the second, as told.
class meeting {
public:
  explicit meeting(bool first_goes_first) : first_goes_first_(first_goes_first) {}
  void come() {
    const int turn = ++come_;
    if (turn > 2) return;
    while (come_ < 2) std::this_thread::yield();
    if ((turn == 1) != first_goes_first_) {
      while (!one_has_gone_) std::this_thread::yield();
    }
  }
  void one_has_gone() { one_has_gone_ = true; }

private:
  const bool first_goes_first_;
  std::atomic<int> come_{0};
  std::atomic<bool> one_has_gone_{false};
};
meeting* where_reductions_meet;

struct add_and_meet {
  using value_type = long;
  static long identity() { return 0; }
  static void reduce(long& left, long&& right) {
    left += right;
    where_reductions_meet->come();
  }
};

// Threads that wait for groups of their own are in reductions at once, and end them in either order.
NOPAL_PROGRAM(waits_that_reduce_at_once) {
  if (nopal::workers() == 1) return 0;
  for (int round = 0; round != 20; ++round) {
    meeting at(round % 2 == 0);
    where_reductions_meet = &at;
    const auto wait_for_a_sum = [&at] {
      nopal::reducer<add_and_meet> sum;
      tbb::task_group group;
      *sum += 1;
      run_elsewhere(group, [&sum] { *sum += 1; });
      group.wait();
      at.one_has_gone();
      NOPAL_CHECK(sum.value() == 2);
    };
    std::thread other(wait_for_a_sum);
    wait_for_a_sum();
    other.join();
  }
  check_no_set_is_left();
  return 0;
}

struct add_slowly {
  using value_type = long;
  static long identity() { return 0; }
  static void reduce(long& left, long&& right) {
    for (int i = 0; i != 20; ++i) support::sleep_ms(1);
    left += right;
  }
};

// Whoever waits for a group has its updates, also while another thread reduces them.
NOPAL_PROGRAM(waits_while_another_reduces) {
  for (int round = 0; round != 3; ++round) {
    nopal::reducer<add_slowly> sum;
    tbb::task_group group;
    *sum += 1;
    run_elsewhere(group, [&sum] { *sum += 1; });
    const auto wait = [&] {
      group.wait();
      NOPAL_CHECK(sum.value() == 2);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i != 3; ++i) threads.emplace_back(wait);
    wait();
    for (std::thread& thread : threads) thread.join();
  }
  check_no_set_is_left();
  return 0;
}

}  // namespace
