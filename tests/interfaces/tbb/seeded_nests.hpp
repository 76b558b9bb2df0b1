// Tests of programs that run random nests.
#ifndef NOPAL_TESTS_INTERFACES_TBB_SEEDED_NESTS_HPP
#define NOPAL_TESTS_INTERFACES_TBB_SEEDED_NESTS_HPP

#include <gtest/gtest.h>

#include <string>

#include "support/program.hpp"
#include "support/random_numbers.hpp"
#include "support/strands.hpp"

/// On so many workers. NESTS_SEED repeats what the failure prints.
class seeded_nests : public testing::TestWithParam<int> {
protected:
  static void pass(const char* program, support::environment with = {}) {
    const std::string seed = support::seed_in("NESTS_SEED");
    with.emplace_back("NOPAL_WORKERS", std::to_string(GetParam()));
    with.emplace_back("NESTS_SEED", seed);
    EXPECT_TRUE(support::succeeds(program, with)) << "NESTS_SEED=" << seed;
  }
};

/// How long a program runs nests.
constexpr int milliseconds_of_nests = support::watched ? 3000 : 1000;

#endif
