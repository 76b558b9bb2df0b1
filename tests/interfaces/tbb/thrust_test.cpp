// Thrust's backend for oneTBB on these headers.
#include <gtest/gtest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/program.hpp"

namespace {

constexpr int count = 300000;

std::vector<int> numbers() {
  std::vector<int> result(count);
  unsigned state = 1;
  for (int& number : result) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<int>(state >> 20U);
  }
  return result;
}

template <class T>
std::vector<T> on_host(const thrust::device_vector<T>& values) {
  std::vector<T> result(values.size());
  thrust::copy(values.begin(), values.end(), result.begin());
  return result;
}

NOPAL_PROGRAM(thrust_reduces) {
  const std::vector<int> host = numbers();
  const thrust::device_vector<int> device(host.begin(), host.end());
  NOPAL_CHECK(thrust::reduce(device.begin(), device.end(), 0L) ==
              std::accumulate(host.begin(), host.end(), 0L));
  NOPAL_CHECK(thrust::reduce(device.begin(), device.end(), 0, thrust::maximum<int>()) ==
              *std::max_element(host.begin(), host.end()));
  return 0;
}

NOPAL_PROGRAM(thrust_scans) {
  const std::vector<int> host = numbers();
  const thrust::device_vector<int> device(host.begin(), host.end());
  thrust::device_vector<int> sums(count);
  std::vector<int> expected(count);
  thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
  std::inclusive_scan(host.begin(), host.end(), expected.begin());
  NOPAL_CHECK(on_host(sums) == expected);
  thrust::exclusive_scan(device.begin(), device.end(), sums.begin(), 7);
  std::exclusive_scan(host.begin(), host.end(), expected.begin(), 7);
  NOPAL_CHECK(on_host(sums) == expected);
  thrust::device_vector<int> even(count);
  const auto is_even = [](int number) { return number % 2 == 0; };
  even.erase(thrust::copy_if(device.begin(), device.end(), even.begin(), is_even), even.end());
  expected.clear();
  std::copy_if(host.begin(), host.end(), std::back_inserter(expected), is_even);
  NOPAL_CHECK(on_host(even) == expected);
  return 0;
}

NOPAL_PROGRAM(thrust_sorts) {
  std::vector<int> host = numbers();
  thrust::device_vector<int> device(host.begin(), host.end());
  thrust::device_vector<int> places(count);
  std::vector<int> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  thrust::copy(expected.begin(), expected.end(), places.begin());
  std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
    return host[static_cast<std::size_t>(a)] < host[static_cast<std::size_t>(b)];
  });
  thrust::stable_sort_by_key(device.begin(), device.end(), places.begin());
  std::sort(host.begin(), host.end());
  NOPAL_CHECK(on_host(device) == host);
  NOPAL_CHECK(on_host(places) == expected);
  thrust::sort(device.begin(), device.end(), thrust::greater<int>());
  std::reverse(host.begin(), host.end());
  NOPAL_CHECK(on_host(device) == host);
  device.erase(thrust::unique(device.begin(), device.end()), device.end());
  host.erase(std::unique(host.begin(), host.end()), host.end());
  NOPAL_CHECK(on_host(device) == host);
  return 0;
}

class thrust_on_nopal : public support::program_at_workers {};

TEST_P(thrust_on_nopal, reduces) { EXPECT_TRUE(run("thrust_reduces")); }
TEST_P(thrust_on_nopal, scans_and_selects) { EXPECT_TRUE(run("thrust_scans")); }
TEST_P(thrust_on_nopal, sorts) { EXPECT_TRUE(run("thrust_sorts")); }

INSTANTIATE_TEST_SUITE_P(tbb, thrust_on_nopal, testing::Values(1, 2, 7), testing::PrintToStringParamName());

}  // namespace
