// Exceptions and cancellation with oneTBB's interface.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/task.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/program.hpp"
#include "support/strands.hpp"

namespace {

constexpr int count = 1000000;

/// The message of what `f` throws.
template <class F>
std::string thrown_by(const F& f) {
  try {
    f();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

[[noreturn]] void fail() { throw std::runtime_error("failed"); }

NOPAL_PROGRAM(exceptions_of_loops) {
  using range = tbb::blocked_range<int>;
  std::atomic<int> calls{0};
  const auto body = [&](int i) {
    if (i == 10) fail();
    ++calls;
  };
  NOPAL_CHECK(thrown_by([&] { tbb::parallel_for(0, count, body, tbb::simple_partitioner()); }) == "failed");
  NOPAL_CHECK(calls < count - 1);
  NOPAL_CHECK(thrown_by([&] {
                static_cast<void>(tbb::parallel_reduce(
                    range(0, count), 0,
                    [](const range& part, int value) {
                      if (part.end() == count) fail();
                      return value;
                    },
                    std::plus<>()));
              }) == "failed");
  NOPAL_CHECK(thrown_by([&] {
                tbb::parallel_scan(
                    range(0, count), 0,
                    [](const range& part, int value, bool is_final) {
                      if (is_final && part.end() == count) fail();
                      return value;
                    },
                    std::plus<>());
              }) == "failed");
  NOPAL_CHECK(thrown_by([] { tbb::parallel_invoke([] {}, [] { fail(); }, [] {}); }) == "failed");
  NOPAL_CHECK(thrown_by([] {
                const std::list<int> items{1, 2, 3};
                tbb::parallel_for_each(items, [](int item) {
                  if (item == 2) fail();
                });
              }) == "failed");
  tbb::task_group_context context;
  NOPAL_CHECK(thrown_by([&] { tbb::parallel_for(0, 100, [](int) { fail(); }, context); }) == "failed");
  NOPAL_CHECK(context.is_group_execution_cancelled());
  // Nothing else stays cancelled.
  calls = 0;
  tbb::parallel_for(0, 1000, [&](int) { ++calls; });
  NOPAL_CHECK(calls == 1000);
  return 0;
}

/// What comes first in serial order among those that are thrown before the algorithm is cancelled. `run` calls what it is given for
/// the numbers below 64.
template <class Run>
void check_first_exception(const Run& run) {
  for (int round = 0; round != 50; ++round) {
    std::atomic<int> first{count};
    int caught = -1;
    const auto body = [&first](int i) {
      support::burn(i < 32 ? 3000 : 10);
      if (i == 0) return;
      for (int seen = first; i < seen && !first.compare_exchange_weak(seen, i);) {
      }
      throw i;
    };
    try {
      run(body);
    } catch (int thrown) {
      caught = thrown;
    }
    NOPAL_CHECK(caught == first);
    NOPAL_CHECK(nopal::workers() > 1 || caught == 1);
  }
}

NOPAL_PROGRAM(the_first_exception_of_an_algorithm) {
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::list<int> items(numbers.begin(), numbers.end());
  const tbb::blocked_range<int> range(0, 64);
  const auto each = [](const auto& body) {
    return [&body](const tbb::blocked_range<int>& part) {
      for (int i = part.begin(); i != part.end(); ++i) body(i);
    };
  };
  check_first_exception([](const auto& body) { tbb::parallel_for(0, 64, body, tbb::simple_partitioner()); });
  check_first_exception(
      [&](const auto& body) { tbb::parallel_for(range, each(body), tbb::simple_partitioner()); });
  check_first_exception(
      [&](const auto& body) { tbb::parallel_for(range, each(body), tbb::static_partitioner()); });
  check_first_exception([&](const auto& body) { tbb::parallel_for_each(numbers, body); });
  check_first_exception([&](const auto& body) { tbb::parallel_for_each(items, body); });
  check_first_exception([&](const auto& body) {
    static_cast<void>(tbb::parallel_reduce(
        range, 0,
        [&body](const tbb::blocked_range<int>& part, int sum) {
          for (int i = part.begin(); i != part.end(); ++i) body(i);
          return sum;
        },
        std::plus<>(), tbb::simple_partitioner()));
  });
  check_first_exception([](const auto& body) {
    tbb::parallel_invoke([&] { body(0); }, [&] { body(1); }, [&] { body(2); }, [&] { body(63); });
  });
  return 0;
}

NOPAL_PROGRAM(a_loop_inside_a_loop_that_fails) {
  std::atomic<int> caught{0};
  std::atomic<int> calls{0};
  tbb::parallel_for(0, 50, [&](int) {
    try {
      tbb::parallel_for(0, 50, [&](int j) {
        if (j == 25) fail();
      });
    } catch (const std::runtime_error&) {
      ++caught;
    }
    NOPAL_CHECK(!tbb::is_current_task_group_canceling());
    ++calls;
  });
  NOPAL_CHECK(caught == 50 && calls == 50);
  return 0;
}

NOPAL_PROGRAM(exceptions_of_groups) {
  for (int round = 0; round != 50; ++round) {
    tbb::task_group group;
    std::atomic<int> calls{0};
    NOPAL_CHECK(thrown_by([&] {
                  group.run([] { fail(); });
                  for (int i = 0; i != 100; ++i) group.run([&] { ++calls; });
                  group.wait();
                }) == "failed");
    NOPAL_CHECK(group.wait() == tbb::complete);
    group.run([&] { calls = -1; });
    NOPAL_CHECK(group.wait() == tbb::complete && calls == -1);
    NOPAL_CHECK(thrown_by([&] { group.run_and_wait([] { fail(); }); }) == "failed");
    tbb::task_group local;
    local.run([] { fail(); });
    local.run([&] { ++calls; });
    NOPAL_CHECK(thrown_by([&] { local.wait(); }) == "failed");
  }
  return 0;
}

NOPAL_PROGRAM(cancelled_loops) {
  tbb::task_group_context context;
  std::atomic<int> calls{0};
  tbb::parallel_for(
      0, count,
      [&](int) {
        ++calls;
        context.cancel_group_execution();
        NOPAL_CHECK(tbb::is_current_task_group_canceling());
        NOPAL_CHECK(tbb::task::current_context() == &context);
      },
      tbb::simple_partitioner(), context);
  NOPAL_CHECK(calls > 0 && calls <= nopal::workers());
  NOPAL_CHECK(context.is_group_execution_cancelled());
  tbb::parallel_for(0, count, [&](int) { NOPAL_CHECK(false); }, context);
  NOPAL_CHECK(!context.cancel_group_execution());
  context.reset();
  calls = 0;
  tbb::parallel_for(0, 100, [&](int) { ++calls; }, context);
  NOPAL_CHECK(calls == 100);
  NOPAL_CHECK(tbb::task::current_context() == nullptr);
  return 0;
}

// Also where one thread has all items, in one call.
NOPAL_PROGRAM(cancelled_loops_over_items) {
  constexpr int soon = 1000;
  std::vector<int> items(count);
  const auto check = [&](const auto& body) {
    tbb::task_group_context context;
    const auto calls = std::make_shared<std::atomic<int>>(0);
    tbb::parallel_for_each(items.begin(), items.end(), body(context, *calls), context);
    NOPAL_CHECK(*calls > 0 && *calls <= soon * nopal::workers());
    NOPAL_CHECK(context.is_group_execution_cancelled());
  };
  const auto check_both = [&] {
    check([](tbb::task_group_context& context, std::atomic<int>& calls) {
      return [&](int&) {
        ++calls;
        context.cancel_group_execution();
      };
    });
    check([](tbb::task_group_context& context, std::atomic<int>& calls) {
      return [&](int&, tbb::feeder<int>&) {
        ++calls;
        context.cancel_group_execution();
      };
    });
  };
  check_both();
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  check_both();
  return 0;
}

NOPAL_PROGRAM(what_is_bound_is_cancelled_too) {
  tbb::task_group_context outer;
  tbb::parallel_for(
      0, 1,
      [&](int) {
        std::atomic<int> calls{0};
        tbb::parallel_for(
            0, 1000,
            [&](int) {
              ++calls;
              outer.cancel_group_execution();
            },
            tbb::simple_partitioner());
        NOPAL_CHECK(calls <= nopal::workers());
        calls = 0;
        tbb::task_group_context apart(tbb::task_group_context::isolated);
        tbb::parallel_for(0, 1000, [&](int) { ++calls; }, apart);
        NOPAL_CHECK(calls == 1000);
        tbb::task_group group;
        group.run([&] { ++calls; });
        NOPAL_CHECK(group.wait() == tbb::canceled);
        NOPAL_CHECK(calls == 1000);
      },
      outer);
  return 0;
}

NOPAL_PROGRAM(cancelled_groups) {
  tbb::task_group group;
  std::atomic<int> calls{0};
  group.cancel();
  for (int i = 0; i != 100; ++i) group.run([&] { ++calls; });
  NOPAL_CHECK(group.wait() == tbb::canceled);
  NOPAL_CHECK(calls == 0);
  group.run([&] { ++calls; });
  NOPAL_CHECK(group.wait() == tbb::complete);
  NOPAL_CHECK(calls == 1);
  tbb::task_group_context context;
  tbb::task_group with(context);
  with.run([&] { context.cancel_group_execution(); });
  NOPAL_CHECK(with.wait() == tbb::canceled);
  return 0;
}

NOPAL_PROGRAM(cancelled_by_another_thread) {
  tbb::task_group_context context;
  std::atomic<bool> running{false};
  std::thread other([&] {
    while (!running) std::this_thread::yield();
    context.cancel_group_execution();
  });
  tbb::parallel_for(
      0, 2,
      [&](int) {
        running = true;
        while (!tbb::is_current_task_group_canceling()) std::this_thread::yield();
      },
      context);
  other.join();
  return 0;
}

// Groups on the heap that end before what they were made in, in any order: it looks for none of them, cancelled or at its end.
NOPAL_PROGRAM(groups_that_end_first) {
  struct place {
    alignas(tbb::task_group) unsigned char bytes[sizeof(tbb::task_group)];
  };
  const auto places = std::make_unique<place[]>(3);
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    {
      tbb::task_group_context context;
      const auto make_and_end = [&](int) {
        std::array<tbb::task_group*, 3> groups = {};
        for (std::size_t i = 0; i != 3; ++i) groups[i] = new (places[i].bytes) tbb::task_group;
        for (const std::size_t i : order) {
          groups[i]->~task_group();
          std::memset(places[i].bytes, 0xaa, sizeof places[i].bytes);
        }
        context.cancel_group_execution();
      };
      tbb::parallel_for(0, 1, make_and_end, context);
    }
    for (std::size_t i = 0; i != 3; ++i) {
      for (const unsigned char byte : places[i].bytes) NOPAL_CHECK(byte == 0xaa);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return 0;
}

class cancellation : public support::program_at_workers {};

TEST_P(cancellation, follows_an_exception_which_leaves_the_algorithm) {
  EXPECT_TRUE(run("exceptions_of_loops"));
}
TEST_P(cancellation, leaves_the_first_exception_in_serial_order) {
  EXPECT_TRUE(run("the_first_exception_of_an_algorithm"));
}
TEST_P(cancellation, of_an_inner_loop_leaves_the_outer_alone) {
  EXPECT_TRUE(run("a_loop_inside_a_loop_that_fails"));
}
TEST_P(cancellation, follows_an_exception_which_leaves_the_wait) { EXPECT_TRUE(run("exceptions_of_groups")); }
TEST_P(cancellation, keeps_what_has_not_begun_from_beginning) { EXPECT_TRUE(run("cancelled_loops")); }
TEST_P(cancellation, ends_loops_over_items_soon) { EXPECT_TRUE(run("cancelled_loops_over_items")); }
TEST_P(cancellation, reaches_what_is_bound_and_not_what_is_isolated) {
  EXPECT_TRUE(run("what_is_bound_is_cancelled_too"));
}
TEST_P(cancellation, of_groups_holds_until_the_wait) { EXPECT_TRUE(run("cancelled_groups")); }
TEST_P(cancellation, looks_for_no_group_that_has_ended) { EXPECT_TRUE(run("groups_that_end_first")); }
TEST_P(cancellation, comes_from_other_threads) { EXPECT_TRUE(run("cancelled_by_another_thread")); }

INSTANTIATE_TEST_SUITE_P(tbb, cancellation, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
