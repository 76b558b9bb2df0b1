// In the place of stdexec's context of one thread: an arena of one thread, which is not always the same.
#ifndef NOPAL_TESTS_EXECUTION_SINGLE_THREAD_CONTEXT_HPP
#define NOPAL_TESTS_EXECUTION_SINGLE_THREAD_CONTEXT_HPP

#include "../pool.hpp"

namespace experimental::execution {
class single_thread_context : public nopal_pool {
public:
  single_thread_context() : nopal_pool(1) {}
};
}  // namespace experimental::execution

#endif
