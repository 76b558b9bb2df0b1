// Parallel loops: every position once, whatever is counted, whoever steals.
#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nopal/parallel.hpp>

#include "support/strands.hpp"

namespace {

using support::flag;

/// How often each position of a loop was met. Each is written by one strand if the loop is right.
class visits {
public:
  explicit visits(std::size_t count) : times_(count) {}
  void at(std::size_t position) { times_.at(position).fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool all_once() const {
    for (const auto& each : times_)
      if (each.load(std::memory_order_relaxed) != 1) return false;
    return true;
  }

private:
  std::vector<std::atomic<int>> times_;
};

NOPAL_PROGRAM(each_position_once) {
  for (const std::size_t count :
       std::initializer_list<std::size_t>{0, 1, 2, 3, 7, 15, 16, 17, 100, 4095, 70000}) {
    for (const std::size_t grain : std::initializer_list<std::size_t>{0, 1, 2, 5, 1000, 100000}) {
      visits seen(count);
      nopal::parallel_for(std::size_t{0}, count, grain, [&](std::size_t i) { seen.at(i); });
      NOPAL_CHECK(seen.all_once());
    }
    visits seen(count);
    nopal::parallel_for(std::size_t{0}, count, [&](std::size_t i) { seen.at(i); });
    NOPAL_CHECK(seen.all_once());
  }
  support::check_quiet();
  return 0;
}

template <class Integer>
void count_all_of() {
  visits seen(std::size_t{UCHAR_MAX} + 1);
  constexpr int first = std::is_signed_v<Integer> ? SCHAR_MIN : 0;
  constexpr int last = first + UCHAR_MAX;
  nopal::parallel_for(static_cast<Integer>(first), static_cast<Integer>(last), [&](Integer i) {
    static_assert(std::is_same_v<decltype(i), Integer>);
    seen.at(static_cast<std::size_t>(static_cast<int>(i) - first));
  });
  seen.at(UCHAR_MAX);
  NOPAL_CHECK(seen.all_once());
}

NOPAL_PROGRAM(whole_numbers_of_any_type) {
  count_all_of<signed char>();
  count_all_of<unsigned char>();
  count_all_of<char16_t>();
  count_all_of<short>();
  count_all_of<std::uint32_t>();
  count_all_of<std::int64_t>();
  // At the ends of the type, and of two types.
  visits seen(100);
  nopal::parallel_for(INT64_MAX - 100, INT64_MAX,
                      [&](std::int64_t i) { seen.at(static_cast<std::size_t>(INT64_MAX - 1 - i)); });
  NOPAL_CHECK(seen.all_once());
  const std::vector<int> values(1000, 1);
  std::atomic<std::size_t> sum{0};
  nopal::parallel_for(0, values.size(),
                      [&](std::size_t i) { sum += static_cast<std::size_t>(values[i]) * i; });
  NOPAL_CHECK(sum == 499500);
  nopal::parallel_for(5, -5, [](int) { NOPAL_CHECK(false); });
  return 0;
}

NOPAL_PROGRAM(iterators_elements_and_chunks) {
  std::deque<int> values(5000, 1);
  nopal::parallel_for(values.begin(), values.end(), [](std::deque<int>::iterator at) { *at += 1; });
  nopal::parallel_for(values.begin(), values.end(), [](int& value) { value *= 3; });
  nopal::parallel_for(values.begin(), values.end(), 64, [](auto from, auto to) {
    for (; from != to; ++from) *from += 1;
  });
  for (const int value : values) NOPAL_CHECK(value == 7);
  int plain[100] = {};
  nopal::parallel_for(plain, plain + 100, [](int* at) { *at = 4; });
  nopal::parallel_for_each(plain, [](int& value) { NOPAL_CHECK(value == 4); });
  return 0;
}

/// What is no longer than the grain is not split.
NOPAL_PROGRAM(chunks_keep_to_the_grain) {
  std::atomic<int> chunks{0};
  visits seen(1000);
  nopal::parallel_for(0, 1000, 1000, [&](int from, int to) {
    ++chunks;
    for (int i = from; i < to; ++i) seen.at(static_cast<std::size_t>(i));
  });
  NOPAL_CHECK(seen.all_once() && chunks == 1);
  chunks = 0;
  nopal::parallel_for(0, 1000, 500, [&](int from, int to) {
    NOPAL_CHECK(to - from == 500);
    ++chunks;
  });
  NOPAL_CHECK(chunks == 2);
  return 0;
}

/// Where nobody steals, and in loops within loops, there are few forks and long chunks.
/// A grain of no less than the range, -1 among them, is the serial loop.
NOPAL_PROGRAM(whole_ranges_as_one_piece) {
  constexpr int count = 100000;
  for (const std::size_t grain : {std::size_t{count}, static_cast<std::size_t>(-1)}) {
    for (int round = 0; round < 20; ++round) {
      int next = 0;
      nopal::parallel_for(0, count, grain, [&](int i) { NOPAL_CHECK(i == next++); });
      int pieces = 0;
      nopal::parallel_for(0, count, grain, [&](int from, int to) {
        NOPAL_CHECK(from == 0 && to == count);
        ++pieces;
      });
      int reduced = 0;
      const long sum = nopal::parallel_reduce(
          0, count, grain, 0L,
          [&](int i) {
            NOPAL_CHECK(i == reduced++);
            return static_cast<long>(i);
          },
          [](long a, long b) { return a + b; });
      NOPAL_CHECK(next == count && pieces == 1 && sum == count / 2 * (count - 1L));
    }
  }
  return 0;
}

/// 0 is the automatic grain of a loop, and 1,024 of a reduction.
NOPAL_PROGRAM(no_grain) {
  std::atomic<int> pieces{0};
  flag two{false};
  nopal::parallel_for(0, 2, 0, [&](int) {
    if (++pieces == 2) support::set(two);
    support::wait_for_continuation(two);  // both at once
  });
  const auto by_concatenation = [](std::size_t grain) {
    return nopal::parallel_reduce(
        0, 5000, grain, std::string(), [](int) { return std::string("."); },
        [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });
  };
  NOPAL_CHECK(by_concatenation(0) == by_concatenation(1024) && by_concatenation(0) != by_concatenation(512));
  return 0;
}

NOPAL_PROGRAM(undisturbed_loops_are_serial_loops) {
  int chunks = 0;
  int positions = 0;
  nopal::parallel_for(0, 1'000'000, [&](int from, int to) {
    ++chunks;
    positions += to - from;
  });
  NOPAL_CHECK(positions == 1'000'000 && chunks < 1000);
  chunks = 0;
  nopal::scope s;
  s.fork([&] { nopal::parallel_for(0, 1000, [&](int, int) { ++chunks; }); });
  s.join();
  NOPAL_CHECK(chunks == 8);  // there is the continuation to steal
  return 0;
}

NOPAL_PROGRAM(elements_of_any_range) {
  std::vector<std::unique_ptr<int>> owners;
  for (int i = 0; i < 1000; ++i) owners.push_back(std::make_unique<int>(i));
  nopal::parallel_for_each(owners, [](std::unique_ptr<int>& each) { *each += 1; });
  nopal::parallel_for_each(
      owners.begin(), owners.end(), [](int& value) { value += 1; }, [](auto& each) -> int& { return *each; });
  for (int i = 0; i < 1000; ++i) NOPAL_CHECK(*owners[static_cast<std::size_t>(i)] == i + 2);

  std::list<int> listed(300, 1);
  nopal::parallel_for_each(listed, [](int& value) { value += 1; });
  std::forward_list<int> forward(300, 1);
  nopal::parallel_for_each(forward.begin(), forward.end(), [](int& value) { value += 1; });
  for (const int value : listed) NOPAL_CHECK(value == 2);
  for (const int value : forward) NOPAL_CHECK(value == 2);

  std::istringstream text("1 2 3 4 5 6 7 8 9 10");
  std::atomic<int> sum{0};
  nopal::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                           [&](int value) { sum += value; });
  NOPAL_CHECK(sum == 55);
  nopal::parallel_for_each(std::vector<int>(), [](int) { NOPAL_CHECK(false); });
  struct point {
    int x;
    int y;
  };
  std::vector<point> points(100, point{1, 2});
  nopal::parallel_for_each(points, [](int& y) { y = 5; }, &point::y);
  for (const point& each : points) NOPAL_CHECK(each.x == 1 && each.y == 5);
  return 0;
}

/// As many positions as workers, each of which waits for all the others: each has to be a strand of its own.
NOPAL_PROGRAM(long_bodies_run_all_at_once) {
  const int count = nopal::workers();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun{0};
    nopal::parallel_for(0, count, [&](int) {
      ++begun;
      while (begun.load() < count) std::this_thread::yield();
    });
    NOPAL_CHECK(begun == count);
  }
  return 0;
}

/// The last positions are the long ones: whoever is done with the others takes half of what is left again and again.
NOPAL_PROGRAM(skewed_bodies_are_shared_out) {
  if (nopal::workers() == 1) return 0;
  constexpr int count = 512;
  std::vector<pid_t> by(count);
  for (int tries = 0;; ++tries) {
    nopal::parallel_for(0, count, [&](int i) {
      if (i >= count - 64) support::sleep_ms(1);
      by[static_cast<std::size_t>(i)] = support::thread_id();
    });
    int longest = 0;
    int run = 0;
    for (std::size_t i = count - 64; i < count; ++i) {
      run = i > 0 && by[i] == by[i - 1] ? run + 1 : 1;
      longest = std::max(longest, run);
    }
    if (longest <= 48) return 0;
    NOPAL_CHECK(tries < 20);
  }
}

NOPAL_PROGRAM(loops_in_loops) {
  std::vector<std::vector<int>> table(200, std::vector<int>(300));
  nopal::parallel_for(0, 200, [&](int row) {
    nopal::parallel_for(0, 300, [&, row](int column) {
      table[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = row * column;
      if (row % 50 == 0 && column % 100 == 0) NOPAL_CHECK(support::fib(12) == 144);
    });
  });
  for (int row = 0; row < 200; ++row)
    for (int column = 0; column < 300; ++column)
      NOPAL_CHECK(table[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] == row * column);
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(several_threads_with_loops) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 5; ++t)
    threads.emplace_back([] {
      for (int round = 0; round < 20; ++round) {
        visits seen(3000);
        nopal::parallel_for(0, 3000, [&](int i) { seen.at(static_cast<std::size_t>(i)); });
        NOPAL_CHECK(seen.all_once());
      }
    });
  for (std::thread& each : threads) each.join();
  return 0;
}

/// The exception is that of the first position that throws, as in the serial loop.
NOPAL_PROGRAM(first_exception_leaves) {
  for (int round = 0; round < 200; ++round) {
    try {
      nopal::parallel_for(0, 1000, [](int i) {
        if (i % 100 == 99) throw std::runtime_error(std::to_string(i));
        support::burn(50);
      });
      NOPAL_CHECK(false);
    } catch (const std::runtime_error& error) {
      NOPAL_CHECK(std::string(error.what()) == "99");
    }
  }
  std::list<int> listed(100, 3);
  try {
    nopal::parallel_for_each(listed, [](int) { throw 5; });
    NOPAL_CHECK(false);
  } catch (int value) {
    NOPAL_CHECK(value == 5);
  }
  support::check_quiet();
  return 0;
}

NOPAL_PROGRAM(functions_at_once) {
  flag second_runs{false};
  const auto [number, owner, text] = nopal::parallel_invoke(
      [&] {
        support::wait_for_continuation(second_runs);
        return 1;
      },
      [&] {
        support::set(second_runs);
        return std::make_unique<int>(2);
      },
      [] { return std::string("three"); });
  NOPAL_CHECK(number == 1 && *owner == 2 && text == "three");

  int touched = 0;
  static_assert(std::is_void_v<decltype(nopal::parallel_invoke([&] { ++touched; }, [] { return 1; }))>);
  nopal::parallel_invoke([&] { ++touched; }, [] { return 1; });
  NOPAL_CHECK(touched == 1);
  int target = 7;
  auto [reference, value] = nopal::parallel_invoke([&]() -> int& { return target; }, [] { return 2; });
  static_assert(std::is_same_v<decltype(reference), int&>);
  reference = 8;
  NOPAL_CHECK(target == 8 && value == 2);
  std::string kept(100, 'k');  // on the heap
  auto [moving, still] = nopal::parallel_invoke([&]() -> std::string&& { return std::move(kept); },
                                                [&]() -> const int&& { return std::move(target); });
  static_assert(std::is_same_v<decltype(moving), std::string&&> &&
                std::is_same_v<decltype(still), const int&&>);
  NOPAL_CHECK(&moving == &kept && &still == &target && kept == std::string(100, 'k'));
  struct unmade {
    explicit unmade(int from) : content(from) {}
    int content;
  };
  const auto [made] = nopal::parallel_invoke([] { return unmade(3); });
  NOPAL_CHECK(made.content == 3);
  try {
    nopal::parallel_invoke([] { return 1; }, []() -> int { throw 2; }, []() -> int { throw 3; });
    NOPAL_CHECK(false);
  } catch (int thrown) {
    NOPAL_CHECK(thrown == 2);
  }
  return 0;
}

class loops : public support::program_at_workers {};

TEST_P(loops, visit_each_position_once) { EXPECT_TRUE(run("each_position_once")); }
TEST_P(loops, count_whole_numbers_of_any_type) { EXPECT_TRUE(run("whole_numbers_of_any_type")); }
TEST_P(loops, give_iterators_elements_or_chunks) { EXPECT_TRUE(run("iterators_elements_and_chunks")); }
TEST_P(loops, keep_to_the_grain) { EXPECT_TRUE(run("chunks_keep_to_the_grain")); }
TEST_P(loops, take_a_grain_of_the_whole_range_or_minus_one_for_a_serial_loop) {
  EXPECT_TRUE(run("whole_ranges_as_one_piece"));
}
TEST_P(loops, take_no_grain_for_the_usual_one) { EXPECT_TRUE(run("no_grain")); }
TEST(loops_on_one_worker, are_serial_loops_in_long_chunks) {
  EXPECT_TRUE(support::succeeds("undisturbed_loops_are_serial_loops", support::on_workers(1)));
}
TEST_P(loops, visit_elements_of_any_range) { EXPECT_TRUE(run("elements_of_any_range")); }
TEST_P(loops, run_long_bodies_all_at_once) { EXPECT_TRUE(run("long_bodies_run_all_at_once")); }
TEST_P(loops, share_out_skewed_bodies) { EXPECT_TRUE(run("skewed_bodies_are_shared_out")); }
TEST_P(loops, nest) { EXPECT_TRUE(run("loops_in_loops")); }
TEST_P(loops, serve_several_threads) { EXPECT_TRUE(run("several_threads_with_loops")); }
TEST_P(loops, throw_what_the_serial_loop_throws) { EXPECT_TRUE(run("first_exception_leaves")); }
TEST_P(loops, of_functions_return_their_results) { EXPECT_TRUE(run("functions_at_once")); }

INSTANTIATE_TEST_SUITE_P(at_workers, loops, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
