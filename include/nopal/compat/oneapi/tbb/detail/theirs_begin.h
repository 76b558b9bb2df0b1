// Before a header of oneTBB's own: see theirs.h. Included each time, so without a guard.
#include "theirs_tasks.h"

#pragma push_macro("tbb")
#undef tbb
#define tbb NOPAL_TBB_THEIRS
