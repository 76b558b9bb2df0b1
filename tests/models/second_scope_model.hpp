// Stacks that a function is away on for one scope when its continuation is stolen there by a fork of another: real code.
#ifndef NOPAL_TESTS_EXPLORE_SECOND_SCOPE_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_SECOND_SCOPE_MODEL_HPP

#include <memory>

#include "models/explorer.hpp"

namespace explore {

enum class second_scope_fault {
  none,
  nothing_released,  ///< a step of `second` publishes nothing
  nothing_acquired,  ///< a step of `second` gets nothing
};

/// A function with two scopes. `program` is what its strand does: `a` and `b` fork from the first and the second scope, each
/// continuation is stolen, by the next thread; `A` and `B` join. Empty: every program with so many steals that joins both.
/// The strand comes home where and how the scopes nest, each stack but the function's home is given back once, when nobody
/// runs there, and nobody takes a stack that was given back for one to come home to.
std::unique_ptr<model> make_second_scope_model(const char* program, int steals,
                                               second_scope_fault fault = second_scope_fault::none);

}  // namespace explore

#endif
