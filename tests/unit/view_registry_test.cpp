// Reducers by number: when a number is used again, what happens to views of reducers that have ended, whom an end waits for.
#include "view/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "view_world.hpp"

namespace {

using view_world::functions;
using view_world::made_reducer;
using view_world::reducers;
using view_world::text;

std::uint32_t number_of_the_next() {
  const auto next = made_reducer();
  reducers().end(next->id);
  return next->id;
}

TEST(view_registry, gives_numbers_that_differ_and_are_not_zero) {
  std::set<std::uint32_t> seen;
  std::vector<std::unique_ptr<view_world::string_reducer>> all;
  for (int i = 0; i < 10000; ++i) {  // more than a block of entries
    all.push_back(made_reducer());
    EXPECT_TRUE(seen.insert(all.back()->id).second);
  }
  for (const auto& one : all) EXPECT_EQ(reducers().leftmost(one->id), &one->own);
  for (const auto& one : all) reducers().end(one->id);
}

TEST(view_registry, gives_the_number_of_an_ended_reducer_again_if_nobody_holds_a_view) {
  const auto one = made_reducer();
  reducers().end(one->id);
  EXPECT_EQ(number_of_the_next(), one->id);
  EXPECT_EQ(number_of_the_next(), one->id);
}

TEST(view_registry, gives_a_number_that_a_set_knows_again_only_when_the_last_view_is_gone) {
  const auto one = made_reducer();
  void* const first = reducers().create(one->id);
  void* const second = reducers().create(one->id);
  reducers().hold(one->id);
  reducers().hold(one->id);
  reducers().end(one->id);
  EXPECT_NE(number_of_the_next(), one->id);
  reducers().drop(one->id, first);
  EXPECT_NE(number_of_the_next(), one->id);
  reducers().drop(one->id, second);
  EXPECT_EQ(number_of_the_next(), one->id);
  EXPECT_EQ(one->destructions, 2);
}

TEST(view_registry, keeps_the_number_of_a_reducer_that_lives_when_its_views_go) {
  const auto one = made_reducer();
  reducers().hold(one->id);
  reducers().drop(one->id, reducers().create(one->id));
  EXPECT_NE(number_of_the_next(), one->id);
  reducers().end(one->id);
  EXPECT_EQ(number_of_the_next(), one->id);
}

TEST(view_registry, never_destroys_the_reducers_own_value) {
  const auto one = made_reducer();
  reducers().hold(one->id);
  reducers().drop(one->id, &one->own);
  EXPECT_EQ(one->destructions, 0);
  reducers().hold(one->id);
  reducers().end(one->id);
  reducers().drop(one->id, &one->own);
  EXPECT_EQ(one->destructions, 0);
  EXPECT_EQ(number_of_the_next(), one->id);
}

TEST(view_registry, reduces_views_of_a_reducer_that_lives) {
  const auto one = made_reducer();
  text left("left ");
  text right("right");
  reducers().reduce(one->id, &left, &right);
  EXPECT_EQ(left.said, "left right");
  reducers().end(one->id);
}

TEST(view_registry, reduces_nothing_of_a_reducer_that_ended) {
  const auto one = made_reducer();
  text left("left");
  text right("right");
  reducers().hold(one->id);
  reducers().end(one->id);
  reducers().reduce(one->id, &left, &right);
  EXPECT_EQ(left.said, "left");
  EXPECT_EQ(one->reductions, 0);
  reducers().let_go(one->id);
}

TEST(view_registry, lets_a_reducer_end_whose_reduction_threw) {
  const auto one = made_reducer();
  one->throws = true;
  text left;
  text right;
  EXPECT_THROW(reducers().reduce(one->id, &left, &right), view_world::refused);
  reducers().end(one->id);
  EXPECT_EQ(number_of_the_next(), one->id);
}

/// A reduction that goes on until somebody has begun to end its reducer, and a while longer.
struct slow_reducer {
  std::atomic<bool> reducing{false};
  std::atomic<bool> ending{false};
  std::atomic<bool> reduced{false};
};

void reduce_slowly(void* object, void*, void*) {
  auto& self = *static_cast<slow_reducer*>(object);
  self.reducing = true;
  while (!self.ending) std::this_thread::yield();
  for (int i = 0; i < 300; ++i) std::this_thread::yield();
  self.reduced = true;
}

TEST(view_registry, ends_a_reducer_after_the_reduction_that_is_under_way) {
  for (int round = 0; round < 5; ++round) {
    slow_reducer slow;
    int views[2];
    const nopal_view_functions slowly{nullptr, reduce_slowly, [](void*, void*) {}, nullptr};
    const std::uint32_t id = reducers().enter(slowly, &slow, views);
    reducers().hold(id);
    std::thread other([&] { reducers().reduce(id, &views[0], &views[1]); });
    while (!slow.reducing) std::this_thread::yield();
    slow.ending = true;
    reducers().end(id);
    EXPECT_TRUE(slow.reduced);
    other.join();
    reducers().let_go(id);
    EXPECT_EQ(number_of_the_next(), id);
  }
}

/// What happens while an end waits.
void (*at_wait)() = nullptr;

TEST(view_registry, gives_no_number_again_whose_end_still_waits) {
  static slow_reducer slow;
  static std::thread other;
  static std::uint32_t id;
  static int views[2];
  const nopal_view_functions slowly{nullptr, reduce_slowly, [](void*, void*) {}, nullptr};
  id = reducers().enter(slowly, &slow, views);
  reducers().hold(id);
  other = std::thread([] {
    reducers().reduce(id, &views[0], &views[1]);
    reducers().drop(id, &views[1]);
  });
  while (!slow.reducing) std::this_thread::yield();
  at_wait = [] {
    slow.ending = true;
    other.join();  // nobody but the end knows the reducer now
    EXPECT_NE(number_of_the_next(), id);
  };
  reducers().end(id, [](int round) noexcept {
    EXPECT_EQ(round, 0);
    at_wait();
  });
  EXPECT_TRUE(slow.reduced);
  EXPECT_EQ(number_of_the_next(), id);
}

TEST(view_registry, gives_its_memory_back_when_no_number_is_known_and_begins_anew) {
  static constinit nopal::internal::view::registry all;
  int value = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint32_t> ids;
    for (int i = 0; i < 2000; ++i) ids.push_back(all.enter(functions, nullptr, &value));
    EXPECT_EQ(ids.front(), 1U);
    all.hold(ids.front());
    for (const std::uint32_t id : ids) all.end(id);
    all.trim();  // a view is in a set
    EXPECT_TRUE(all.has_ended(ids.front()));
    all.let_go(ids.front());
    all.trim();
  }
}

TEST(view_registry, serves_many_threads_with_numbers_that_no_two_have) {
  std::atomic<int> twice{0};
  static std::atomic<int> holders[1 << 16];
  const auto work = [&twice] {
    text own;
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t id = reducers().enter(functions, nullptr, &own);
      twice += holders[id].fetch_add(1) != 0 ? 1 : 0;
      reducers().hold(id);
      holders[id].fetch_sub(1);
      if (i % 2 == 0) {
        reducers().end(id);
        reducers().drop(id, &own);
      } else {
        reducers().drop(id, &own);
        reducers().end(id);
      }
    }
  };
  std::thread first(work);
  std::thread second(work);
  work();
  first.join();
  second.join();
  EXPECT_EQ(twice, 0);
}

}  // namespace
