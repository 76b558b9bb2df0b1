// Short meetings of a deque's owner and its thieves that are explored with each way to change the deque's word.
#ifndef NOPAL_TESTS_EXPLORE_DEQUE_SCENARIOS_HPP
#define NOPAL_TESTS_EXPLORE_DEQUE_SCENARIOS_HPP

#include "models/deque_model.hpp"

namespace explore {

inline const deque_scenario pops_against_a_thief = {
    .owner = "--", .thieves = {"ss"}, .pushed = 2, .published = 1};
inline const deque_scenario pops_against_two_thieves = {
    .owner = "--", .thieves = {"s", "s"}, .pushed = 2, .published = 2};
inline const deque_scenario force_against_pops = {.owner = "--", .thieves = {"fs"}, .pushed = 2};
inline const deque_scenario force_against_push = {.owner = "+-", .thieves = {"fs"}};
inline const deque_scenario force_beside_a_thief = {.owner = "--", .thieves = {"f", "s"}, .pushed = 2};
inline const deque_scenario refused_force = {.owner = "-+-", .thieves = {"rsf"}, .pushed = 2};
inline const deque_scenario poisoned_pushes = {.owner = "++--", .thieves = {"ss"}, .poisoned = true};
inline const deque_scenario growth = {
    .owner = "+-", .thieves = {"ss"}, .pushed = 2, .published = 1, .capacity = 2};
inline const deque_scenario anew = {
    .owner = "-!+-", .thieves = {"ss"}, .pushed = 1, .published = 1, .capacity = 16, .first = 8};
inline const deque_scenario without_barrier = {
    .owner = "+-+-", .thieves = {"s", "s"}, .without_barrier = true};
inline const deque_scenario shown_pop_against_force = {
    .owner = "+-", .thieves = {"fs"}, .poisoned = true, .shows_pops = true};

}  // namespace explore

#endif
