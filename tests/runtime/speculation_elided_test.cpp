// The serial elision of scopes that can be stopped, in a program that has the parallel ones too.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include <nopal/parallel.hpp>
#include <nopal/speculate.hpp>

#ifndef NOPAL_ELIDE
#error "this file is about the elision"
#endif

namespace {

TEST(elided_speculation, skips_children_of_a_stopped_scope) {
  nopal::cancel_scope s;
  std::vector<int> got;
  for (int i = 0; i < 10; ++i) {
    s.fork_inlet(
        [&](int value) {
          got.push_back(value);
          if (value == 4) s.request_stop();
        },
        [](int value) { return value; }, i);
  }
  s.join();
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(nopal::stop_requested());
  EXPECT_FALSE(nopal::shield([] { return nopal::stop_requested(); }));
  int out = 7;
  s.fork_into(out, [] { return 8; });
  EXPECT_EQ(out, 7);
}

TEST(elided_speculation, unwinds_to_its_scope) {
  int reached = 0;
  nopal::cancel_scope s{nopal::on_stop::unwind};
  s.fork([&] {
    ++reached;
    s.request_stop();
    nopal::poll();
    reached += 100;
  });
  s.join();
  nopal::poll();
  EXPECT_EQ(reached, 1);
}

TEST(elided_speculation, unwinds_a_scope_inside_of_a_stopped_one) {
  int reached = 0;
  nopal::cancel_scope outer;
  outer.fork([&] {
    nopal::cancel_scope inner{nopal::on_stop::unwind};
    inner.fork([&] {
      outer.request_stop();
      nopal::poll();
      reached += 100;
    });
    inner.join();
    nopal::poll();
    ++reached;
  });
  outer.join();
  EXPECT_EQ(reached, 1);
}

TEST(elided_speculation, searches_and_races_as_the_serial_program) {
  const auto children = [](int of) {
    return of < 100 ? std::vector<int>{2 * of + 1, 2 * of + 2} : std::vector<int>{};
  };
  std::vector<int> visited;
  const auto accept = [&visited](int node) {
    visited.push_back(node);
    return node == 9;
  };
  EXPECT_EQ(nopal::parallel_find_first(0, children, accept), std::optional<int>(9));
  EXPECT_EQ(visited.back(), 9);
  EXPECT_EQ(nopal::parallel_find_any(0, children, accept), std::optional<int>(9));
  EXPECT_EQ(nopal::parallel_race([] { return 1; }, [] { return 2; }), 1);
  EXPECT_EQ(nopal::parallel_find_any(visited, [](int node) { return node == 9; }) - visited.begin(),
            static_cast<std::ptrdiff_t>(visited.size() / 2 - 1));
}

TEST(elided_speculation, races_go_on_after_one_that_throws) {
  EXPECT_EQ(nopal::parallel_race([]() -> int { throw 3; }, [] { return 4; }), 4);
  int caught = 0;
  try {
    static_cast<void>(nopal::parallel_race([]() -> int { throw 3; }, []() -> int { throw 4; }));
  } catch (int what) {
    caught = what;
  }
  EXPECT_EQ(caught, 3);
}

}  // namespace
