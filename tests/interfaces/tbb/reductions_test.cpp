// Reductions and running sums of oneTBB's interface: the serial result, whatever the schedule.
#include <gtest/gtest.h>
#include <nopal/speculate.hpp>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/affine.hpp"
#include "support/copied_by_loops.hpp"
#include "support/program.hpp"

namespace {

using range = tbb::blocked_range<int>;
using support::affine;

/// Maps with a common fixed point would commute.
affine step(int i) { return {static_cast<std::uint64_t>(2 * i + 1), static_cast<std::uint64_t>(i ^ 5)}; }

affine serial(int count) {
  affine result;
  for (int i = 0; i != count; ++i) result.then(step(i).factor, step(i).summand);
  return result;
}

affine along(const range& part, affine value) {
  for (int i = part.begin(); i != part.end(); ++i) value.then(step(i).factor, step(i).summand);
  return value;
}

affine after(affine left, const affine& right) {
  left.then(right.factor, right.summand);
  return left;
}

constexpr int count = 60000;

/// Keeps the first piece from being over before another one has begun, where there is a worker to begin it.
class meeting {
public:
  void enter(const range& part) {
    if (part.begin() != 0) {
      others_ = true;
    } else {
      while (!others_ && part.end() != count && nopal::workers() > 1) std::this_thread::yield();
    }
  }

private:
  std::atomic<bool> others_{false};
};

NOPAL_PROGRAM(functions_at_once) {
  const affine expected = serial(count);
  for (int round = 0; round != 10; ++round) {
    meeting pieces;
    const auto meet = [&](const range& part, affine value) {
      pieces.enter(part);
      return along(part, value);
    };
    NOPAL_CHECK(tbb::parallel_reduce(range(0, count), affine(), meet, after) == expected);
  }
  return 0;
}

NOPAL_PROGRAM(functions) {
  const affine expected = serial(count);
  tbb::task_group_context context;
  tbb::affinity_partitioner affinity;
  const range all(0, count, 7);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after) == expected);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after, tbb::simple_partitioner()) == expected);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after, tbb::static_partitioner()) == expected);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after, affinity) == expected);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after, context) == expected);
  NOPAL_CHECK(tbb::parallel_reduce(all, affine(), along, after, tbb::auto_partitioner(), context) ==
              expected);
  NOPAL_CHECK(tbb::parallel_deterministic_reduce(all, affine(), along, after) == expected);
  NOPAL_CHECK(tbb::parallel_deterministic_reduce(all, affine(), along, after, tbb::static_partitioner()) ==
              expected);
  NOPAL_CHECK(tbb::parallel_reduce(range(3, 3), affine{5, 6}, along, after) == (affine{5, 6}));
  return 0;
}

/// The text of a range. A body that was split has begun anew; what it joins comes after.
class text {
public:
  text() = default;
  text(text&, tbb::split) {}
  void operator()(const range& part) {
    for (int i = part.begin(); i != part.end(); ++i) written_ += static_cast<char>('a' + i % 26);
  }
  void join(text& right) { written_ += right.written_; }
  [[nodiscard]] const std::string& written() const { return written_; }

private:
  std::string written_;
};

NOPAL_PROGRAM(bodies) {
  std::string expected;
  for (int i = 0; i != count; ++i) expected += static_cast<char>('a' + i % 26);
  for (int round = 0; round != 5; ++round) {
    text whole;
    tbb::parallel_reduce(range(0, count), whole);
    NOPAL_CHECK(whole.written() == expected);
    text simple;
    tbb::parallel_reduce(range(0, count, 100), simple, tbb::simple_partitioner());
    NOPAL_CHECK(simple.written() == expected);
    text deterministic;
    tbb::parallel_deterministic_reduce(range(0, count, 100), deterministic);
    NOPAL_CHECK(deterministic.written() == expected);
  }
  return 0;
}

double halves(int first, int last) {
  if (last - first <= 10) {
    double sum = 0;
    for (int i = first; i != last; ++i) sum += 1.0 / (1 + i);
    return sum;
  }
  const int middle = first + (last - first) / 2;
  return halves(first, middle) + halves(middle, last);
}

// A sum of floating-point numbers tells the order of its additions.
NOPAL_PROGRAM(the_same_at_each_run) {
  const auto sum = [](const range& part, double value) {
    for (int i = part.begin(); i != part.end(); ++i) value += 1.0 / (1 + i);
    return value;
  };
  for (int round = 0; round != 10; ++round) {
    NOPAL_CHECK(tbb::parallel_deterministic_reduce(range(0, count, 10), 0.0, sum, std::plus<>()) ==
                halves(0, count));
  }
  return 0;
}

NOPAL_PROGRAM(scan_functions) {
  std::vector<affine> expected(count);
  affine running;
  for (int i = 0; i != count; ++i) {
    running = after(running, step(i));
    expected[static_cast<std::size_t>(i)] = running;
  }
  for (int round = 0; round != 5; ++round) {
    std::vector<affine> sums(count);
    meeting pieces;
    const auto scan = [&](const range& part, affine value, bool is_final) {
      pieces.enter(part);
      for (int i = part.begin(); i != part.end(); ++i) {
        value = after(value, step(i));
        if (is_final) sums[static_cast<std::size_t>(i)] = value;
      }
      return value;
    };
    NOPAL_CHECK(tbb::parallel_scan(range(0, count), affine(), scan, after) == running);
    NOPAL_CHECK(sums == expected);
    sums.assign(count, affine());
    NOPAL_CHECK(tbb::parallel_scan(range(0, count, 500), affine(), scan, after, tbb::simple_partitioner()) ==
                running);
    NOPAL_CHECK(sums == expected);
  }
  return 0;
}

class running_text {
public:
  running_text(std::vector<std::size_t>& lengths, meeting& pieces) : lengths_(lengths), pieces_(pieces) {}
  running_text(running_text& other, tbb::split) : lengths_(other.lengths_), pieces_(other.pieces_) {}
  template <class Tag>
  void operator()(const range& part, Tag) {
    pieces_.enter(part);
    for (int i = part.begin(); i != part.end(); ++i) {
      written_ += static_cast<char>('a' + i % 26);
      if (Tag::is_final_scan()) lengths_[static_cast<std::size_t>(i)] = std::hash<std::string>()(written_);
    }
  }
  void reverse_join(running_text& left) { written_ = left.written_ + written_; }
  void assign(running_text& other) { written_ = other.written_; }
  [[nodiscard]] const std::string& written() const { return written_; }

private:
  std::vector<std::size_t>& lengths_;
  meeting& pieces_;
  std::string written_;
};

NOPAL_PROGRAM(scan_bodies) {
  constexpr int letters = 2000;
  for (int round = 0; round != 20; ++round) {
    std::vector<std::size_t> hashes(letters);
    meeting pieces;
    running_text body(hashes, pieces);
    tbb::parallel_scan(range(0, letters), body);
    std::string expected;
    for (int i = 0; i != letters; ++i) {
      expected += static_cast<char>('a' + i % 26);
      NOPAL_CHECK(hashes[static_cast<std::size_t>(i)] == std::hash<std::string>()(expected));
    }
    NOPAL_CHECK(body.written() == expected);
  }
  return 0;
}

// The second half has a body of its own, finds what is looked for, and cancels the rest.
NOPAL_PROGRAM(found_and_cancelled) {
  const auto search = [](const range& part, int found) {
    if (part.begin() < 1 || found != -1) return found;
    tbb::task::current_context()->cancel_group_execution();
    return part.begin();
  };
  const auto either = [](int left, int right) { return left != -1 ? left : right; };
  NOPAL_CHECK(tbb::parallel_deterministic_reduce(range(0, 2), -1, search, either) == 1);
  return 0;
}

/// Cancelled, or stopped from outside, in one of the copies that splits and joins make, or an assignment.
NOPAL_PROGRAM(copies_that_are_not_cut_short) {
  using value = support::copied_by_loops;
  for (int copy = 1; copy != 60; ++copy) {
    for (int form = 0; form != 4; ++form) {
      std::atomic<long> calls{0};
      const auto along_part = [&calls](const range& part, const value& before) {
        value sum;
        sum.add(before.front() + static_cast<long>(part.size()));
        calls += static_cast<long>(part.size());
        return sum;
      };
      const value none;
      nopal::cancel_scope outside;
      tbb::task_group_context context;
      value::at_copy(copy, [&] {
        if (form < 2) {
          context.cancel_group_execution();
        } else {
          outside.request_stop();
        }
      });
      const value sums =
          form % 2 == 0 ? tbb::parallel_reduce(range(0, 100), none, along_part, support::sum_of,
                                               tbb::simple_partitioner(), context)
                        : tbb::parallel_deterministic_reduce(range(0, 100), none, along_part, support::sum_of,
                                                             tbb::simple_partitioner(), context);
      NOPAL_CHECK(sums.is_all(calls));
    }
  }
  return 0;
}

class reductions : public support::program_at_workers {};

TEST_P(reductions, of_functions_that_do_not_commute_are_the_serial_ones) { EXPECT_TRUE(run("functions")); }
TEST_P(reductions, of_pieces_at_once_are_the_serial_ones) { EXPECT_TRUE(run("functions_at_once")); }
TEST_P(reductions, of_bodies_join_in_order) { EXPECT_TRUE(run("bodies")); }
TEST_P(reductions, add_in_the_same_order_at_each_run_if_asked) { EXPECT_TRUE(run("the_same_at_each_run")); }
TEST_P(reductions, have_what_was_found_before_they_were_cancelled) {
  EXPECT_TRUE(run("found_and_cancelled"));
}
TEST_P(reductions, have_whole_values_when_they_were_cancelled) {
  EXPECT_TRUE(run("copies_that_are_not_cut_short"));
}
TEST_P(reductions, run_along_with_functions) { EXPECT_TRUE(run("scan_functions")); }
TEST_P(reductions, run_along_with_bodies) { EXPECT_TRUE(run("scan_bodies")); }

INSTANTIATE_TEST_SUITE_P(tbb, reductions, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
