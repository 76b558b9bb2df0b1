// <tbb/concurrent_lru_cache.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/concurrent_lru_cache.h"
