// Before a header of oneTBB's flow graphs: see theirs_tasks.h. Included each time, so without a guard.
#include "theirs_tasks.h"

#include "theirs_begin.h"
