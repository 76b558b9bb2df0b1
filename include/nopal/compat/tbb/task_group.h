// <tbb/task_group.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/task_group.h"
