// libstdc++'s parallel algorithms in scopes and groups that are stopped: they have no way to say that they were cut short, so
// they are done wholly.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <nopal/nopal.hpp>
#include <tbb/task_group.h>

#include "support/program.hpp"

namespace {

using std::execution::par;
using texts = std::vector<std::string>;

/// On the heap each, so that one that is lost, or was never made, does harm.
texts some_texts() {
  constexpr std::size_t count = 3000;
  texts result(count);
  for (std::size_t i = 0; i != count; ++i) {
    result[i] = "a string that is long enough to be on the heap " + std::to_string(10000 + i * 7919 % count);
  }
  return result;
}

/// Calls `f(less)` in a scope that is stopped by the call of `less` with that number; 0: before.
template <class F>
void call_in_stopped_scope(long number, const F& f) {
  nopal::cancel_scope all;
  all.fork([&] {
    std::atomic<long> calls = 0;
    if (number == 0) static_cast<void>(all.request_stop());
    f([&](const std::string& a, const std::string& b) {
      if (calls.fetch_add(1) + 1 == number) static_cast<void>(all.request_stop());
      return a < b;
    });
  });
  all.join();
}

/// The same in a group of tasks that is cancelled.
template <class F>
void call_in_cancelled_group(long number, const F& f) {
  tbb::task_group group;
  group.run_and_wait([&] {
    std::atomic<long> calls = 0;
    if (number == 0) group.cancel();
    f([&](const std::string& a, const std::string& b) {
      if (calls.fetch_add(1) + 1 == number) group.cancel();
      return a < b;
    });
  });
}

/// `f(values, less)` has the result that it has where nothing is stopped.
template <class F>
void is_whole(const F& f) {
  const texts before = some_texts();
  texts expected = before;
  const auto result = f(expected, std::less<std::string>());
  for (const long number : {0, 1, 100, 1000, 5000, 15000}) {
    texts values = before;
    auto found = result;
    call_in_stopped_scope(number, [&](const auto& less) { found = f(values, less); });
    NOPAL_CHECK(values == expected && found == result);
    values = before;
    call_in_cancelled_group(number, [&](const auto& less) { found = f(values, less); });
    NOPAL_CHECK(values == expected && found == result);
  }
}

NOPAL_PROGRAM(stopped_sorts) {
  is_whole([](texts& all, const auto& less) {
    std::sort(par, all.begin(), all.end(), less);
    return 0;
  });
  is_whole([](texts& all, const auto& less) {
    std::stable_sort(par, all.begin(), all.end(), less);
    return 0;
  });
  is_whole([](texts& all, const auto& less) {
    std::sort(all.begin(), all.begin() + 1500);
    std::sort(all.begin() + 1500, all.end());
    std::inplace_merge(par, all.begin(), all.begin() + 1500, all.end(), less);
    return 0;
  });
  return 0;
}

NOPAL_PROGRAM(stopped_sets) {
  is_whole([](texts& all, const auto& less) {
    std::sort(all.begin(), all.end());
    texts out(2 * all.size());
    out.erase(std::set_union(par, all.begin(), all.end(), all.begin(), all.begin() + 100, out.begin(), less),
              out.end());
    return out;
  });
  is_whole([](texts& all, const auto& less) {
    texts out(all.size());
    out.erase(std::copy_if(par, all.begin(), all.end(), out.begin(),
                           [&](const std::string& one) {
                             return !less(one, "a string that is long enough to be on the heap 11000");
                           }),
              out.end());
    return out;
  });
  is_whole([](texts& all, const auto& less) {
    const std::string last = "a string that is long enough to be on the heap 11000";
    all.erase(
        std::remove_if(par, all.begin(), all.end(), [&](const std::string& one) { return less(one, last); }),
        all.end());
    return 0;
  });
  return 0;
}

NOPAL_PROGRAM(stopped_sums) {
  is_whole([](texts& all, const auto& less) {
    return std::reduce(par, all.begin(), all.end(), all.front(),
                       [&](const std::string& a, const std::string& b) { return less(a, b) ? b : a; });
  });
  is_whole([](texts& all, const auto& less) {
    texts out(all.size());
    std::inclusive_scan(par, all.begin(), all.end(), out.begin(),
                        [&](const std::string& a, const std::string& b) { return less(a, b) ? b : a; });
    return out;
  });
  is_whole([](texts& all, const auto& less) {
    std::for_each(par, all.begin(), all.end(), [&](std::string& one) {
      if (!less(one, std::string())) one += "!";
    });
    return *std::max_element(par, all.begin(), all.end(), less);
  });
  return 0;
}

/// What calls isolate for itself is stopped as ever.
NOPAL_PROGRAM(stopped_loops) {
  long calls = 0;
  call_in_stopped_scope(0, [&](const auto& /*less*/) {
    tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, 1000, [&](int) { ++calls; }); });
  });
  NOPAL_CHECK(calls == 0);
  return 0;
}

class parallel_stl_stops : public support::program_at_workers {};

TEST_P(parallel_stl_stops, leave_sorts_whole) { EXPECT_TRUE(run("stopped_sorts")); }
TEST_P(parallel_stl_stops, leave_sets_whole) { EXPECT_TRUE(run("stopped_sets")); }
TEST_P(parallel_stl_stops, leave_sums_whole) { EXPECT_TRUE(run("stopped_sums")); }
TEST_P(parallel_stl_stops, cut_loops_short) { EXPECT_TRUE(run("stopped_loops")); }

INSTANTIATE_TEST_SUITE_P(tbb, parallel_stl_stops, testing::Values(1, 2, 7),
                         testing::PrintToStringParamName());

}  // namespace
