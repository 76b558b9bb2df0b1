// The registry of reducers, real code, between strands that drop and reduce views and the strand that ends the reducer.
#ifndef NOPAL_TESTS_EXPLORE_REGISTRY_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_REGISTRY_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

/// One reducer exists at first, and each `d` and `r` of a thread has a view of it.
struct registry_scenario {
  /// Per thread: d drop a view, r reduce the reducer's view into another one and drop it, e end the reducer, n make one of one's
  /// own, x end that one.
  std::vector<std::string> threads;
};

/// A reduction finds its reducer alive throughout; a number has one meaning for whoever knows it, and is free in the end, once.
std::unique_ptr<model> make_registry_model(const registry_scenario& with);

}  // namespace explore

#endif
