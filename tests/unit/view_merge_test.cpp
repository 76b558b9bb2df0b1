// Two sets of views that become one: in serial order whichever is the larger, with what reductions throw, nothing lost twice.
#include "view/merge.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "view_world.hpp"

namespace {

using nopal::internal::view::view_set;
using view_world::add;
using view_world::made_reducer;
using view_world::made_set;
using view_world::owned_set;
using view_world::reducers;
using view_world::said;
using view_world::string_reducer;
using view_world::text;

struct merging {
  owned_set left = made_set();
  owned_set right = made_set();
  bool left_is_base = false;
  int failures = 0;
  view_set* emptied = nullptr;

  view_set* merged() {
    const auto failed = [](void* context) {
      EXPECT_THROW(throw, view_world::refused);
      ++static_cast<merging*>(context)->failures;
    };
    return nopal::internal::view::merge({reducers(), failed, this}, left.get(), left_is_base, right.get(),
                                        emptied);
  }
};

using some_reducers = std::vector<std::unique_ptr<string_reducer>>;

some_reducers made_reducers(int count) {
  some_reducers made;
  for (int i = 0; i < count; ++i) made.push_back(made_reducer());
  return made;
}

void end(const some_reducers& all) {
  for (const auto& one : all) reducers().end(one->id);
}

/// Each kind of numbers meets each kind of views: with a slot, and found by hashing.
some_reducers beyond_the_slots() {
  static some_reducers fillers = [] {
    return made_reducers(static_cast<int>(nopal::internal::view::slot_count));
  }();
  return made_reducers(4);
}

void in_order_whichever_is_larger(const some_reducers& all) {
  const long before = text::alive;
  for (int larger = 0; larger < 3; ++larger) {
    merging m;
    add(*m.left, *all[0], "l0 ");
    add(*m.right, *all[0], "r0");
    add(*m.left, *all[1], "l1");
    add(*m.right, *all[2], "r2");
    if (larger != 0) add(larger == 1 ? *m.left : *m.right, *all[3], "more");
    view_set* const both = m.merged();
    ASSERT_TRUE(both == m.left.get() || both == m.right.get());
    EXPECT_EQ(m.emptied, both == m.left.get() ? m.right.get() : m.left.get());
    EXPECT_EQ(said(*both, *all[0]), "l0 r0");
    EXPECT_EQ(said(*both, *all[1]), "l1");
    EXPECT_EQ(said(*both, *all[2]), "r2");
    EXPECT_EQ(said(*both, *all[3]), larger == 0 ? "(none)" : "more");
    EXPECT_EQ(m.emptied->size(), 0u);
    EXPECT_EQ(all[0]->own.said, "");
    nopal::internal::view::drop_all(reducers(), both);
    EXPECT_EQ(both->size(), 0u);
    EXPECT_EQ(text::alive, before);
  }
}

TEST(view_merge, keeps_the_order_whichever_set_is_larger) {
  const some_reducers all = made_reducers(4);
  in_order_whichever_is_larger(all);
  end(all);
}

TEST(view_merge, keeps_the_order_of_reducers_without_a_slot) {
  const some_reducers all = beyond_the_slots();
  EXPECT_GE(all[0]->id, nopal::internal::view::slot_count);
  in_order_whichever_is_larger(all);
  end(all);
}

TEST(view_merge, goes_on_with_the_one_set_there_is) {
  const auto one = made_reducer();
  merging m;
  add(*m.right, *one, "right");
  view_set* emptied = m.right.get();
  const nopal::internal::view::merge_context with{reducers(), [](void*) {}, nullptr};
  EXPECT_EQ(nopal::internal::view::merge(with, nullptr, false, m.right.get(), emptied), m.right.get());
  EXPECT_EQ(emptied, nullptr);
  emptied = m.right.get();
  EXPECT_EQ(nopal::internal::view::merge(with, m.right.get(), false, nullptr, emptied), m.right.get());
  EXPECT_EQ(emptied, nullptr);
  EXPECT_EQ(nopal::internal::view::merge(with, nullptr, false, nullptr, emptied), nullptr);
  EXPECT_EQ(nopal::internal::view::merge(with, nullptr, true, nullptr, emptied), nullptr);
  EXPECT_EQ(said(*m.right, *one), "right");
  nopal::internal::view::drop_all(reducers(), m.right.get());
  reducers().end(one->id);
}

TEST(view_merge, into_a_threads_first_strand_reaches_the_reducers_own_value) {
  const some_reducers all = made_reducers(3);
  const long before = text::alive;
  for (auto& one : all) one->own.said = "own ";
  merging m;
  m.left_is_base = true;
  add(*m.left, all[0]->id, &all[0]->own);  // used by the first strand; the others were not
  for (const auto& one : all) add(*m.right, *one, "right");
  view_set* const both = m.merged();
  EXPECT_EQ(both, m.left.get());
  EXPECT_EQ(m.emptied, m.right.get());
  for (const auto& one : all) EXPECT_EQ(one->own.said, "own right");
  EXPECT_EQ(text::alive, before);
  nopal::internal::view::drop_all(reducers(), both);
  for (const auto& one : all) EXPECT_EQ(one->destructions, 1);
  end(all);
}

TEST(view_merge, into_a_first_strand_without_a_set_reaches_the_reducers_own_value) {
  const auto one = made_reducer();
  merging m;
  add(*m.right, *one, "right");
  view_set* emptied = nullptr;
  const nopal::internal::view::merge_context with{reducers(), [](void*) {}, nullptr};
  EXPECT_EQ(nopal::internal::view::merge(with, nullptr, true, m.right.get(), emptied), nullptr);
  EXPECT_EQ(emptied, m.right.get());
  EXPECT_EQ(one->own.said, "right");
  reducers().end(one->id);
}

/// A reducer that a stolen strand made has its own value in the right set, and the first strand looks there too.
TEST(view_merge, of_the_reducers_own_value_with_itself_changes_nothing) {
  const auto one = made_reducer();
  one->own.said = "own";
  merging m;
  m.left_is_base = true;
  add(*m.right, one->id, &one->own);
  EXPECT_EQ(m.merged(), m.left.get());
  EXPECT_EQ(one->own.said, "own");
  EXPECT_EQ(one->reductions + one->destructions, 0);
  reducers().end(one->id);
  const auto next = made_reducer();
  EXPECT_EQ(next->id, one->id);  // the holder was let go
  reducers().end(next->id);
}

TEST(view_merge, loses_the_right_view_alone_when_a_reduction_throws) {
  for (int larger = 0; larger < 3; ++larger) {
    const some_reducers all = made_reducers(3);
    const long before = text::alive;
    all[1]->throws = true;
    merging m;
    m.left_is_base = larger == 2;
    for (const auto& one : all) {
      add(*m.left, *one, "left ");
      add(*m.right, *one, "right");
    }
    const auto more = made_reducer();
    if (larger == 1) add(*m.right, *more, "more");
    view_set* const both = m.merged();
    EXPECT_EQ(both, larger == 1 ? m.right.get() : m.left.get());
    EXPECT_EQ(m.failures, 1);
    EXPECT_EQ(said(*both, *all[0]), "left right");
    EXPECT_EQ(said(*both, *all[1]), "left ");
    EXPECT_EQ(said(*both, *all[2]), "left right");
    nopal::internal::view::drop_all(reducers(), both);
    reducers().end(more->id);
    EXPECT_EQ(text::alive - 1, before);  // `more`
    end(all);
  }
}

TEST(view_merge, drops_views_of_reducers_that_have_ended) {
  const some_reducers all = made_reducers(2);
  const long before = text::alive;
  merging m;
  add(*m.left, *all[0], "left");
  add(*m.right, *all[0], "right");
  add(*m.right, *all[1], "right");
  end(all);
  view_set* const both = m.merged();
  EXPECT_EQ(all[0]->reductions, 0);
  nopal::internal::view::drop_all(reducers(), both);
  EXPECT_EQ(text::alive, before);
  EXPECT_EQ(all[0]->destructions, 2);
  EXPECT_EQ(all[1]->destructions, 1);
}

TEST(view_merge, of_random_sets_gives_each_reducer_its_serial_text) {
  std::mt19937 random(11);
  const some_reducers all = made_reducers(40);
  const long before = text::alive;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> expected(all.size());
    owned_set so_far = made_set();
    for (int i = 0; i < 5; ++i) {
      merging m;
      m.left = std::move(so_far);
      const std::uint32_t density = 1 + view_world::below(random, 6);
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (view_world::below(random, density) != 0) continue;
        const std::string word = std::to_string(i) + " ";
        add(*m.right, *all[k], word.c_str());
        expected[k] += word;
      }
      const view_set* const both = m.merged();
      so_far = std::move(both == m.left.get() ? m.left : m.right);
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      ASSERT_EQ(said(*so_far, *all[k]), expected[k].empty() ? "(none)" : expected[k]);
    }
    nopal::internal::view::drop_all(reducers(), so_far.get());
    ASSERT_EQ(text::alive, before);
  }
  end(all);
}

}  // namespace
