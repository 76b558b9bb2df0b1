// The join, real code, between the strand that arrives and the children that end.
#ifndef NOPAL_TESTS_EXPLORE_JOIN_MODEL_HPP
#define NOPAL_TESTS_EXPLORE_JOIN_MODEL_HPP

#include <memory>

#include "models/explorer.hpp"

namespace explore {

enum class join_fault {
  none,
  torn,              ///< a step of the count is a load and a store
  nothing_released,  ///< a step of the count publishes nothing
  nothing_acquired,  ///< a step of the count gets nothing
  inbox_unseen,      ///< the owner does not look into its inbox after it announced its sleep
  no_wake,           ///< a hand-over wakes nobody
};

enum class join_home {
  pooled,  ///< the strand goes back to a stack of the pool, where the first child ended
  stays,   ///< the strand stays on the stack that it arrived on
  pinned,  ///< the strand goes back to the stack that the first child's thread came with
};

/// One worker arrives at the join, `children` others end one child each. One of them resumes the strand, at once, on its
/// home, where nobody else is any more, and sees what every child did.
std::unique_ptr<model> make_join_model(join_home home, int children, join_fault fault);

/// The same, but the worker steals from the scope first, once for each child, which may end from then on; and the counts
/// are settled at the second steal and each one after.
std::unique_ptr<model> make_settling_model(join_home home, int children, join_fault fault);

}  // namespace explore

#endif
