// Bodies that are pointers to members: of a range, of an index, of an item.
#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "support/program.hpp"

namespace {

using counts = std::vector<std::atomic<int>>;

void check_each(const counts& seen, int times) {
  for (const std::atomic<int>& count : seen) NOPAL_CHECK(count == times);
}

struct counting_range : tbb::blocked_range<std::size_t> {
  explicit counting_range(counts& all) : blocked_range(0, all.size()), seen(&all) {}
  counting_range(counting_range& from, tbb::split cut) : blocked_range(from, cut), seen(from.seen) {}
  void count() const {
    for (std::size_t at = begin(); at != end(); ++at) ++(*seen)[at];
  }
  counts* seen;
};

NOPAL_PROGRAM(members_of_ranges) {
  counts seen(1000);
  tbb::parallel_for(counting_range(seen), &counting_range::count);
  tbb::parallel_for(counting_range(seen), &counting_range::count, tbb::simple_partitioner());
  tbb::parallel_for(counting_range(seen), &counting_range::count, tbb::static_partitioner());
  check_each(seen, 3);
  return 0;
}

/// An index whose distances are plain numbers.
class position {
public:
  explicit position(std::size_t at, counts* all = nullptr) : seen_(all), at_(at) {}
  position(std::size_t at, const position& like) : seen_(like.seen_), at_(at) {}
  void count() const { ++(*seen_)[at_]; }
  friend position operator+(const position& from, const position& by) {
    return {from.at_ + by.at_, from.seen_ == nullptr ? by : from};
  }
  friend position operator*(const position& from, const position& by) {
    return {from.at_ * by.at_, from.seen_ == nullptr ? by : from};
  }
  friend position operator/(const position& from, const position& by) { return {from.at_ / by.at_, from}; }
  friend std::size_t operator-(const position& from, const position& by) { return from.at_ - by.at_; }
  friend bool operator<(const position& from, const position& by) { return from.at_ < by.at_; }

private:
  counts* seen_;
  std::size_t at_;
};

NOPAL_PROGRAM(members_of_indices) {
  counts seen(1000);
  const position first(0, &seen);
  const position last(1000, &seen);
  tbb::parallel_for(first, last, &position::count);
  tbb::parallel_for(first, last, &position::count, tbb::static_partitioner());
  check_each(seen, 2);
  tbb::parallel_for(first, last, position(3), &position::count);
  for (std::size_t at = 0; at != seen.size(); ++at) NOPAL_CHECK(seen[at] == (at % 3 == 0 ? 3 : 2));
  return 0;
}

struct counted_item {
  void count() const { ++calls; }
  void count_and_add(tbb::feeder<counted_item>& more) const {
    ++calls;
    if (left != 0) more.add({calls, left - 1});
  }
  std::atomic<int>& calls;
  int left;
};

NOPAL_PROGRAM(members_of_items) {
  std::atomic<int> calls{0};
  const std::vector<counted_item> items(10, counted_item{calls, 2});
  tbb::parallel_for_each(items, &counted_item::count);
  NOPAL_CHECK(calls == 10);
  tbb::parallel_for_each(items, &counted_item::count_and_add);
  NOPAL_CHECK(calls == 40);
  return 0;
}

class members : public support::program_at_workers {};

TEST_P(members, of_ranges_are_called) { EXPECT_TRUE(run("members_of_ranges")); }
TEST_P(members, of_indices_are_called) { EXPECT_TRUE(run("members_of_indices")); }
TEST_P(members, of_items_are_called) { EXPECT_TRUE(run("members_of_items")); }

INSTANTIATE_TEST_SUITE_P(tbb, members, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
