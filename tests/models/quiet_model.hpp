// A thread's words of quiet loops, real code, beside who chooses another number of workers.
#ifndef NOPAL_TESTS_EXPLORE_QUIET_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_QUIET_MODEL_HPP

#include <memory>

#include "models/explorer.hpp"

namespace explore {

/// The first thread notes the number `notes` times and uses it, the second chooses another one. A loop that begins once the
/// choice is over goes by that number, or asks.
std::unique_ptr<model> make_quiet_model(int notes);

}  // namespace explore

#endif
