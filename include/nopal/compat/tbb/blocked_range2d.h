// <tbb/blocked_range2d.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/blocked_range2d.h"
