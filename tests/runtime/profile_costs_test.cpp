// What the profiler's own records cost, as it is measured while they are made.
#include "profiled.hpp"

#include "profile/counts.hpp"
#include "profile/machine.hpp"
#include "profile/observation.hpp"

namespace {

constexpr std::uint64_t per_look = 1000;
std::uint64_t look() { return clock_of_thread += per_look; }

class costs : public profiled {};

/// A strand in a child of a site whose children take long, of which the next one is forked.
class next_fork {
public:
  explicit next_fork(std::uint64_t elapsed) {
    profile::this_machine = {};
    profile::this_machine.short_child = 1000;
    counts.forks.add(5000);
    counts.sampled.add(elapsed);  // no more samples
    strand.counts = &counts;
    strand.stopped = elapsed;
    profile::forget_children(parent);
    profile::note_last(parent, site, 2000);
    fork.parent = &parent;
    fork.site = site;
    profile::knowledge_of(site).mean_work.store(10);
  }
  bool is_looked_into() {
    profile::observe_or_not(strand, fork);
    return !fork.is_unobserved.load();
  }

  static constexpr profile::site_number site = 7;
  profile::counts_table counts{};
  profile::strand_state strand{};
  profile::fork_record parent{};
  profile::fork_record fork{};
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(workers, costs, testing::Values(1));

TEST_P(costs, of_a_fork_are_those_of_three_hooks) {
  profile::nopal_profile_clock = look;  // a hook takes the time from one look at the clock to the next
  tree(6, 0);
  EXPECT_EQ(whole()["record_ns"], 3 * per_look);
}

TEST_P(costs, are_none_where_the_clock_stands_still_in_hooks) {
  tree(6, 100);
  auto numbers = whole();
  ASSERT_EQ(numbers.count("record_ns"), 1U);
  EXPECT_EQ(numbers["record_ns"], 0U);
}

TEST(costs_of_records, up_to_a_third_of_the_time_let_long_children_be_looked_into) {
  next_fork one(3'000'000);
  one.counts.in_hooks.add(900'000);
  EXPECT_TRUE(one.is_looked_into());
}

TEST(costs_of_records, above_a_third_of_the_time_leave_children_of_short_sites_alone) {
  next_fork one(3'000'000);
  one.counts.in_hooks.add(1'100'000);
  EXPECT_FALSE(one.is_looked_into());
}

TEST(costs_of_records, are_also_what_hooks_take_of_the_pieces_around) {
  next_fork one(3'000'000);
  one.counts.in_hooks.add(900'000);
  for (auto& each : one.counts.cost) each.store(20);  // of 5000 forks in three hooks each
  EXPECT_FALSE(one.is_looked_into());
}
