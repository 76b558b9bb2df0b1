// Parts that may be stopped, real code, between a worker that enters and leaves them around its forks, thieves that
// take these, and somebody who stops one.
#ifndef NOPAL_TESTS_EXPLORE_STOP_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_STOP_MODEL_HPP

#include <memory>
#include <string>

#include "models/explorer.hpp"

namespace explore {

struct stop_scenario {
  /// ( enter a part, ) leave it, + push, - pop, ! stop the first part, ~ take that back, f have something follow the
  /// innermost part, u no longer. The forks are nested as calls are. Where a pop
  /// finds its entry stolen, the strand is over, and the worker goes on with another, which is in a part of its own,
  /// enters one more, and forks.
  std::string owner;
  int thieves = 1;
  int stops = 0;          ///< so many more threads stop the first part, once it is entered
  bool poisoned = false;  ///< the owner's limit at the start
};

/// Each thief's strand is in the part that its fork was in. After the request every push in the part is refused, or was
/// under way; none is at the end, when nothing moves any more, and none after a request of the strand itself. What follows the part is
/// stopped with it.
std::unique_ptr<model> make_stop_model(const stop_scenario& with);

}  // namespace explore

#endif
