// Views that are words: they lie in the sets, move with their values, and are never made or destroyed one by one.
#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <random>
#include <vector>

#include "view/merge.hpp"
#include "view_world.hpp"

namespace {

using nopal::internal::view::view_set;
using view_world::made_set;
using view_world::owned_set;
using view_world::reducers;

/// x -> a x + b: maps one after the other, which do not commute.
struct affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  bool operator==(const affine&) const = default;
};
static_assert(sizeof(affine) == 8);

affine then(affine first, affine next) { return {next.a * first.a, next.a * first.b + next.b}; }

int alone = 0;  // views made one by one
bool throws = false;

constexpr nopal_view_functions functions{[](void*) -> void* {
                                           ++alone;
                                           return new affine;
                                         },
                                         [](void*, void* left, void* right) {
                                           if (throws) throw view_world::refused();
                                           auto& one = *static_cast<affine*>(left);
                                           one = then(one, *static_cast<affine*>(right));
                                         },
                                         [](void*, void* view) {
                                           --alone;
                                           delete static_cast<affine*>(view);
                                         },
                                         [](void*, void* memory) { ::new (memory) affine; }};

std::uint32_t made_word(bool watched = false) {
  const std::uint32_t id = reducers().enter(functions, nullptr, nullptr, watched);
  EXPECT_NE(id, 0u);
  ::new (reducers().leftmost(id)) affine;
  return id;
}

void add(view_set& set, std::uint32_t id, affine value) {
  void* const place = set.word(id);
  ::new (place) affine(value);
  EXPECT_TRUE(set.insert(id, place));
  reducers().hold(id);
}

affine at(const void* view) {
  affine value;
  std::memcpy(&value, view, sizeof value);
  return value;
}

affine any(std::mt19937& random) {
  return {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
}

struct merging {
  owned_set left = made_set();
  owned_set right = made_set();
  int failures = 0;
  view_set* emptied = nullptr;

  view_set* merged(bool left_is_base = false) {
    return nopal::internal::view::merge(
        {reducers(), [](void* context) { ++static_cast<merging*>(context)->failures; }, this}, left.get(),
        left_is_base, right.get(), emptied);
  }
};

TEST(view_words, keep_the_order_whichever_set_is_larger) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    merging sets;
    std::vector<std::uint32_t> ids;
    std::vector<affine> expected;
    const std::size_t leaning = random() % 5;
    for (int i = 0; i < 20; ++i) {
      ids.push_back(made_word());
      expected.emplace_back();
      for (view_set* const set : {sets.left.get(), sets.right.get()}) {
        if (random() % 6 < (set == sets.left.get() ? leaning : 5 - leaning)) continue;
        const affine value = any(random);
        add(*set, ids.back(), value);
        expected.back() = then(expected.back(), value);
      }
    }
    view_set* const both = sets.merged();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const void* const view = both->find(ids[i]);
      EXPECT_EQ(view != nullptr ? at(view) : affine{}, expected[i]);
      EXPECT_TRUE(view == nullptr || both->is_word(ids[i], view));
    }
    EXPECT_EQ(sets.emptied->size(), 0u);
    nopal::internal::view::drop_all(reducers(), both);
    for (const std::uint32_t id : ids) reducers().end(id);
    EXPECT_EQ(made_word(), ids.back()) << "a number is held still";
    reducers().end(ids.back());
  }
  EXPECT_EQ(alone, 0);
}

TEST(view_words, reach_the_reducers_own_word_in_a_threads_first_strand) {
  merging sets;
  const std::uint32_t id = made_word();
  ::new (reducers().leftmost(id)) affine{3, 5};
  add(*sets.right, id, {7, 11});
  sets.merged(true);
  EXPECT_EQ(at(reducers().leftmost(id)), then({3, 5}, {7, 11}));
  EXPECT_EQ(sets.left->find(id), nullptr);
  reducers().end(id);
}

TEST(view_words, that_a_strand_made_stay_at_the_reducers_own_place) {
  merging sets;
  const std::uint32_t id = made_word();
  const std::uint32_t filler = made_word();
  void* const own = reducers().leftmost(id);
  ::new (own) affine{3, 5};
  EXPECT_TRUE(sets.left->insert(id, own));
  reducers().hold(id);
  add(*sets.right, id, {7, 11});
  add(*sets.right, filler, {});  // the right set is the larger
  view_set* const both = sets.merged();
  EXPECT_EQ(both, sets.right.get());
  EXPECT_EQ(both->find(id), own);
  EXPECT_EQ(at(own), then({3, 5}, {7, 11}));
  nopal::internal::view::drop_all(reducers(), both);
  for (const std::uint32_t one : {id, filler}) reducers().end(one);
}

TEST(view_words, lose_the_right_one_alone_when_a_reduction_throws) {
  for (const int larger : {0, 1}) {
    merging sets;
    const std::uint32_t id = made_word();
    const std::uint32_t filler = made_word();
    add(*sets.left, id, {3, 5});
    add(*sets.right, id, {7, 11});
    add(larger == 0 ? *sets.left : *sets.right, filler, {});
    throws = true;
    view_set* const both = sets.merged();
    throws = false;
    EXPECT_EQ(sets.failures, 1);
    EXPECT_EQ(at(both->find(id)), (affine{3, 5}));
    nopal::internal::view::drop_all(reducers(), both);
    for (const std::uint32_t one : {filler, id}) reducers().end(one);
  }
}

TEST(view_words, of_reducers_lie_side_by_side) {
  const std::uint32_t first = made_word();
  const std::uint32_t second = made_word();
  ASSERT_NE(first, second);
  const auto* const one = static_cast<const char*>(reducers().leftmost(first));
  const auto* const other = static_cast<const char*>(reducers().leftmost(second));
  EXPECT_EQ(other - one, (static_cast<std::ptrdiff_t>(second) - static_cast<std::ptrdiff_t>(first)) * 8);
  EXPECT_TRUE(reducers().is_word(first));
  for (const std::uint32_t one_id : {second, first}) reducers().end(one_id);
}

/// Else a store to a word and a load of a slot look alike to the processor by the lowest bits of their addresses.
TEST(view_words, lie_half_a_page_from_their_slots) {
  constexpr std::ptrdiff_t page = 4096;
  const owned_set set = made_set();
  const auto* const slots = reinterpret_cast<const char*>(set->slots());
  for (const std::uint32_t id : {1U, 700U, 65535U}) {
    const auto* const word = reinterpret_cast<const char*>(set->word(id));
    EXPECT_EQ((word - (slots + id * sizeof(void*))) % page, page / 2);
  }
}

TEST(view_words, are_ordinary_views_where_checkers_watch) {
  const std::uint32_t id = made_word(true);
  EXPECT_FALSE(reducers().is_word(id));
  EXPECT_EQ(alone, 1);  // the reducer's own value
  reducers().end(id);
  EXPECT_EQ(alone, 0);
}

}  // namespace
