// The deque without threads: what each operation does to what the others see. Entries are told apart by address.
#include "deque/deque.hpp"

#include <gtest/gtest.h>

#include <nopal/detail/fast_path.h>

#include <algorithm>
#include <vector>

#include "unit/deque_fixture.hpp"

namespace {

namespace deque = nopal::internal::deque;
using deque::steal_outcome;

class deque_test : public deque_fixture {};

TEST_F(deque_test, a_new_one_is_empty_and_sends_the_first_push_to_the_slow_path) {
  EXPECT_EQ(deque::size(deque_), 0);
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
  EXPECT_FALSE(pop());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(last_outcome_, steal_outcome::empty);
}

TEST_F(deque_test, a_pop_of_the_empty_deque_fails_and_leaves_it_empty) {
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(pop());
  EXPECT_EQ(deque_.bottom, 0);
  push(0);
  EXPECT_TRUE(pop());
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, private_entries_cannot_be_stolen_and_the_look_poisons_the_limit) {
  push(0);
  deque::unpoison(deque_);
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(last_outcome_, steal_outcome::private_only);
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, thieves_take_the_oldest_first) {
  push_range(0, 4);
  EXPECT_EQ(publish(4), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(steal(), entry(i));
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(last_outcome_, steal_outcome::empty);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(pop());
}

TEST_F(deque_test, the_thief_of_the_last_public_entry_asks_for_more) {
  push_range(0, 3);
  publish(2);
  deque::unpoison(deque_);
  EXPECT_EQ(steal(), entry(0));
  EXPECT_NE(deque_.limit, nopal_poisoned_limit);
  EXPECT_EQ(steal(), entry(1));
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
}

TEST_F(deque_test, publish_takes_no_more_than_there_is_and_records_each_entry_once_oldest_first) {
  push_range(0, 5);
  EXPECT_EQ(publish(2), 2);
  EXPECT_EQ(recorded_, (std::vector<nopal_frame*>{entry(0), entry(1)}));
  recorded_.clear();
  EXPECT_EQ(publish(100), 3);
  EXPECT_EQ(recorded_, (std::vector<nopal_frame*>{entry(2), entry(3), entry(4)}));
  EXPECT_EQ(publish(1), 0);
}

TEST_F(deque_test, an_unstolen_public_entry_is_the_owners_again_by_a_pop) {
  push_range(0, 8);
  publish(8);
  EXPECT_TRUE(pop());
  // The younger half came back with it; the oldest stay where thieves find them.
  EXPECT_EQ(deque_.split, 4);
  EXPECT_EQ(deque_.top, 0);
  for (int i = 6; i >= 0; --i) EXPECT_TRUE(pop()) << i;
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, a_pop_that_takes_back_the_only_public_entry_leaves_nothing_to_steal) {
  push(0);
  publish(1);
  EXPECT_TRUE(pop());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(deque::size(deque_), 0);
}

TEST_F(deque_test, a_pop_fails_exactly_for_what_was_stolen) {
  push_range(0, 3);
  publish(3);
  EXPECT_EQ(steal(), entry(0));
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop());
  EXPECT_FALSE(pop());
  EXPECT_FALSE(pop());
  push(7);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, taking_back_changes_the_version_and_stealing_does_not) {
  push_range(0, 4);
  publish(4);
  const std::uint64_t before = deque_.version_and_raising;
  steal();
  EXPECT_EQ(deque_.version_and_raising, before);
  pop();
  EXPECT_NE(deque_.version_and_raising, before);
}

TEST_F(deque_test, a_thief_that_looked_before_an_entry_was_replaced_gets_nothing) {
  push_range(0, 2);
  publish(2);
  // Between the thief's look and its step the owner takes both back and publishes another in the same place.
  const auto replace = [](void* context) {
    auto& self = *static_cast<deque_test*>(context);
    self.pop();
    self.pop();
    self.push(7);
    self.push(8);
    self.publish(2);
    return true;
  };
  nopal_frame* taken = nullptr;
  EXPECT_EQ(deque::steal(deque_, taken, replace, this), steal_outcome::lost);
  EXPECT_EQ(taken, nullptr);
  EXPECT_EQ(steal(), entry(7));
}

TEST_F(deque_test, reset_starts_again_at_the_first_slot) {
  push_range(0, 8);
  publish(8);
  for (int i = 0; i < 8; ++i) steal();
  EXPECT_FALSE(pop());
  const std::uint64_t before = deque_.version_and_raising;
  deque::reset(deque_);
  EXPECT_EQ(deque::size(deque_), 0);
  EXPECT_EQ(deque_.bottom, 0);
  EXPECT_EQ(deque_.top, 0);
  EXPECT_EQ(deque_.split, 0);
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
  EXPECT_NE(deque_.version_and_raising, before);
  push(3);
  publish(1);
  EXPECT_EQ(steal(), entry(3));
}

TEST_F(deque_test, reset_leaves_a_few_stolen_places_behind) {
  push_range(0, 2);
  publish(2);
  steal();
  steal();
  EXPECT_FALSE(pop());
  const std::uint64_t before = deque_.version_and_raising;
  deque::reset(deque_);
  EXPECT_EQ(deque::size(deque_), 0);
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
  EXPECT_EQ(deque_.version_and_raising, before);
  push(3);
  publish(1);
  EXPECT_EQ(steal(), entry(3));
}

TEST_F(deque_test, growth_keeps_every_entry_in_its_place) {
  constexpr int many = 5000;
  push_range(0, 100);
  publish(100);
  EXPECT_EQ(steal(), entry(0));
  push_range(100, many);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(steal(), entry(i));
  for (int i = many - 1; i >= 100; --i) EXPECT_TRUE(pop());
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, a_thief_that_looked_before_growth_still_takes_the_right_entry) {
  push_range(0, 256);
  publish(1);
  const auto grow = [](void* context) {
    static_cast<deque_test*>(context)->push_range(256, 1000);
    return true;
  };
  nopal_frame* taken = nullptr;
  EXPECT_EQ(deque::steal(deque_, taken, grow, this), steal_outcome::taken);
  EXPECT_EQ(taken, entry(0));
}

TEST_F(deque_test, the_inlined_push_stops_at_the_capacity) {
  push(0);
  deque::unpoison(deque_);
  const int capacity = deque_.limit;
  push_range(1, capacity);
  EXPECT_EQ(deque_.bottom, deque_.limit);  // which is what sends the next push to the slow path
  EXPECT_TRUE(deque::reserve(deque_));
  deque::unpoison(deque_);
  EXPECT_GT(deque_.limit, capacity);
}

TEST_F(deque_test, a_forced_publish_offers_the_older_half) {
  push_range(0, 5);
  EXPECT_TRUE(force());
  EXPECT_EQ(deque_.split, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(steal(), entry(i));
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(last_outcome_, steal_outcome::private_only);
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop());
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, nothing_is_forced_where_nothing_is_private_or_something_public) {
  EXPECT_FALSE(force());
  push_range(0, 2);
  publish(1);
  EXPECT_FALSE(force());
  steal();
  EXPECT_TRUE(force());
  EXPECT_EQ(steal(), entry(1));
}

TEST_F(deque_test, without_a_barrier_or_without_permission_nothing_is_forced) {
  push_range(0, 4);
  barrier_ = [] { return false; };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  barrier_ = [] { return true; };
  allowed_ = false;
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(pop());
}

TEST_F(deque_test, nobody_steals_while_a_thief_raises) {
  push_range(0, 4);
  during_raise_ = [](deque_fixture& self) {
    EXPECT_EQ(self.steal(), nullptr);
    EXPECT_EQ(self.last_outcome_, steal_outcome::lost);
    EXPECT_EQ(self.publish(4), 0);
  };
  EXPECT_TRUE(force());
}

TEST_F(deque_test, an_owner_that_is_to_publish_all_ends_a_raise) {
  push_range(0, 4);
  during_raise_ = [](deque_fixture& self) {
    EXPECT_EQ(self.publish(100, true), 4);
    EXPECT_EQ(self.recorded_.size(), 4U);
  };
  EXPECT_FALSE(force());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(steal(), entry(i));
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, an_owner_that_pops_into_a_raise_ends_it) {
  push_range(0, 4);
  during_raise_ = [](deque_fixture& self) {
    EXPECT_TRUE(self.pop());  // above the raised split: the raise goes on
    EXPECT_TRUE(self.pop());
    EXPECT_TRUE(self.pop());  // below it
  };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), entry(0));
  EXPECT_FALSE(pop());
}

TEST_F(deque_test, an_owner_that_empties_the_deque_during_a_raise_keeps_every_entry) {
  push_range(0, 3);
  during_raise_ = [](deque_fixture& self) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(self.pop());
    EXPECT_FALSE(self.pop());
    self.push(9);
  };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, an_owner_that_ends_a_raise_publishes_nothing_without_permission) {
  push_range(0, 4);
  during_raise_ = [](deque_fixture& self) {
    self.allowed_ = false;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(self.pop());
  };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_EQ(last_outcome_, steal_outcome::private_only);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, what_is_pushed_while_a_thief_asks_for_permission_stays_private) {
  static deque_fixture* it;
  it = this;
  push(0);
  barrier_ = [] {
    --it->deque_.bottom;  // a pop that has not seen the raise
    return true;
  };
  during_raise_ = [](deque_fixture& self) { self.push(7); };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, what_is_published_was_recorded_though_a_thief_published_meanwhile) {
  push_range(0, 6);
  const auto record = [](void* context, nopal_frame*& slot) {
    auto& self = *static_cast<deque_test*>(context);
    if (self.recorded_.empty()) {
      EXPECT_TRUE(self.force());
    }
    self.recorded_.push_back(slot);
  };
  EXPECT_EQ(deque::publish(deque_, 2, record, this), 2);
  EXPECT_EQ(deque_.split, 5);
  for (const int number : {3, 4}) {
    EXPECT_NE(std::find(recorded_.begin(), recorded_.end(), entry(number)), recorded_.end());
  }
}

TEST_F(deque_test, a_reset_during_a_raise_ends_it) {
  push_range(0, 2);
  during_raise_ = [](deque_fixture& self) {
    self.pop();
    self.pop();
    nopal::internal::deque::reset(self.deque_);
    self.push(5);
  };
  EXPECT_FALSE(force());
  EXPECT_EQ(steal(), nullptr);
  EXPECT_TRUE(pop());
}

TEST_F(deque_test, poison_and_unpoison_change_the_limit_only) {
  push(0);
  deque::unpoison(deque_);
  EXPECT_EQ(deque_.limit, 256);
  deque::poison(deque_);
  deque::poison(deque_);
  EXPECT_EQ(deque_.limit, nopal_poisoned_limit);
  EXPECT_TRUE(pop());
}

}  // namespace
