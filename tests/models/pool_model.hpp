// The pool of stacks, real code, between threads that take stacks and give them back.
#ifndef NOPAL_TESTS_EXPLORE_POOL_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_POOL_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

#include "models/explorer.hpp"

namespace explore {

struct pool_scenario {
  std::vector<std::string> threads;  ///< per thread: t take a stack, g give back the last one taken
  int regions = 1;                   ///< of two stacks each, as many as the system grants
  int stacks = 100;                  ///< as many as the system grants
  bool enough = true;                ///< no take may come back without a stack
  int nodes = 1;                     ///< memory nodes; thread i is on node i modulo that
  bool near = false;                 ///< each take is of the thread's own node
};

/// A stack is held by one thread at a time, which sees what the last holder wrote; stacks that are given back can be taken.
std::unique_ptr<model> make_pool_model(const pool_scenario& with);

}  // namespace explore

#endif
