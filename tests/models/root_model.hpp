// What a wait for a group takes, beside tasks that begin and end: real code.
#ifndef NOPAL_TESTS_EXPLORE_ROOT_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_ROOT_MODEL_HPP

#include <memory>

#include "models/explorer.hpp"

namespace explore {

enum class root_fault {
  none,
  nothing_released,  ///< what a root says of its task is stored relaxed
  nothing_acquired,  ///< and read relaxed
};

/// Somebody waits for a group and asks whether a strand is of it. The strand is of a task of another group, which a task pushed
/// that ends meanwhile. The thread of that one goes on to a task that one of the group has pushed, and to one of the group.
/// The answer is always no.
std::unique_ptr<model> make_walk_model(root_fault fault = root_fault::none);

/// The pusher's group is over before the wait begins, and the group that is waited for is at its address.
std::unique_ptr<model> make_same_address_model();

/// A thread runs tasks of two groups, each of which forks once; `first` of them is of the group that somebody waits for, who
/// takes forks of that one alone.
std::unique_ptr<model> make_take_model(int first);

}  // namespace explore

#endif
