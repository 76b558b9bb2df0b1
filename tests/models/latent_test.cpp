// Every schedule of short strands with latent forks beside thieves that take, force, poison and ask, and faults that must be
// found.

#include "models/latent_model.hpp"

#include <gtest/gtest.h>

#include "models/report.hpp"

namespace {

using explore::latent_scenario;
using explore::memory_kind;

void expect_right(const latent_scenario& with, int preemptions = -1) {
  explore::expect_right(*make_latent_model(with), {.preemptions = preemptions, .early_timeouts = with.hasty});
}

void expect_fault(const latent_scenario& with, const char* broken, int preemptions = -1) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    explore::expect_failure(*make_latent_model(with), memory,
                            {.preemptions = preemptions, .early_timeouts = with.hasty, .broken = broken});
  }
}

const latent_scenario poll = {.owner = "ffrr", .thieves = {"ps"}};
const latent_scenario signal_and_steal = {.owner = "ffrr", .thieves = {"as"}};
const latent_scenario poll_and_force = {.owner = "ferr", .thieves = {"fs"}};
const latent_scenario signal_and_force = {.owner = "ffrr", .thieves = {"afs"}};
const latent_scenario in_place = {.owner = "fifrrr", .thieves = {"as"}};
const latent_scenario eager_among_latent = {.owner = "ferfrr", .thieves = {"as"}};
const latent_scenario copies = {.owner = "fgkrr", .thieves = {"as"}};
const latent_scenario copies_at_first = {.owner = "gkr", .thieves = {"as"}};
const latent_scenario copies_and_forks = {.owner = "gferrkr", .thieves = {"as"}};
const latent_scenario cut = {.owner = "fuefrrrr", .thieves = {"as"}};
const latent_scenario full = {.owner = "fffrrr", .thieves = {"as"}, .capacity = 2};
const latent_scenario regions = {.owner = "fr|ffrr", .thieves = {"sps"}, .root = true};
const latent_scenario own = {.owner = "fforr", .thieves = {"as"}};
const latent_scenario alone_at_first = {.owner = "ferr", .thieves = {"jfsa"}, .alone = true};
const latent_scenario region_after_region = {.owner = "frfferrr", .thieves = {"s"}, .root = true};
const latent_scenario copies_above_stolen = {.owner = "fgerkerrr", .thieves = {"s"}, .root = true};
const latent_scenario leaf = {.owner = "ffl", .thieves = {"w"}};
const latent_scenario leaf_at_a_look = {.owner = "fl", .thieves = {"w"}};
const latent_scenario leaf_after_an_eager_fork = {.owner = "erfl", .thieves = {"w"}};
const latent_scenario leaf_beside_a_sleeper = {.owner = "ffl", .thieves = {"d", "za"}};
const latent_scenario two_beside_a_leaf = {.owner = "zffl", .thieves = {"w", "w"}, .looks = 5};
const latent_scenario two_asleep = {.owner = "ffl", .thieves = {"ds", "m"}, .nothing_latent = true};
const latent_scenario two_asleep_beside_a_new_strand = {.owner = "x|ffl", .thieves = {"ds", "m"}};

TEST(promotion, at_a_poll) { expect_right(poll); }
TEST(promotion, by_signal) { expect_right(signal_and_steal); }
TEST(promotion, at_a_poll_beside_a_forced_publication) { expect_right(poll_and_force); }
TEST(promotion, by_signal_beside_a_forced_publication) { expect_right(signal_and_force, 3); }
TEST(promotion, of_calls_in_place) { expect_right(in_place); }
TEST(promotion, beside_an_eager_fork) { expect_right(eager_among_latent, 2); }
TEST(promotion, of_a_child_that_copies) { expect_right(copies); }
TEST(promotion, of_a_first_child_that_copies) { expect_right(copies_at_first); }
TEST(promotion, of_a_child_that_copies_by_forks) { expect_right(copies_and_forks, 2); }
TEST(promotion, that_is_cut) { expect_right(cut, 2); }
TEST(promotion, beyond_the_room) { expect_right(full); }
TEST(promotion, in_regions_of_a_root) { expect_right(regions, 2); }
TEST(promotion, of_ones_own) { expect_right(own); }
TEST(promotion, of_a_worker_that_was_alone) { expect_right(alone_at_first, 2); }
TEST(promotion, in_a_region_after_another) { expect_right(region_after_region); }
TEST(promotion, of_a_child_that_copies_above_what_is_stolen) { expect_right(copies_above_stolen); }

TEST(questions, to_a_leaf) { expect_right(leaf, 1); }
TEST(questions, at_a_look) { expect_right(leaf_at_a_look, 1); }
TEST(questions, to_a_leaf_after_an_eager_fork) { expect_right(leaf_after_an_eager_fork, 0); }
TEST(questions, beside_a_sleeper) { expect_right(leaf_beside_a_sleeper); }

TEST(watch, of_two_beside_a_leaf) { expect_right(two_beside_a_leaf, 0); }
TEST(watch, of_two_asleep) { expect_right(two_asleep, 2); }
TEST(watch, of_two_asleep_beside_a_new_strand) { expect_right(two_asleep_beside_a_new_strand, 2); }

TEST(promotion_faults, recorded_late) { expect_fault(signal_and_force, "recorded late"); }
TEST(promotion_faults, return_address_kept) { expect_fault(poll, "return address kept"); }
TEST(promotion_faults, youngest_first) { expect_fault(signal_and_steal, "youngest first"); }
TEST(promotion_faults, copies_not_awaited) { expect_fault(copies_at_first, "copies not awaited"); }
TEST(promotion_faults, walk_in_a_walk) { expect_fault(own, "walk in a walk"); }
TEST(promotion_faults, buried_promoted) { expect_fault(alone_at_first, "buried promoted"); }
TEST(promotion_faults, stolen_taken_for_taken_back) { expect_fault(cut, "stolen taken for taken back", 2); }
TEST(promotion_faults, none_latent_kept) { expect_fault(region_after_region, "none latent kept"); }
TEST(promotion_faults, left_taken_for_none) { expect_fault(copies_above_stolen, "left taken for none"); }
TEST(promotion_faults, pushed_above_latent) { expect_fault(eager_among_latent, "pushed above latent"); }
TEST(promotion_faults, end_of_a_child_not_seen) { expect_fault(signal_and_steal, "end of a child not seen"); }
TEST(promotion_faults, push_relaxed) {
  latent_scenario with = signal_and_force;
  with.fault = explore::latent_fault::push_relaxed;
  explore::expect_failure(*make_latent_model(with), memory_kind::views);
}

TEST(question_faults, look_not_seen) { expect_fault(leaf_at_a_look, "look not seen", 1); }
TEST(question_faults, nothing_unpoisoned) { expect_fault(leaf_after_an_eager_fork, "nothing unpoisoned", 0); }
TEST(question_faults, mode_of_the_moment) { expect_fault(signal_and_steal, "mode of the moment"); }
TEST(question_faults, promoted_in_silence) { expect_fault(leaf_beside_a_sleeper, "promoted in silence", 0); }
TEST(question_faults, nobody_told) { expect_fault(leaf_beside_a_sleeper, "nobody told", 0); }
TEST(question_faults, nothing_latent_kept) { expect_fault(two_beside_a_leaf, "nothing latent kept", 0); }

TEST(watch_faults, idle_watch_kept) { expect_fault(two_beside_a_leaf, "idle watch kept", 0); }
TEST(watch_faults, no_look_after_the_watch) { expect_fault(two_asleep, "no look after the watch", 1); }
TEST(watch_faults, question_looked_for_relaxed) {
  explore::expect_failure(*make_latent_model(two_asleep), memory_kind::views,
                          {.preemptions = 1, .broken = "question looked for relaxed"});
}
TEST(watch_faults, strand_looked_for_relaxed) {
  explore::expect_failure(*make_latent_model(two_asleep_beside_a_new_strand), memory_kind::views,
                          {.preemptions = 1, .broken = "strand looked for relaxed"});
}

}  // namespace
