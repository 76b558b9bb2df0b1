// How ranks of a node share its processors.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "mpi/binding.hpp"

namespace {

using nopal::mpi::processor_set;
using nopal::mpi::share_of;

processor_set set_of(std::initializer_list<unsigned> processors) {
  processor_set found{};
  constexpr unsigned bits = sizeof(unsigned long) * CHAR_BIT;
  for (const unsigned one : processors) found.at(one / bits) |= 1UL << (one % bits);
  return found;
}

TEST(binding, of_one_rank_all_is_its_own) {
  const std::vector<processor_set> all = {set_of({0, 1, 70})};
  EXPECT_DOUBLE_EQ(share_of(all[0], all), 1);
}

TEST(binding, of_ranks_that_are_bound_apart_all_is_their_own) {
  const std::vector<processor_set> all = {set_of({0, 1}), set_of({2, 3}), set_of({64, 8191})};
  for (const processor_set& one : all) EXPECT_DOUBLE_EQ(share_of(one, all), 1);
}

TEST(binding, ranks_that_are_bound_to_nothing_share_the_node) {
  const std::vector<processor_set> all(4, set_of({0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_DOUBLE_EQ(share_of(all[0], all), 0.25);
}

TEST(binding, ranks_of_a_socket_share_it_alone) {
  const processor_set first = set_of({0, 1, 2, 3});
  const processor_set second = set_of({4, 5, 6, 7});
  const std::vector<processor_set> all = {first, first, second};
  EXPECT_DOUBLE_EQ(share_of(first, all), 0.5);
  EXPECT_DOUBLE_EQ(share_of(second, all), 1);
}

TEST(binding, sets_that_overlap_are_shared_where_they_do) {
  const std::vector<processor_set> all = {set_of({0, 1, 2, 3}), set_of({3, 4})};
  EXPECT_DOUBLE_EQ(share_of(all[0], all), 3.5 / 4);
  EXPECT_DOUBLE_EQ(share_of(all[1], all), 1.5 / 2);
}

TEST(binding, where_nothing_is_known_the_node_is_shared) {
  const std::vector<processor_set> all(2, set_of({}));
  EXPECT_DOUBLE_EQ(share_of(all[0], all), 0.5);
}

}  // namespace
