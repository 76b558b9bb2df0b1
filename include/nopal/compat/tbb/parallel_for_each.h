// <tbb/parallel_for_each.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/parallel_for_each.h"
