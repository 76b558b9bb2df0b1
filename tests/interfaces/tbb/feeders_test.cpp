// What the body of parallel_for_each adds: long chains of it, and from items that are constant.
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for_each.h>

#include <atomic>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/program.hpp"

namespace {

constexpr int long_chain = 300'000;

// Each item adds the next one, as a list or a narrow graph is gone through.
NOPAL_PROGRAM(chain) {
  const std::vector<int> roots{0, 0};
  std::atomic<int> calls{0};
  tbb::parallel_for_each(roots, [&](int at, tbb::feeder<int>& more) {
    ++calls;
    if (at + 1 != long_chain) more.add(at + 1);
  });
  NOPAL_CHECK(calls == 2 * long_chain);
  return 0;
}

// A chain whose items add others, too, before the next one and behind it.
NOPAL_PROGRAM(chain_with_leaves) {
  const std::vector<int> roots{long_chain};
  std::vector<std::atomic<int>> seen(long_chain + 1);
  tbb::parallel_for_each(roots, [&](int at, tbb::feeder<int>& more) {
    ++seen[static_cast<std::size_t>(at)];
    if (at < 3) return;
    if (at % 3 == 0) {
      more.add(at - 1);
      more.add(at - 3);
      more.add(at - 2);
    }
  });
  for (const std::atomic<int>& count : seen) NOPAL_CHECK(count == 1);
  return 0;
}

// What is put off does not begin once something is thrown, and the loop ends with that.
NOPAL_PROGRAM(chain_that_throws) {
  const std::vector<int> roots{0};
  std::atomic<int> calls{0};
  bool caught = false;
  try {
    tbb::parallel_for_each(roots, [&](int at, tbb::feeder<int>& more) {
      ++calls;
      more.add(at + 1);
      if (at == 1000) throw std::runtime_error("the thousandth");
    });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  NOPAL_CHECK(caught);
  NOPAL_CHECK(calls == 1001);
  return 0;
}

NOPAL_PROGRAM(chain_that_is_cancelled) {
  const std::vector<int> roots{0};
  std::atomic<int> calls{0};
  tbb::task_group_context context;
  const auto body = [&](int at, tbb::feeder<int>& more) {
    ++calls;
    more.add(at + 1);
    if (at == 1000) context.cancel_group_execution();
  };
  tbb::parallel_for_each(roots.begin(), roots.end(), body, context);
  NOPAL_CHECK(calls == 1001);
  return 0;
}

// What an item adds begins before the next item, in whatever call that is.
NOPAL_PROGRAM(added_before_the_next) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const std::vector<int> roots{1, 2, 3};
  std::vector<int> order;
  tbb::parallel_for_each(roots, [&](int at, tbb::feeder<int>& more) {
    order.push_back(at);
    if (at < 10 && at != 2) {
      more.add(10 * at);
      more.add(10 * at + 1);
    }
  });
  NOPAL_CHECK((order == std::vector<int>{1, 10, 11, 2, 3, 30, 31}));
  return 0;
}

/// An iterator that has a constant value_type, as those over constant containers of oneTBB have.
struct constant_iterator {
  using iterator_category = std::forward_iterator_tag;
  using value_type = const int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = const int&;
  reference operator*() const { return *at; }
  constant_iterator& operator++() {
    ++at;
    return *this;
  }
  constant_iterator operator++(int) { return {at++}; }
  [[maybe_unused]] friend bool operator==(constant_iterator one, constant_iterator other) {
    return one.at == other.at;
  }
  friend bool operator!=(constant_iterator one, constant_iterator other) { return one.at != other.at; }
  const int* at;
};

NOPAL_PROGRAM(constant_items) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const constant_iterator first{numbers.data()};
  const constant_iterator last{numbers.data() + numbers.size()};
  std::atomic<int> sum{0};
  tbb::parallel_for_each(first, last, [&](int number) { sum += number; });
  NOPAL_CHECK(sum == 4950);
  tbb::parallel_for_each(first, last, [&](int number, tbb::feeder<int>& more) {
    sum += 1;
    if (number > 0) more.add(-1);
  });
  NOPAL_CHECK(sum == 4950 + 199);
  return 0;
}

// What the iterator refers to is no item, but writes to one: the body is asked for no more than it.
NOPAL_PROGRAM(items_by_their_proxies) {
  std::vector<bool> bits(1000);
  tbb::parallel_for_each(bits.begin(), bits.begin() + 1, [](auto bit) { bit = true; });
  NOPAL_CHECK(bits[0] && !bits[1]);
  return 0;
}

class feeders : public support::program_at_workers {};

TEST_P(feeders, go_through_a_long_chain) { EXPECT_TRUE(run("chain")); }
TEST_P(feeders, go_through_a_long_chain_that_has_leaves) { EXPECT_TRUE(run("chain_with_leaves")); }
TEST_P(feeders, begin_what_an_item_adds_before_the_next) { EXPECT_TRUE(run("added_before_the_next")); }
TEST_P(feeders, end_with_what_is_thrown) { EXPECT_TRUE(run("chain_that_throws")); }
TEST_P(feeders, end_where_they_are_cancelled) { EXPECT_TRUE(run("chain_that_is_cancelled")); }
TEST_P(feeders, take_iterators_over_constant_values) { EXPECT_TRUE(run("constant_items")); }
TEST_P(feeders, take_iterators_that_refer_by_proxies) { EXPECT_TRUE(run("items_by_their_proxies")); }

INSTANTIATE_TEST_SUITE_P(tbb, feeders, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
