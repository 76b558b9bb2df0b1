// Events and mutexes of strands, real code, between threads that wait.
#ifndef NOPAL_TESTS_EXPLORE_WAITERS_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_WAITERS_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

/// One event and one mutex.
struct waiters_scenario {
  /// Per thread, one wait at most, whose record has its place: w wait for the event, s set it, d it is no more, l lock the mutex and unlock it.
  std::vector<std::string> threads;
};

/// Who waits for the event has what was done before it was set; one at a time has the mutex; nobody waits for good.
std::unique_ptr<model> make_waiters_model(const waiters_scenario& with);

}  // namespace explore

#endif
