// oneTBB's own containers and flow graphs, over this library's scheduler.
#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <oneapi/tbb/detail/_utils.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_set.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_unordered_set.h>
#include <tbb/concurrent_vector.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_sort.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include "support/program.hpp"

// Containers of oneTBB 2023 name, from where they are, how their storage of each thread is kept.
namespace NOPAL_TBB_THEIRS::detail {
static_assert(std::is_same_v<decltype(ets_suspend_aware), ::tbb::ets_key_usage_type>);
static_assert(std::is_same_v<decltype(d1::ets_no_key), ::tbb::ets_key_usage_type>);
}  // namespace NOPAL_TBB_THEIRS::detail

namespace {

// Names of oneTBB's inside, which its own tests use, also of a namespace of these headers.
static_assert(std::is_same_v<decltype(tbb::detail::r1::cache_line_size()), std::size_t>);

static_assert(std::is_same_v<tbb::concurrent_vector<int>,
                             tbb::concurrent_vector<int, tbb::cache_aligned_allocator<int>>>);
static_assert(std::is_same_v<tbb::concurrent_set<int>, oneapi::tbb::concurrent_set<int>>);

NOPAL_PROGRAM(take_what_bodies_put_in) {
  constexpr int count = 2000;
  tbb::concurrent_vector<int> numbers;
  tbb::concurrent_hash_map<int, long> sums;
  tbb::concurrent_unordered_map<int, std::atomic<int>> calls;
  tbb::concurrent_set<int> ordered;
  tbb::concurrent_priority_queue<int> first;
  tbb::parallel_for(0, count, [&](int i) {
    numbers.push_back(i);
    ++calls[i % 10];
    ordered.insert(i % 100);
    first.push(i);
    tbb::concurrent_hash_map<int, long>::accessor sum;
    sums.insert(sum, i % 7);
    sum->second += i;
  });
  NOPAL_CHECK(numbers.size() == count && calls.size() == 10 && ordered.size() == 100 && sums.size() == 7);
  int greatest = 0;
  NOPAL_CHECK(first.try_pop(greatest) && greatest == count - 1);

  // Their ranges are split by the loops of these headers.
  std::atomic<long> all{0};
  tbb::parallel_for(sums.range(), [&](const auto& part) {
    for (const auto& sum : part) all += sum.second;
  });
  tbb::parallel_for(numbers.range(), [&](const auto& part) {
    for (const int number : part) all -= number;
  });
  tbb::parallel_for(calls.range(), [&](const auto& part) {
    for (const auto& call : part) all += call.second;
  });
  NOPAL_CHECK(all == count);
  tbb::parallel_sort(numbers.begin(), numbers.end());
  for (int i = 0; i != count; ++i) NOPAL_CHECK(numbers[static_cast<std::size_t>(i)] == i);
  return 0;
}

// Who waits gives its place to others, so one worker is enough.
NOPAL_PROGRAM(wait_for_room_and_items) {
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(3);
  long sum = 0;
  nopal::scope s;
  s.fork([&] {
    for (int i = 1; i <= 1000; ++i) queue.push(i);
  });
  for (int i = 0; i != 1000; ++i) {
    int item = 0;
    queue.pop(item);
    sum += item;
  }
  s.join();
  NOPAL_CHECK(sum == 500500 && queue.empty());
  return 0;
}

NOPAL_PROGRAM(end_waits_that_are_aborted) {
  tbb::concurrent_bounded_queue<int> queue;
  std::atomic<int> aborted{0};
  nopal::scope s;
  for (int k = 0; k != 3; ++k) {
    s.fork([&] {
      int item = 0;
      try {
        queue.pop(item);
      } catch (const tbb::user_abort&) {
        ++aborted;
      }
    });
  }
  while (queue.size() != -3) nopal::blocking([] { std::this_thread::yield(); });
  queue.abort();
  s.join();
  NOPAL_CHECK(aborted == 3);
  return 0;
}

template <class Exception, class F>
bool throws(const F& f) {
  try {
    f();
  } catch (const Exception& e) {
    return std::string(e.what()).starts_with("nopal: tbb: ");
  }
  return false;
}

NOPAL_PROGRAM(throw_what_these_headers_throw) {
  tbb::concurrent_map<int, int> map{{1, 2}};
  tbb::concurrent_vector<int> numbers(3);
  tbb::concurrent_unordered_map<int, int> hashed;
  NOPAL_CHECK(map.at(1) == 2);
  NOPAL_CHECK(throws<std::out_of_range>([&] { static_cast<void>(map.at(9)); }));
  NOPAL_CHECK(throws<std::out_of_range>([&] { static_cast<void>(numbers.at(9)); }));
  NOPAL_CHECK(throws<std::length_error>([&] { numbers.reserve(numbers.max_size() + 1); }));
  NOPAL_CHECK(throws<std::out_of_range>([&] { hashed.max_load_factor(-1); }));
  return 0;
}

class containers : public support::program_at_workers {};
TEST_P(containers, take_what_bodies_put_in) { EXPECT_TRUE(run("take_what_bodies_put_in")); }
TEST_P(containers, wait_for_room_and_items) { EXPECT_TRUE(run("wait_for_room_and_items")); }
TEST_P(containers, end_waits_that_are_aborted) { EXPECT_TRUE(run("end_waits_that_are_aborted")); }
TEST_P(containers, throw_what_these_headers_throw) { EXPECT_TRUE(run("throw_what_these_headers_throw")); }

INSTANTIATE_TEST_SUITE_P(tbb, containers, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
