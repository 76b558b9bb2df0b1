// Pipelines of oneTBB's interface: orders, how many items are under way, what becomes of their values.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using tbb::filter_mode;

constexpr std::array modes{filter_mode::parallel, filter_mode::serial_in_order,
                           filter_mode::serial_out_of_order};

/// What a stage was called with. Calls of a serial one come one after the other.
class observed_stage {
public:
  explicit observed_stage(filter_mode mode) : mode_(mode) {}

  void see(int item) const {
    const int before = inside_.fetch_add(1);
    NOPAL_CHECK(mode_ == filter_mode::parallel || before == 0);
    if (item % 17 == 0) std::this_thread::yield();
    {
      const std::lock_guard guard(mutex_);
      seen_.push_back(item);
    }
    --inside_;
  }
  [[nodiscard]] bool is_in_order() const { return mode_ == filter_mode::serial_in_order; }
  [[nodiscard]] const std::vector<int>& seen() const { return seen_; }

private:
  filter_mode mode_;
  mutable std::atomic<int> inside_{0};
  mutable std::mutex mutex_;
  mutable std::vector<int> seen_;
};

void check_order(const std::array<filter_mode, 4>& of, int items) {
  std::atomic<int> given{0};
  const std::array<observed_stage, 4> stages{observed_stage(of[0]), observed_stage(of[1]),
                                             observed_stage(of[2]), observed_stage(of[3])};
  tbb::parallel_pipeline(
      8,
      tbb::make_filter<void, int>(of[0],
                                  [&](tbb::flow_control& control) {
                                    const int item = given++;
                                    if (item >= items) {
                                      control.stop();
                                    } else {
                                      stages[0].see(item);
                                    }
                                    return item;
                                  }) &
          tbb::make_filter<int, int>(of[1],
                                     [&](int item) {
                                       stages[1].see(item);
                                       return item;
                                     }),
      tbb::make_filter<int, long>(of[2],
                                  [&](int item) {
                                    stages[2].see(item);
                                    return long{item};
                                  }),
      tbb::make_filter<long, void>(of[3], [&](long item) { stages[3].see(static_cast<int>(item)); }));
  const std::vector<int>* order = nullptr;
  for (const observed_stage& stage : stages) {
    NOPAL_CHECK(std::set<int>(stage.seen().begin(), stage.seen().end()).size() == std::size_t(items));
    NOPAL_CHECK(stage.seen().size() == std::size_t(items));
    if (stage.is_in_order()) {
      NOPAL_CHECK(order == nullptr || *order == stage.seen());
      order = &stage.seen();
    }
  }
}

NOPAL_PROGRAM(orders) {
  for (const filter_mode a : modes) {
    for (const filter_mode b : modes) {
      for (const filter_mode c : modes) {
        for (const filter_mode d : modes) check_order({a, b, c, d}, 100);
      }
    }
  }
  return 0;
}

/// On one thread items come through one after the other.
NOPAL_PROGRAM(order_of_one_thread) {
  std::string events;
  int given = 0;
  tbb::task_arena(1).execute([&] {
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, int>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
             if (given == 3) control.stop();
             return given++;
           }) & tbb::make_filter<int, int>(filter_mode::parallel, [&](int item) {
             events += 'a' + static_cast<char>(item);
             return item;
           }) & tbb::make_filter<int, void>(filter_mode::serial_in_order, [&](int item) {
             events += 'A' + static_cast<char>(item);
           }));
  });
  NOPAL_CHECK(events == "aAbBcC");
  return 0;
}

NOPAL_PROGRAM(bounds) {
  for (const filter_mode first : modes) {
    for (const int most : {1, 2, 3, 16}) {
      std::atomic<int> given{0};
      std::atomic<int> live{0};
      std::atomic<int> through{0};
      tbb::parallel_pipeline(static_cast<std::size_t>(most),
                             tbb::make_filter<void, int>(first, [&](tbb::flow_control& control) {
                               const int item = given++;
                               if (item >= 300) {
                                 control.stop();
                                 return 0;
                               }
                               NOPAL_CHECK(++live <= most);
                               return item;
                             }) & tbb::make_filter<int, int>(filter_mode::parallel, [](int item) {
                               if (item % 16 == 0) std::this_thread::yield();
                               return item;
                             }) & tbb::make_filter<int, void>(filter_mode::serial_in_order, [&](int) {
                               ++through;
                               --live;
                             }));
      NOPAL_CHECK(live == 0 && through == 300);
    }
  }
  return 0;
}

NOPAL_PROGRAM(filters) {
  int given = 0;
  long sum = 0;
  tbb::filter<void, int> numbers(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (given == 10) control.stop();
    return given++;
  });
  const tbb::filter twice(filter_mode::parallel, [](const int& item) { return 2L * item; });
  static_assert(std::is_same_v<decltype(twice), const tbb::filter<int, long>>);
  const auto add =
      tbb::make_filter(filter_mode::serial_out_of_order, [&](long item) noexcept { sum += item; });
  static_assert(std::is_same_v<decltype(add), const tbb::filter<long, void>>);
  const tbb::filter names(filter_mode::parallel, [](tbb::flow_control&) -> const std::string& {
    static const std::string name("x");
    return name;
  });
  static_assert(std::is_same_v<decltype(names), const tbb::filter<void, std::string>>);

  tbb::filter<void, void> chain;
  chain = numbers & twice & add;
  const tbb::filter<void, void> copy = chain;
  tbb::filter<void, void> moved = std::move(chain);
  chain.clear();
  tbb::parallel_pipeline(4, copy);
  NOPAL_CHECK(sum == 90);
  given = 0;
  tbb::task_group_context context;
  tbb::parallel_pipeline(4, moved, context);
  NOPAL_CHECK(sum == 180);

  const auto one_more = tbb::make_filter<int, int>(filter_mode::parallel, [](int item) { return item + 1; });
  numbers &= one_more;
  numbers &= one_more;
  moved.clear();
  given = 0;
  tbb::parallel_pipeline(4, numbers, twice, add, context);
  NOPAL_CHECK(sum == 180 + 90 + 40);

  int (*const less)(int) = [](int item) { return item - 1; };
  given = 0;
  tbb::parallel_pipeline(1, numbers & tbb::make_filter(filter_mode::parallel, less) & twice & add);
  NOPAL_CHECK(sum == 310 + 90 + 20);
  return 0;
}

NOPAL_PROGRAM(single_filters) {
  for (const filter_mode mode : modes) {
    std::atomic<int> calls{0};
    tbb::parallel_pipeline(3, tbb::make_filter<void, void>(mode, [&](tbb::flow_control& control) {
                             if (++calls >= 100) control.stop();
                           }));
    NOPAL_CHECK(mode == filter_mode::parallel ? calls >= 100 : calls == 100);
  }
  return 0;
}

// A stage that holds a mutex waits for other tasks: no other item comes to its thread meanwhile.
NOPAL_PROGRAM(waits_inside) {
  std::mutex mutex;
  int given = 0;
  std::atomic<int> sum{0};
  std::atomic<int> through{0};
  tbb::parallel_pipeline(
      8, tbb::make_filter<void, int>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
           if (given == 40) control.stop();
           return given++;
         }) & tbb::make_filter<int, int>(filter_mode::parallel, [&](int item) {
           const std::thread::id here = std::this_thread::get_id();
           const std::lock_guard guard(mutex);
           tbb::task_group group;
           group.run([&] { tbb::parallel_for(0, 20, [&](int) { ++sum; }); });
           group.wait();
           if (item % 10 == 0) support::sleep_ms(1);
           NOPAL_CHECK(std::this_thread::get_id() == here);
           return item;
         }) & tbb::make_filter<int, void>(filter_mode::serial_out_of_order, [&](int) {
           const std::lock_guard guard(mutex);
           ++through;
         }));
  NOPAL_CHECK(sum == 800 && through == 40);
  return 0;
}

/// The sum of the first squares, by a pipeline.
long squares(int count, filter_mode mode) {
  int given = 0;
  long sum = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(filter_mode::serial_out_of_order, [&](tbb::flow_control& control) {
           if (given == count) control.stop();
           return given++;
         }) & tbb::make_filter<int, long>(mode, [](int item) {
           return long{item} * item;
         }) & tbb::make_filter<long, void>(filter_mode::serial_in_order, [&](long item) { sum += item; }));
  return sum;
}

NOPAL_PROGRAM(nested) {
  for (const filter_mode outer : modes) {
    for (const filter_mode inner : modes) {
      std::atomic<int> given{0};
      std::atomic<long> sum{0};
      tbb::parallel_pipeline(3, tbb::make_filter<void, int>(outer, [&](tbb::flow_control& control) {
                                  const int item = given++;
                                  if (item >= 20) control.stop();
                                  return item;
                                }) & tbb::make_filter<int, long>(outer, [&](int item) {
                                  return squares(item, inner);
                                }) & tbb::make_filter<long, void>(outer, [&](long item) { sum += item; }));
      NOPAL_CHECK(sum == 10830);
    }
  }
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 50, [&](int i) { sum += squares(i, filter_mode::parallel); });
  NOPAL_CHECK(sum == 480200);
  return 0;
}

NOPAL_PROGRAM(short_ones) {
  for (int round = 0; round != 3000; ++round) {
    const int count = round % 6;
    NOPAL_CHECK(squares(count, modes[static_cast<std::size_t>(round % 3)]) ==
                (count - 1) * count * (2 * count - 1) / 6);
  }
  return 0;
}

// Several threads of the program have pipelines of the same filters, and some run in arenas.
NOPAL_PROGRAM(several_at_once) {
  std::atomic<long> sum{0};
  const auto square =
      tbb::make_filter<int, long>(filter_mode::parallel, [](int item) { return long{item} * item; });
  const auto add = tbb::make_filter<long, void>(filter_mode::parallel, [&](long item) { sum += item; });
  const auto run = [&] {
    int given = 0;
    tbb::parallel_pipeline(5, tbb::make_filter<void, int>(filter_mode::serial_in_order,
                                                          [&](tbb::flow_control& control) {
                                                            if (given == 100) control.stop();
                                                            return given++;
                                                          }) &
                                  square & add);
  };
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i != 3; ++i) {
    threads.emplace_back([&, i] {
      if (i == 2) {
        run();
      } else {
        tbb::task_arena(i + 1).execute(run);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  NOPAL_CHECK(sum == 3 * 328350);
  return 0;
}

class pipelines : public support::program_at_workers {};

TEST_P(pipelines, keep_the_orders_of_their_stages) { EXPECT_TRUE(run("orders")); }
TEST_P(pipelines, carry_one_item_after_the_other_on_one_thread) { EXPECT_TRUE(run("order_of_one_thread")); }
TEST_P(pipelines, have_no_more_items_than_they_may) { EXPECT_TRUE(run("bounds")); }
TEST_P(pipelines, are_made_of_filters_that_are_values) { EXPECT_TRUE(run("filters")); }
TEST_P(pipelines, may_have_one_stage) { EXPECT_TRUE(run("single_filters")); }
TEST_P(pipelines, bring_no_item_to_a_thread_that_waits_in_a_stage) { EXPECT_TRUE(run("waits_inside")); }
TEST_P(pipelines, are_nested) { EXPECT_TRUE(run("nested")); }
TEST_P(pipelines, may_be_many_and_short) { EXPECT_TRUE(run("short_ones")); }
TEST_P(pipelines, may_run_at_the_same_time) { EXPECT_TRUE(run("several_at_once")); }

INSTANTIATE_TEST_SUITE_P(tbb, pipelines, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace
