// <tbb/tick_count.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/tick_count.h"
