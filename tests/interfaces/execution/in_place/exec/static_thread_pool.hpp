// In the place of stdexec's own pool, for what is included by name.
#ifndef NOPAL_TESTS_EXECUTION_STATIC_THREAD_POOL_HPP
#define NOPAL_TESTS_EXECUTION_STATIC_THREAD_POOL_HPP

#include "../pool.hpp"

namespace experimental::execution {
using static_thread_pool = nopal_pool;
}

#endif
