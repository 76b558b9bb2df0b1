// What becomes of the values in a pipeline of oneTBB's interface: each is destroyed once, whatever ends the pipeline.
#include <gtest/gtest.h>
#include <nopal/speculate.hpp>
#include <tbb/parallel_pipeline.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/strands.hpp"

namespace {

using tbb::filter_mode;

constexpr std::array modes{filter_mode::parallel, filter_mode::serial_in_order,
                           filter_mode::serial_out_of_order};

std::atomic<int> live{0};
std::atomic<int> copies{0};

/// Counts its objects, and notices one that is destroyed twice.
template <std::size_t bytes>
class counted {
public:
  explicit counted(int number) : number_(number) { ++live; }
  counted(const counted& other) : number_(other.number_) {
    ++live;
    ++copies;
  }
  counted(counted&& other) noexcept : number_(std::exchange(other.number_, -1)) { ++live; }
  counted& operator=(const counted&) = delete;
  ~counted() {
    NOPAL_CHECK(mark_ == alive);
    mark_ = 0;
    --live;
  }
  [[nodiscard]] int number() const {
    NOPAL_CHECK(mark_ == alive);
    return number_;
  }

private:
  static constexpr int alive = 0x600d;
  int mark_ = alive;
  int number_;
  std::array<char, bytes> rest_{};
};

using small = counted<1>;
using large = counted<300>;
struct alignas(128) aligned : counted<8> {
  explicit aligned(int number) : counted(number) {
    NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(this) % 128 == 0);
  }
};

/// Calls that each stage may have before it throws, or cancels its context.
struct ends {
  int at_stage = -1;
  int at_item = 0;
  tbb::task_group_context* cancels = nullptr;

  void meet(int stage, int item) const {
    if (stage != at_stage || item != at_item) return;
    if (cancels == nullptr) throw std::runtime_error(std::to_string(stage));
    NOPAL_CHECK(cancels->cancel_group_execution());
  }
};

/// True if all items came through.
bool run_stages(filter_mode mode, int items, const ends& end, tbb::task_group_context& context) {
  std::atomic<int> given{0};
  std::atomic<int> through{0};
  tbb::parallel_pipeline(
      6,
      tbb::make_filter<void, small>(mode,
                                    [&](tbb::flow_control& control) {
                                      const int item = given++;
                                      if (item >= items) {
                                        control.stop();
                                        return small(-1);
                                      }
                                      end.meet(0, item);
                                      return small(item);
                                    }) &
          tbb::make_filter<small, large>(filter_mode::parallel,
                                         [&](const small& item) {
                                           end.meet(1, item.number());
                                           return large(item.number());
                                         }) &
          tbb::make_filter<large, aligned>(mode,
                                           [&](large item) {
                                             end.meet(2, item.number());
                                             return aligned(item.number());
                                           }) &
          tbb::make_filter<aligned, std::unique_ptr<small>>(filter_mode::serial_in_order,
                                                            [&](aligned&& item) {
                                                              end.meet(3, item.number());
                                                              return std::make_unique<small>(item.number());
                                                            }) &
          tbb::make_filter<std::unique_ptr<small>, void>(mode,
                                                         [&](std::unique_ptr<small> item) {
                                                           end.meet(4, item->number());
                                                           ++through;
                                                         }),
      context);
  return through == items;
}

NOPAL_PROGRAM(values) {
  for (const filter_mode mode : modes) {
    tbb::task_group_context context;
    NOPAL_CHECK(run_stages(mode, 500, {}, context));
    NOPAL_CHECK(live == 0 && copies == 0 && !context.is_group_execution_cancelled());
  }
  return 0;
}

NOPAL_PROGRAM(exceptions) {
  for (int round = 0; round != 4; ++round) {
    for (const filter_mode mode : modes) {
      for (int stage = 0; stage != 5; ++stage) {
        for (const int item : {0, 1, 50, 199}) {
          tbb::task_group_context context;
          bool caught = false;
          try {
            run_stages(mode, 200, {.at_stage = stage, .at_item = item}, context);
          } catch (const std::runtime_error& error) {
            caught = error.what() == std::to_string(stage);
          }
          NOPAL_CHECK(caught && live == 0 && context.is_group_execution_cancelled());
        }
      }
    }
  }
  return 0;
}

// All throw at once: the first is thrown, the others are dropped.
NOPAL_PROGRAM(many_exceptions) {
  for (int round = 0; round != 200; ++round) {
    int given = 0;
    bool caught = false;
    try {
      tbb::parallel_pipeline(
          16, tbb::make_filter<void, small>(filter_mode::serial_in_order, [&](tbb::flow_control&) {
                return small(given++);
              }) & tbb::make_filter<small, void>(filter_mode::parallel, [](const small& item) {
                if (item.number() > 10) throw std::runtime_error("x");
              }));
    } catch (const std::runtime_error&) {
      caught = true;
    }
    NOPAL_CHECK(caught && live == 0);
  }
  return 0;
}

NOPAL_PROGRAM(cancellations) {
  for (const filter_mode mode : modes) {
    for (int stage = 0; stage != 5; ++stage) {
      tbb::task_group_context context;
      NOPAL_CHECK(!run_stages(mode, 200, {.at_stage = stage, .at_item = 30, .cancels = &context}, context));
      NOPAL_CHECK(live == 0 && context.is_group_execution_cancelled());
      // It is cancelled still.
      std::atomic<int> calls{0};
      tbb::parallel_pipeline(2,
                             tbb::make_filter<void, void>(mode,
                                                          [&](tbb::flow_control& control) {
                                                            ++calls;
                                                            control.stop();
                                                          }),
                             context);
      NOPAL_CHECK(calls == 0);
      context.reset();
      NOPAL_CHECK(run_stages(mode, 20, {}, context) && live == 0);
    }
  }
  return 0;
}

NOPAL_PROGRAM(cancellation_from_elsewhere) {
  for (int round = 0; round != 20; ++round) {
    tbb::task_group_context context;
    std::atomic<int> given{0};
    std::thread other([&] {
      while (given < 100) std::this_thread::yield();
      context.cancel_group_execution();
    });
    tbb::parallel_pipeline(
        8,
        tbb::make_filter<void, large>(filter_mode::serial_out_of_order,
                                      [&](tbb::flow_control&) { return large(given++); }) &
            tbb::make_filter<large, small>(filter_mode::parallel,
                                           [](const large& item) { return small(item.number()); }) &
            tbb::make_filter<small, void>(filter_mode::serial_in_order, [](const small&) {}),
        context);
    other.join();
    NOPAL_CHECK(live == 0 && given >= 100);
  }
  // By what is around it, and by one of the two that are nested.
  nopal::cancel_scope around;
  tbb::task_group_context context;
  int given = 0;
  tbb::parallel_pipeline(8,
                         tbb::make_filter<void, small>(filter_mode::serial_in_order,
                                                       [&](tbb::flow_control&) { return small(given++); }) &
                             tbb::make_filter<small, void>(filter_mode::serial_in_order,
                                                           [&](const small& item) {
                                                             if (item.number() == 20) around.request_stop();
                                                           }),
                         context);
  NOPAL_CHECK(live == 0 && context.is_group_execution_cancelled());
  around.join();
  return 0;
}

// The inner pipeline's exception goes through the stage that has it.
NOPAL_PROGRAM(exceptions_of_nested_ones) {
  for (int round = 0; round != 50; ++round) {
    int given = 0;
    bool caught = false;
    try {
      tbb::parallel_pipeline(
          4, tbb::make_filter<void, small>(filter_mode::serial_in_order, [&](tbb::flow_control& control) {
               if (given == 30) control.stop();
               return small(given++);
             }) & tbb::make_filter<small, void>(filter_mode::parallel, [](const small& item) {
               tbb::task_group_context context;
               const int last = item.number() == 20 ? 3 : -1;
               NOPAL_CHECK(
                   run_stages(filter_mode::serial_in_order, 10, {.at_stage = last, .at_item = 4}, context) ||
                   context.is_group_execution_cancelled());
             }));
    } catch (const std::runtime_error& error) {
      caught = error.what() == std::string("3");
    }
    NOPAL_CHECK(caught && live == 0);
  }
  return 0;
}

class pipeline_values : public support::program_at_workers {};

TEST_P(pipeline_values, are_not_copied_and_destroyed_once) { EXPECT_TRUE(run("values")); }
TEST_P(pipeline_values, are_destroyed_where_a_stage_throws) { EXPECT_TRUE(run("exceptions")); }
TEST_P(pipeline_values, are_destroyed_where_many_throw) { EXPECT_TRUE(run("many_exceptions")); }
TEST_P(pipeline_values, are_destroyed_where_a_stage_cancels) { EXPECT_TRUE(run("cancellations")); }
TEST_P(pipeline_values, are_destroyed_where_others_cancel) {
  EXPECT_TRUE(run("cancellation_from_elsewhere"));
}
TEST_P(pipeline_values, are_destroyed_where_a_nested_pipeline_throws) {
  EXPECT_TRUE(run("exceptions_of_nested_ones"));
}

INSTANTIATE_TEST_SUITE_P(tbb, pipeline_values, testing::Values(1, 2, 4), testing::PrintToStringParamName());

}  // namespace
