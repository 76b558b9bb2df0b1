// <tbb/tbbmalloc_proxy.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/tbbmalloc_proxy.h"
