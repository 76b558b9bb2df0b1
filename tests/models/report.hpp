// What tests of models expect, and how they tell what they found.
#ifndef NOPAL_TESTS_EXPLORE_REPORT_HPP
#define NOPAL_TESTS_EXPLORE_REPORT_HPP

#include <gtest/gtest.h>

#include <iostream>

#include "models/explorer.hpp"

namespace explore {

inline outcome explored(model& program, memory_kind memory, options how = {}) {
  how.memory = memory;
  outcome result = explore(program, how);
  std::cout << (memory == memory_kind::tso ? "tso:   " : "views: ") << result.states << " states, "
            << result.executions << " executions, " << result.ends << " of them to the end, " << result.steps
            << " steps" << (result.failed ? "; found: " + result.message : "") << "\n";
  return result;
}

inline void expect_right(model& program, const options& how = {}) {
  for (const memory_kind memory : {memory_kind::tso, memory_kind::views}) {
    const outcome result = explored(program, memory, how);
    EXPECT_FALSE(result.failed) << result.message << "\n" << result.trace;
  }
}

inline void expect_failure(model& program, memory_kind memory, const options& how = {}) {
  EXPECT_TRUE(explored(program, memory, how).failed) << "a fault made on purpose was not found";
}

}  // namespace explore

#endif
