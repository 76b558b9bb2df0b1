// <tbb/memory_pool.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/memory_pool.h"
