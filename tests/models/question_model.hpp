// Questions to threads that end, real code: who asks, and whose signal it is.
#ifndef NOPAL_TESTS_EXPLORE_QUESTION_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_QUESTION_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

struct question_scenario {
  /// Per thread of the program: a ask everybody, e end, n become a worker.
  std::vector<std::string> program;
  int adopted_at_first = 1;  ///< so many of these threads are workers already
};

/// No thread is asked that is gone. A thread's end waits for those that ask it.
std::unique_ptr<model> make_question_model(const question_scenario& with);

}  // namespace explore

#endif
