// The floating-point mode of a root, told to thieves by its slow pushes, real code, between a root's owner and thieves.
#ifndef NOPAL_TESTS_EXPLORE_MODE_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_MODE_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

struct mode_scenario {
  /// + push, - pop, as a function that forks does it; m chooses another mode, as a root does outside of its scopes.
  std::string owner;
  /// Per thief: s steal, f force a publish, r the same without a barrier since the system refuses it, k the same where an
  /// exception is about, p poison the limit.
  std::vector<std::string> thieves;
};

/// Who takes an entry is told the mode that it was pushed in. So a root that chooses one finds its limit poisoned: its next push,
/// onto an empty deque, is slow.
std::unique_ptr<model> make_mode_model(const mode_scenario& with);

}  // namespace explore

#endif
