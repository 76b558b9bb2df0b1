// <tbb/queuing_mutex.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/queuing_mutex.h"
