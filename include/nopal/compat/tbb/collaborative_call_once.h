// <tbb/collaborative_call_once.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/collaborative_call_once.h"
