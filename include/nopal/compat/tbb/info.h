// <tbb/info.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/info.h"
