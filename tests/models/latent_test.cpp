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

TEST(promotion, at_a_poll_beside_a_thief) { expect_right({.owner = "ffrr", .thieves = {"ps"}}); }
TEST(promotion, by_signal_beside_a_thief) { expect_right({.owner = "ffrr", .thieves = {"as"}}); }

}  // namespace
