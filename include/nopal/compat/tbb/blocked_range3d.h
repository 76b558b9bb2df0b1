// <tbb/blocked_range3d.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/blocked_range3d.h"
