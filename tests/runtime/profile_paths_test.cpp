// The parts of the critical path: however the program forks, and whenever the profile is written, they add up
// to the span, and each site has its own.

#include <gtest/gtest.h>
#include <nopal/nopal.hpp>
#include <oneapi/tbb/task_group.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "profiled.hpp"

namespace {

INSTANTIATE_TEST_SUITE_P(workers, profiled, testing::Values(1, 2, 4));

/// Of all parts.
std::uint64_t path_in(const std::string& text) {
  std::uint64_t sum = 0;
  for (std::size_t at = text.find("{\"path\":["); at != std::string::npos;
       at = text.find("{\"path\":[", at + 1)) {
    sum += std::strtoull(text.c_str() + text.find("\"ns\":", at) + 5, nullptr, 10);
  }
  return sum;
}

std::uint64_t of_site(const std::string& text, int site, const char* what) {
  return numbers_of(text, "{\"site\":" + std::to_string(site) + ",")[what];
}

TEST_P(profiled, parts_of_a_path_that_ends_in_the_midst_are_those_of_regions_that_were_over) {
  tree(3, 100);
  nopal::scope s;
  s.fork(tree, 3, std::uint64_t{50});
  spend(5000);
  static_cast<void>(nopal::work_span::now());  // the piece ends
  const std::string all = text();
  s.join();
  EXPECT_NE(all.find("\"complete\":false"), std::string::npos);
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], 100U);
  EXPECT_EQ(path_in(all), 100U);
}

TEST_P(profiled, the_path_is_that_of_the_thread_whose_regions_are_the_longest) {
  tree(1, 10);
  spend(10'000);
  std::thread other([] { tree(4, 500); });
  other.join();
  tree(1, 20);
  const std::string all = text();
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], 500U);
  EXPECT_EQ(path_in(all), 500U);
}

TEST_P(profiled, the_path_is_that_of_a_task_where_this_is_the_longest) {
  tree(2, 100);
  tbb::task_group group;
  group.run([] { tree(2, 40); });
  group.run([] {
    spend(200);
    tree(2, 300);
  });
  group.wait();
  const std::string all = text();
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], 500U);
  EXPECT_EQ(path_in(all), 500U);
}

/// A site for each number: a child that takes that much more than `ns`, and calls `then`.
template <int Number>
[[gnu::noinline]] void fork_here(std::uint64_t ns, void (*then)(unsigned), unsigned argument) {
  nopal::scope s;
  s.fork([=] {
    spend(ns + Number);
    if (then != nullptr) then(argument);
  });
  s.join();
}

template <int... Numbers>
constexpr auto all_forks(std::integer_sequence<int, Numbers...> /*numbers*/) {
  return std::array{&fork_here<Numbers>...};
}
constexpr int forks = 20;
constexpr auto fork_at = all_forks(std::make_integer_sequence<int, forks>());

TEST_P(profiled, what_is_outside_is_no_part_of_the_path_however_many_parts_there_are) {
  tree(1, 1);
  spend(10);
  {
    nopal::scope s;
    s.fork([] {
      for (const auto each : fork_at) each(1000, nullptr, 0);
    });
    s.join();
  }
  spend(10);
  tree(1, 1);
  const std::string all = text();
  EXPECT_EQ(path_in(all), 1 + forks * 1000 + forks * (forks - 1) / 2 + 1U);
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], path_in(all));
}

/// A record and its parts go from thread to thread at each fork. ThreadSanitizer once saw a race in how they are
/// put together.
TEST_P(profiled, parts_that_are_put_together_by_one_thread_after_another_add_up) {
  if (GetParam() > 1) setenv("NOPAL_STEAL", "always", 1);
  {
    nopal::scope s;
    s.fork([] {
      for (const auto each : fork_at) each(1000, nullptr, 0);
    });
    s.join();
  }
  unsetenv("NOPAL_STEAL");
  const std::string all = text();
  EXPECT_EQ(path_in(all), forks * 1000U + forks * (forks - 1) / 2);
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], path_in(all));
}

[[gnu::noinline]] void fork_leaf(unsigned /*unused*/) {
  nopal::scope s;
  s.fork([] { spend(5000); });
  s.join();
}

TEST_P(profiled, a_site_within_more_sites_than_have_room_has_all_of_its_part) {
  fork_leaf(0);  // the first site
  for (const auto each : fork_at) each(1, fork_leaf, 0);
  const std::string all = text();
  EXPECT_EQ(of_site(all, 2, "path_ns"), (forks + 1) * 5000U);
  EXPECT_EQ(numbers_of(all, "{\"nopal_profile\"")["span_ns"], path_in(all));
}

/// Each order of the sites that are left is a nest.
void fork_in_each_order(unsigned left) {
  for (unsigned i = 0; i < 8; ++i) {
    if ((left >> i & 1U) == 0) continue;
    fork_at[i](100, fork_in_each_order, left & ~(1U << i));
  }
}

TEST_P(profiled, sites_have_their_parts_also_in_more_nests_than_are_told_apart) {
  fork_in_each_order(255);
  const std::string all = text();
  std::uint64_t path = 0;
  for (int site = 2; site < 10; ++site) {
    EXPECT_EQ(of_site(all, site, "forks"), 13700U);  // 1 + 7 + 7 * 6 ... + 7!
    path += of_site(all, site, "path_ns");
  }
  // Each is forked by itself, so all of the work is the path.
  EXPECT_EQ(path, numbers_of(all, "{\"nopal_profile\"")["span_ns"]);
  EXPECT_EQ(of_site(all, 1, "path_ns"), 0U);
}

/// Throws through all forks of the recursion.
void throw_from(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  nopal::scope s;
  s.fork(throw_from, depth - 1);
  s.join();
}

TEST_P(profiled, regions_go_on_after_an_exception_from_deep_within) {
  for (const int depth : {1, 3, 100, 1000}) {
    EXPECT_THROW(throw_from(depth), std::runtime_error);
    spend(50);
  }
  tree(3, 100);
  const std::string all = text();
  auto numbers = numbers_of(all, "{\"nopal_profile\"");
  EXPECT_NE(all.find("\"complete\":true"), std::string::npos);
  EXPECT_EQ(numbers["work_ns"], 800U);
  EXPECT_EQ(numbers["span_ns"], 100U);
  EXPECT_EQ(numbers["outside_ns"], 200U);
  EXPECT_EQ(numbers["regions"], 5U);
  EXPECT_EQ(path_in(all), 100U);
}

}  // namespace
