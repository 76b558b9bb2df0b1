// Thread-specific values, mutexes, allocators and clocks of oneTBB's interface.
#include <gtest/gtest.h>
#include <tbb/cache_aligned_allocator.h>
#include <tbb/combinable.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/mutex.h>
#include <tbb/null_mutex.h>
#include <tbb/null_rw_mutex.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/queuing_mutex.h>
#include <tbb/queuing_rw_mutex.h>
#include <tbb/rw_mutex.h>
#include <tbb/scalable_allocator.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/tbb_allocator.h>
#include <tbb/tick_count.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <memory_resource>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/program.hpp"

namespace {

constexpr int count = 20000;

template <class T>
bool lie_on_lines_of_their_own() {
  tbb::enumerable_thread_specific<T> values;
  return reinterpret_cast<std::uintptr_t>(&values.local()) % std::max<std::size_t>(64, alignof(T)) == 0;
}

NOPAL_PROGRAM(specific) {
  struct alignas(256) wide {
    char bytes[256];
  };
  NOPAL_CHECK(lie_on_lines_of_their_own<char>() && lie_on_lines_of_their_own<long>() &&
              lie_on_lines_of_their_own<wide>());
  tbb::enumerable_thread_specific<long> sums([] { return 1000L; });
  NOPAL_CHECK(sums.empty());
  tbb::parallel_for(0, count, [&](int i) { sums.local() += i; });
  const auto values = static_cast<long>(sums.size());
  NOPAL_CHECK(values >= 1 && values <= nopal::workers() + 1);
  const long expected = values * 1000 + static_cast<long>(count) * (count - 1) / 2;
  NOPAL_CHECK(sums.combine(std::plus<>()) == expected);
  long sum = 0;
  sums.combine_each([&](long value) { sum += value; });
  NOPAL_CHECK(sum == expected);
  std::atomic<long> parallel_sum{0};
  tbb::parallel_for(sums.range(), [&](const auto& part) {
    for (const long value : part) parallel_sum += value;
  });
  NOPAL_CHECK(parallel_sum == expected);
  tbb::enumerable_thread_specific<long> copy(sums);
  copy.local() += 5;
  NOPAL_CHECK(copy.combine(std::plus<>()) >= expected + 5);
  sums.clear();
  bool exists = true;
  NOPAL_CHECK(sums.local(exists) == 1000 && !exists);
  NOPAL_CHECK(sums.local(exists) == 1000 && exists);
  tbb::combinable<int> counter;
  tbb::parallel_for(0, count, [&](int) { ++counter.local(); });
  NOPAL_CHECK(counter.combine(std::plus<>()) == count);
  return 0;
}

NOPAL_PROGRAM(specific_containers) {
  tbb::enumerable_thread_specific<std::vector<int>> lists;
  tbb::parallel_for(0, count, [&](int i) { lists.local().push_back(i); });
  const auto all = tbb::flatten2d(lists);
  NOPAL_CHECK(all.size() == count);
  long sum = 0;
  for (const int value : all) sum += value;
  NOPAL_CHECK(sum == static_cast<long>(count) * (count - 1) / 2);
  const auto first = tbb::flatten2d(lists, lists.begin(), std::next(lists.begin()));
  NOPAL_CHECK(first.size() == lists.begin()->size());
  NOPAL_CHECK(std::distance(first.begin(), first.end()) == static_cast<std::ptrdiff_t>(first.size()));
  decltype(all.begin()) nowhere;
  NOPAL_CHECK(nowhere != all.begin());
  const tbb::enumerable_thread_specific<std::unique_ptr<int>> unused;
  NOPAL_CHECK(unused.begin() == unused.end());
  return 0;
}

// Under the name of plain iterators in a constant function, and compared with each other, as oneTBB allows it.
NOPAL_PROGRAM(iterators_of_both_kinds) {
  using specific = tbb::enumerable_thread_specific<int>;
  specific values(7);
  values.local() = 8;
  const specific& same = values;
  specific::iterator at = same.begin();
  const specific::const_iterator end = values.end();
  NOPAL_CHECK(at != end && end != at && at < end && end > at && end - at == 1 && at - end == -1);
  *at += 1;
  NOPAL_CHECK(values.local() == 9);
  NOPAL_CHECK(++at == end && at == same.end());
  return 0;
}

struct explicit_pair {
  struct tag {};
  explicit explicit_pair(tag) {}
  explicit_pair(tag, int number) : value(number) {}
  explicit_pair(const explicit_pair&) = delete;
  explicit_pair(explicit_pair&&) = default;
  ~explicit_pair() = default;
  explicit_pair& operator=(const explicit_pair&) = delete;
  explicit_pair& operator=(explicit_pair&&) = delete;
  int value = 5;
};

// What is constructed of what, and assigned to what.
NOPAL_PROGRAM(specific_of_other_kinds) {
  using plain = tbb::enumerable_thread_specific<long>;
  using keyed = tbb::enumerable_thread_specific<long, std::allocator<long>, tbb::ets_key_per_instance>;
  plain numbers;
  tbb::parallel_for(0, count, [&](int i) { numbers.local() += i; });
  const auto sum_of = [](auto& of) { return of.combine(std::plus<>()); };
  const long sum = sum_of(numbers);
  const std::size_t size = numbers.size();
  keyed copied(numbers);
  plain assigned;
  assigned = copied;
  NOPAL_CHECK(sum_of(copied) == sum && sum_of(assigned) == sum && assigned.size() == size);
  keyed moved;
  moved = std::move(assigned);
  plain back(std::move(copied));
  NOPAL_CHECK(sum_of(moved) == sum && sum_of(back) == sum);
  NOPAL_CHECK(assigned.empty() && copied.empty());  // NOLINT(bugprone-use-after-move)
  // A range of constants of one that is not.
  const plain::const_range_type constants = back.range(1);
  NOPAL_CHECK(constants.size() == size);
  static_assert(std::is_const_v<plain::const_iterator::value_type>);

  tbb::enumerable_thread_specific<explicit_pair> of_two(explicit_pair::tag(), 7);
  NOPAL_CHECK(of_two.local().value == 7);
  tbb::enumerable_thread_specific<explicit_pair> of_one{explicit_pair::tag()};
  NOPAL_CHECK(of_one.local().value == 5);
  of_one = std::move(of_two);
  NOPAL_CHECK(of_one.size() == 1 && of_one.begin()->value == 7);
  return 0;
}

template <class Mutex>
void check_excludes() {
  Mutex mutex;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i != 5000; ++i) {
        if (i % 100 == 0) {
          typename Mutex::scoped_lock lock;
          if (!lock.try_acquire(mutex)) lock.acquire(mutex);
          ++counter;
          lock.release();
        } else {
          const typename Mutex::scoped_lock lock(mutex);
          ++counter;
        }
      }
    });
  }
  for (std::thread& each : threads) each.join();
  NOPAL_CHECK(counter == 20000);
}

template <class Mutex>
void check_shares() {
  check_excludes<Mutex>();
  Mutex mutex;
  const typename Mutex::scoped_lock reader(mutex, false);
  typename Mutex::scoped_lock second(mutex, false);
  typename Mutex::scoped_lock writer;
  NOPAL_CHECK(!writer.try_acquire(mutex, true));
  second.release();
}

NOPAL_PROGRAM(mutexes) {
  check_excludes<tbb::spin_mutex>();
  check_excludes<tbb::mutex>();
  check_excludes<tbb::recursive_mutex>();
  check_excludes<tbb::queuing_mutex>();
  check_shares<tbb::spin_rw_mutex>();
  check_shares<tbb::rw_mutex>();
  check_shares<tbb::queuing_rw_mutex>();
  tbb::null_mutex nothing;
  const tbb::null_mutex::scoped_lock lock(nothing);
  tbb::null_rw_mutex nothing_shared;
  const tbb::null_rw_mutex::scoped_lock shared(nothing_shared, false);
  return 0;
}

NOPAL_PROGRAM(upgrades) {
  tbb::spin_rw_mutex mutex;
  int value = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread != 3; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i != 3000; ++i) {
        tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
        const int seen = value;
        if (lock.upgrade_to_writer()) NOPAL_CHECK(value == seen);
        ++value;
        const int mine = value;
        lock.downgrade_to_reader();
        NOPAL_CHECK(value == mine);
      }
    });
  }
  for (std::thread& each : threads) each.join();
  NOPAL_CHECK(value == 9000);
  return 0;
}

NOPAL_PROGRAM(allocators) {
  std::vector<char, tbb::cache_aligned_allocator<char>> line(3);
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(line.data()) % 64 == 0);
  std::vector<int, tbb::tbb_allocator<int>> plain(1000, 1);
  const std::vector<int, tbb::scalable_allocator<int>> scalable(plain.begin(), plain.end());
  NOPAL_CHECK(scalable.back() == 1);
  // Larger ones begin with a line, wherever those before them ended; and each size is given back as it was taken.
  for (std::size_t size = 1; size < 10'000'000; size = size * 3 + 1) {
    const std::vector<char, tbb::tbb_allocator<char>> array(size, 'a');
    NOPAL_CHECK(size < 4096 || reinterpret_cast<std::uintptr_t>(array.data()) % 64 == 0);
    NOPAL_CHECK(array.back() == 'a');
  }
  tbb::cache_aligned_resource lines;
  std::pmr::vector<char> in_lines(70, 'a', &lines);
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(in_lines.data()) % 64 == 0);
  NOPAL_CHECK(lines == tbb::cache_aligned_resource(lines.upstream_resource()));
  void* const memory = scalable_aligned_malloc(100, 128);
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(memory) % 128 == 0);
  NOPAL_CHECK(scalable_msize(memory) >= 100);
  static_cast<char*>(memory)[99] = 'z';
  void* const larger = scalable_aligned_realloc(memory, 1000, 256);
  NOPAL_CHECK(reinterpret_cast<std::uintptr_t>(larger) % 256 == 0 && static_cast<char*>(larger)[99] == 'z');
  scalable_aligned_free(larger);
  void* aligned = nullptr;
  NOPAL_CHECK(scalable_posix_memalign(&aligned, 64, 10) == 0 &&
              reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
  scalable_free(aligned);
  NOPAL_CHECK(scalable_allocation_mode(TBBMALLOC_USE_HUGE_PAGES, 1) == TBBMALLOC_UNSUPPORTED);
  NOPAL_CHECK(scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr) == TBBMALLOC_NO_EFFECT);
  const tbb::tick_count before = tbb::tick_count::now();
  NOPAL_CHECK((tbb::tick_count::now() - before).seconds() >= 0);
  static_assert(tbb::tick_count::clock_type::is_steady);
  return 0;
}

/// A range that any lvalue makes, an empty one, and a constant range copies.
struct made_of_anything {
  made_of_anything(int first, int last) : begin(first), end(last) {}
  made_of_anything(const made_of_anything&) = default;
  template <class T>
  explicit made_of_anything(T& /*something*/) {}
  made_of_anything(made_of_anything& left, tbb::split)
      : begin(left.begin + (left.end - left.begin) / 2), end(left.end) {
    left.end = begin;
  }
  [[nodiscard]] bool empty() const { return begin == end; }
  [[nodiscard]] bool is_divisible() const { return end - begin > 1; }

  int begin = 0;
  int end = 0;
};

NOPAL_PROGRAM(ranges_made_of_anything) {
  const made_of_anything all(0, 100);
  std::atomic<int> sum{0};
  tbb::parallel_for(all, [&](const made_of_anything& part) { sum += part.end - part.begin; });
  NOPAL_CHECK(sum == 100);
  NOPAL_CHECK(tbb::parallel_reduce(
                  all, 0,
                  [](const made_of_anything& part, int before) { return before + part.end - part.begin; },
                  std::plus<>()) == 100);
  return 0;
}

class values : public support::program_at_workers {};

TEST_P(values, are_one_for_each_thread_that_asks) { EXPECT_TRUE(run("specific")); }
TEST_P(values, are_copied_and_moved_between_kinds) { EXPECT_TRUE(run("specific_of_other_kinds")); }
TEST_P(values, are_containers_seen_as_one) { EXPECT_TRUE(run("specific_containers")); }
TEST_P(values, that_are_ranges_are_copied_as_constants) { EXPECT_TRUE(run("ranges_made_of_anything")); }
TEST_P(values, convert_their_iterators_to_both_kinds) { EXPECT_TRUE(run("iterators_of_both_kinds")); }

INSTANTIATE_TEST_SUITE_P(tbb, values, testing::Values(1, 2, 7), testing::PrintToStringParamName());

TEST(mutexes, let_one_writer_or_many_readers_in) { EXPECT_TRUE(support::succeeds("mutexes")); }
TEST(mutexes, go_from_reading_to_writing_and_back) { EXPECT_TRUE(support::succeeds("upgrades")); }
TEST(allocators, align) { EXPECT_TRUE(support::succeeds("allocators")); }

}  // namespace
