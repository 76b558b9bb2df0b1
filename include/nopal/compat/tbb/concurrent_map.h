// <tbb/concurrent_map.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/concurrent_map.h"
