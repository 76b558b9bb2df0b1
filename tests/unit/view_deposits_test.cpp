// Deposits of views: however the segments of scopes end, one deposit of each scope is left, in serial order. And what is kept of
// sets and deposits for later.
#include "view/deposits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "view/store.hpp"

namespace {

using nopal::internal::view::deposit;
using nopal::internal::view::deposit_table;
using nopal::internal::view::no_segment;
using nopal::internal::view::view_set;

struct deposit_with_text {
  deposit known;  // first: a deposit is known by its address
  std::string said;
};

deposit_with_text& whole(deposit* one) { return *reinterpret_cast<deposit_with_text*>(one); }

/// Scopes lie in frames of 128 bytes or more.
struct fake_frames {
  alignas(64) char bytes[100][128];
  nopal_frame* operator[](std::size_t i) { return reinterpret_cast<nopal_frame*>(bytes[i]); }
};
fake_frames frames;

/// A deposit of a function's only scope.
deposit deposit_of(nopal_frame* scope, std::uint64_t before, std::uint64_t last, bool is_base = false) {
  deposit one{};
  one.scope = scope;
  one.activation = scope;
  one.before = before;
  one.last = last;
  one.is_base = is_base;
  return one;
}

deposit* add(deposit_table& table, deposit* one) {
  nopal_frame* ready = nullptr;
  deposit* const neighbour = table.add(one, ready);
  EXPECT_EQ(ready, nullptr);
  return neighbour;
}

/// The segments of one strand that was stolen from again and again: the tickets grow, and skip numbers.
std::vector<std::unique_ptr<deposit_with_text>> segments_of(nopal_frame* scope, int count,
                                                            std::mt19937& random) {
  std::vector<std::unique_ptr<deposit_with_text>> made;
  std::uint64_t before = no_segment;
  std::uint64_t ticket = 0;
  for (int i = 0; i < count; ++i) {
    made.push_back(std::make_unique<deposit_with_text>());
    made.back()->known = deposit_of(scope, before, ticket, i == 0 && random() % 2 == 0);
    made.back()->said = std::to_string(i) + " ";
    before = ticket;
    ticket += 1 + random() % 1000;
  }
  return made;
}

/// What a strand that ends a segment does. Returns whether only neighbours met.
bool deposit_views(deposit_table& table, deposit* mine, nopal_frame*& ready) {
  while (deposit* const other = table.add(mine, ready)) {
    const bool mine_is_right = other->last == mine->before;
    if (other->scope != mine->scope || (!mine_is_right && mine->last != other->before)) return false;
    deposit* const left = mine_is_right ? other : mine;
    const deposit* const right = mine_is_right ? mine : other;
    whole(left).said += whole(const_cast<deposit*>(right)).said;
    left->last = right->last;
    mine = left;
  }
  return true;
}

bool deposit_views(deposit_table& table, deposit* mine) {
  nopal_frame* ready = nullptr;
  return deposit_views(table, mine, ready) && ready == nullptr;
}

std::string text_of(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + " ";
  return text;
}

TEST(deposits, of_one_scope_become_one_in_whatever_order_segments_end) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    deposit_table table;
    const int count = 1 + static_cast<int>(random() % 9);
    auto segments = segments_of(frames[0], count, random);
    std::vector<deposit*> order;
    for (const auto& one : segments) order.push_back(&one->known);
    std::shuffle(order.begin(), order.end(), random);
    for (deposit* const one : order) ASSERT_TRUE(deposit_views(table, one));
    deposit* const taken = table.take(frames[0], frames[0]);
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(taken->next, nullptr);
    EXPECT_EQ(whole(taken).said, text_of(count));
    EXPECT_EQ(taken->before, no_segment);
    EXPECT_EQ(taken->last, segments.back()->known.last);
    EXPECT_EQ(table.take(frames[0], frames[0]), nullptr);
  }
}

TEST(deposits, of_many_scopes_at_once_keep_apart) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    deposit_table table;
    std::vector<std::unique_ptr<deposit_with_text>> all;
    std::map<const nopal_frame*, int> counts;
    for (std::size_t i = 0; i < 100; ++i) {  // more scopes than locks
      counts[frames[i]] = 1 + static_cast<int>(random() % 6);
      for (auto& one : segments_of(frames[i], counts[frames[i]], random)) all.push_back(std::move(one));
    }
    std::shuffle(all.begin(), all.end(), random);
    for (const auto& one : all) ASSERT_TRUE(deposit_views(table, &one->known));
    for (const auto& [scope, count] : counts) {
      deposit* const taken = table.take(scope, scope);
      ASSERT_NE(taken, nullptr);
      ASSERT_EQ(taken->scope, scope);
      EXPECT_EQ(taken->next, nullptr);
      EXPECT_EQ(whole(taken).said, text_of(count));
      EXPECT_EQ(table.take(scope, scope), nullptr);
    }
  }
}

/// Two scopes of one function that overlap: segments of the strand end for the one or the other, at last by the join of the
/// first. It is whole when nothing is missing between its first and its last deposit, and takes all of that.
TEST(deposits, of_overlapping_scopes_make_a_join_whole_when_the_last_between_them_came) {
  std::mt19937 random(10);
  int waits = 0;
  for (int round = 0; round < 3000; ++round) {
    deposit_table table;
    nopal_frame* const joined = frames[4];
    const int count = 2 + static_cast<int>(random() % 7);
    auto segments = segments_of(joined, count, random);
    int first = count - 1;
    std::vector<int> order;
    for (int i = 0; i < count; ++i) {
      order.push_back(i);
      const bool is_other = i < count - 1 && random() % 2 == 0;
      if (is_other) segments[static_cast<std::size_t>(i)]->known.scope = frames[5];
      if (!is_other && i < first) first = i;
    }
    std::shuffle(order.begin(), order.end(), random);
    int of_joined = 0;
    for (const auto& one : segments) of_joined += one->known.scope == joined ? 1 : 0;
    int missing = count - first;
    bool waiting = false;
    for (const int i : order) {
      deposit* const one = &segments[static_cast<std::size_t>(i)]->known;
      of_joined -= one->scope == joined ? 1 : 0;
      missing -= i >= first ? 1 : 0;
      nopal_frame* ready = nullptr;
      ASSERT_TRUE(deposit_views(table, one, ready));
      ASSERT_EQ(ready, waiting && missing == 0 && i >= first ? joined : nullptr);
      if (of_joined == 0 && !waiting && one->scope == joined) {
        waiting = true;  // all children of the scope are done, and the strand is at the join
        ASSERT_EQ(table.is_whole(joined, joined), missing == 0);
        waits += missing != 0 ? 1 : 0;
      }
    }
    std::string text;
    for (const deposit* one = table.take(joined, joined); one != nullptr; one = one->next) {
      text += whole(const_cast<deposit*>(one)).said;
    }
    EXPECT_EQ(text, text_of(count).substr(2 * static_cast<std::size_t>(first)));
  }
  EXPECT_GT(waits, 100);
}

TEST(deposits, with_gaps_are_taken_the_earliest_first) {
  std::mt19937 random(9);
  for (int round = 0; round < 1000; ++round) {
    deposit_table table;
    constexpr int count = 9;
    auto segments = segments_of(frames[1], count, random);
    const bool base = segments[0]->known.is_base;
    std::vector<deposit*> order;
    for (int i = 0; i < count; i += 2) order.push_back(&segments[static_cast<std::size_t>(i)]->known);
    std::shuffle(order.begin(), order.end(), random);
    for (deposit* const one : order) ASSERT_TRUE(deposit_views(table, one));
    std::string text;
    deposit* const first = table.take(frames[1], frames[1]);
    for (deposit* one = first; one != nullptr; one = one->next) text += whole(one).said;
    EXPECT_EQ(text, "0 2 4 6 8 ");
    EXPECT_EQ(first->is_base, base);
  }
}

TEST(deposits, of_a_threads_first_strand_come_before_all) {
  deposit_table table;
  deposit later = deposit_of(frames[2], 3, 5, false);
  deposit base = deposit_of(frames[2], no_segment, 9, true);
  ASSERT_EQ(add(table, &base), nullptr);
  ASSERT_EQ(add(table, &later), nullptr);
  EXPECT_EQ(table.take(frames[2], frames[2]), &base);
  EXPECT_EQ(base.next, &later);
}

TEST(deposits, serve_again_after_all_was_locked) {
  deposit_table table;
  table.lock_all();
  table.unlock_all();
  deposit one = deposit_of(frames[3], no_segment, 0, false);
  EXPECT_EQ(add(table, &one), nullptr);
  EXPECT_EQ(table.take(frames[3], frames[3]), &one);
}

class overlapping_deposits : public testing::Test {
protected:
  /// A deposit of one of this function's scopes.
  deposit of(std::size_t scope, std::uint64_t before, std::uint64_t last) {
    deposit one = deposit_of(frames[scope], before, last);
    one.activation = &frames;
    return one;
  }
  std::vector<std::uint64_t> taken(std::size_t scope) {
    std::vector<std::uint64_t> lasts;
    for (const deposit* one = table.take(frames[scope], &frames); one != nullptr; one = one->next) {
      lasts.push_back(one->last);
    }
    return lasts;
  }
  deposit_table table;
};

using lasts = std::vector<std::uint64_t>;

TEST_F(overlapping_deposits, are_awaited_by_the_join_that_they_lie_in) {
  deposit first = of(0, no_segment, 0);
  deposit between = of(1, 0, 3);
  deposit last = of(0, 3, 5);
  ASSERT_EQ(add(table, &first), nullptr);
  ASSERT_EQ(add(table, &last), nullptr);
  EXPECT_FALSE(table.is_whole(frames[0], &frames));
  nopal_frame* ready = nullptr;
  EXPECT_EQ(table.add(&between, ready), nullptr);
  EXPECT_EQ(ready, frames[0]);
  EXPECT_TRUE(table.is_whole(frames[0], &frames));
  EXPECT_EQ(taken(0), (lasts{0, 3, 5}));
  EXPECT_EQ(taken(1), lasts{});
}

TEST_F(overlapping_deposits, that_came_before_the_join_are_its_own_then) {
  deposit first = of(0, no_segment, 0);
  deposit between = of(1, 0, 3);
  deposit last = of(0, 3, 5);
  for (deposit* const one : {&between, &first, &last}) ASSERT_EQ(add(table, one), nullptr);
  EXPECT_TRUE(table.is_whole(frames[0], &frames));
  EXPECT_EQ(taken(0), (lasts{0, 3, 5}));
}

TEST_F(overlapping_deposits, of_other_functions_are_not_waited_for) {
  deposit first = of(0, no_segment, 0);
  deposit last = of(0, 3, 5);
  deposit elsewhere = of(1, 0, 3);
  elsewhere.activation = &frames.bytes[1];
  for (deposit* const one : {&first, &last, &elsewhere}) ASSERT_EQ(add(table, one), nullptr);
  EXPECT_FALSE(table.is_whole(frames[0], &frames));
}

TEST_F(overlapping_deposits, that_may_never_come_are_not_waited_for) {
  deposit first = of(0, no_segment, 0);
  deposit last = of(0, nopal::internal::view::unknown_segment, 5);
  for (deposit* const one : {&last, &first}) ASSERT_EQ(add(table, one), nullptr);
  EXPECT_TRUE(table.is_whole(frames[0], &frames));
  EXPECT_EQ(taken(0), (lasts{0, 5}));
}

/// Segments of a function with three scopes, ended in any order; the first scope is joined at the last of them.
TEST_F(overlapping_deposits, make_a_join_ready_once_and_whole_in_whatever_order_they_come) {
  std::mt19937 random(10);
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t count = 2 + static_cast<std::uint64_t>(random() % 8);
    std::vector<deposit> segments;
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool of_the_first = i == 0 || i + 1 == count;
      segments.push_back(of(of_the_first ? 0 : random() % 3, i == 0 ? no_segment : i - 1, i));
    }
    std::vector<deposit*> order;
    for (deposit& one : segments) order.push_back(&one);
    std::shuffle(order.begin(), order.end(), random);
    int outstanding = static_cast<int>(std::count_if(
        segments.begin(), segments.end(), [](const deposit& one) { return one.scope == frames[0]; }));
    int times_ready = 0;
    for (deposit* mine : order) {
      outstanding -= mine->scope == frames[0] ? 1 : 0;
      const bool joins_now = outstanding == 0 && mine->scope == frames[0];
      nopal_frame* ready = nullptr;
      while (deposit* const other = table.add(mine, ready)) {
        ASSERT_EQ(other->scope, mine->scope);
        const bool mine_is_right = other->last == mine->before;
        deposit* const left = mine_is_right ? other : mine;
        left->last = mine_is_right ? mine->last : other->last;
        mine = left;
      }
      if (joins_now) times_ready += table.is_whole(frames[0], &frames) ? 1 : 0;
      times_ready += ready == frames[0] ? 1 : 0;
    }
    EXPECT_EQ(times_ready, 1);
    const deposit* one = table.take(frames[0], &frames);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->before, no_segment);
    for (; one->next != nullptr; one = one->next) EXPECT_EQ(one->next->before, one->last);
    EXPECT_EQ(one->last, count - 1);
    for (std::size_t scope = 0; scope < 3; ++scope) EXPECT_EQ(table.take(frames[scope], &frames), nullptr);
  }
}

class view_store : public testing::Test {
protected:
  ~view_store() override { kept.trim(); }
  std::uint64_t in_use() {
    std::uint64_t now = 0;
    std::uint64_t most = 0;
    kept.count(now, most);
    return now;
  }
  std::uint64_t most() {
    std::uint64_t now = 0;
    std::uint64_t at_once = 0;
    kept.count(now, at_once);
    return at_once;
  }
  nopal::internal::view::store kept;
};

TEST_F(view_store, gives_a_set_again_that_came_back) {
  view_set* const one = kept.take_set();
  ASSERT_NE(one, nullptr);
  kept.give_set(one);
  EXPECT_EQ(kept.take_set(), one);
  view_set* const other = kept.take_set();
  EXPECT_NE(other, one);
  kept.give_set(one);
  kept.give_set(other);
}

TEST_F(view_store, counts_sets_that_have_an_owner_and_the_most_at_once) {
  std::vector<view_set*> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(kept.take_set());
  EXPECT_EQ(in_use(), 5u);
  for (view_set* const one : taken) kept.give_set(one);
  EXPECT_EQ(in_use(), 0u);
  kept.give_set(kept.take_set());
  EXPECT_EQ(most(), 5u);
}

TEST_F(view_store, frees_what_nobody_owns_and_serves_on) {
  view_set* const owned = kept.take_set();
  kept.give_set(kept.take_set());
  kept.give_deposit(kept.take_deposit());
  kept.trim();  // what it forgot to free, the search for leaks would find
  EXPECT_EQ(in_use(), 1u);
  EXPECT_TRUE(owned->insert(1, &kept));
  EXPECT_EQ(owned->remove(1), &kept);
  view_set* const other = kept.take_set();
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->size(), 0u);
  kept.give_set(other);
  kept.give_set(owned);
}

TEST_F(view_store, gives_a_piece_again_that_came_back) {
  deposit* const one = kept.take_deposit();
  ASSERT_NE(one, nullptr);
  kept.give_deposit(one);
  EXPECT_EQ(kept.take_deposit(), one);
  deposit* const other = kept.take_deposit();
  EXPECT_NE(other, one);
  kept.give_deposit(one);
  kept.give_deposit(other);
}

}  // namespace
