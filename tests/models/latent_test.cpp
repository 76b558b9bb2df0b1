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
const latent_scenario copies_and_forks = {.owner = "gferrkr", .thieves = {"as"}};
const latent_scenario cut = {.owner = "fuefrrrr", .thieves = {"as"}};
const latent_scenario full = {.owner = "fffrrr", .thieves = {"as"}, .capacity = 2};
const latent_scenario regions = {.owner = "fr|ffrr", .thieves = {"sps"}, .root = true};
const latent_scenario own = {.owner = "fforr", .thieves = {"as"}};
const latent_scenario leaf = {.owner = "ffl", .thieves = {"w"}};
const latent_scenario late_leaf = {.owner = "frfl", .thieves = {"w"}};

TEST(promotion, at_a_poll) { expect_right(poll); }
TEST(promotion, by_signal) { expect_right(signal_and_steal); }
TEST(promotion, at_a_poll_beside_a_forced_publication) { expect_right(poll_and_force); }
TEST(promotion, by_signal_beside_a_forced_publication) { expect_right(signal_and_force); }
TEST(promotion, of_calls_in_place) { expect_right(in_place); }
TEST(promotion, beside_an_eager_fork) { expect_right(eager_among_latent, 3); }
TEST(promotion, of_a_child_that_copies) { expect_right(copies); }
TEST(promotion, of_a_child_that_copies_by_forks) { expect_right(copies_and_forks, 3); }
TEST(promotion, that_is_cut) { expect_right(cut, 3); }
TEST(promotion, beyond_the_room) { expect_right(full); }
TEST(promotion, in_regions_of_a_root) { expect_right(regions, 3); }
TEST(promotion, of_ones_own) { expect_right(own); }
const latent_scenario two_beside_a_leaf = {.owner = "zffl", .thieves = {"w", "w"}};
const latent_scenario two_asleep = {
    .owner = "ffl", .thieves = {"ds", "n"}, .hasty = true, .nothing_latent = true};
const latent_scenario two_asleep_beside_a_new_strand = {.owner = "x|ffl", .thieves = {"ds", "n"}, .hasty = true};
TEST(tmp, c) { explore::explored(*explore::make_latent_model(two_asleep_beside_a_new_strand), memory_kind::views, {.preemptions=1, .early_timeouts=true}); }
TEST(questions, to_a_leaf) { expect_right(leaf, 1); }
TEST(questions, to_a_later_leaf) { expect_right(late_leaf, 1); }

TEST(promotion_faults, recorded_late) { expect_fault(signal_and_force, "recorded late"); }
TEST(promotion_faults, return_address_kept) { expect_fault(poll, "return address kept"); }
TEST(promotion_faults, youngest_first) { expect_fault(signal_and_steal, "youngest first"); }

}  // namespace
