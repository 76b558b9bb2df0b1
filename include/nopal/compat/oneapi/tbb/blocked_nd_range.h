// blocked_nd_range, under the name that its header has since oneTBB 2022.
#ifndef NOPAL_COMPAT_TBB_BLOCKED_ND_RANGE_H
#define NOPAL_COMPAT_TBB_BLOCKED_ND_RANGE_H

#include "blocked_rangeNd.h"

#endif
