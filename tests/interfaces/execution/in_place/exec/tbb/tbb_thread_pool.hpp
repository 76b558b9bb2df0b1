// In the place of the pool that stdexec makes of another library's.
#include "../static_thread_pool.hpp"

namespace experimental::execution::tbb {
using tbb_thread_pool = nopal_pool;
}
