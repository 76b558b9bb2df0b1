// <tbb/task_scheduler_observer.h>: the same header under the name that oneTBB's interface had first.
#include "../oneapi/tbb/task_scheduler_observer.h"
