// The table of deposits, real code, between strands that end segments of the same scope or of others.
#ifndef NOPAL_TESTS_EXPLORE_DEPOSITS_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_DEPOSITS_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

struct deposits_scenario {
  /// Per thread, the segments that end on it: a digit for each, of one scope; letters are those of another scope, from a on.
  std::vector<std::string> threads;
};

/// When all segments have ended, one deposit of each scope is left, with the segments in order; a deposit is one worker's at a time.
std::unique_ptr<model> make_deposits_model(const deposits_scenario& with);

}  // namespace explore

#endif
