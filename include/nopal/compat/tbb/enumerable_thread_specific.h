// <tbb/enumerable_thread_specific.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/enumerable_thread_specific.h"
