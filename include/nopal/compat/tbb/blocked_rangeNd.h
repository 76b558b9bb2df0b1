// <tbb/blocked_rangeNd.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/blocked_rangeNd.h"
