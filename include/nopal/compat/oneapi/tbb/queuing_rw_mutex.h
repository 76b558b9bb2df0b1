// A mutex of many readers or one writer.
#ifndef NOPAL_COMPAT_TBB_QUEUING_RW_MUTEX_H
#define NOPAL_COMPAT_TBB_QUEUING_RW_MUTEX_H

// Programs rely on what oneTBB's header includes.
#include <cstring>

#include "spin_rw_mutex.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// The same as spin_rw_mutex: not fair.
using queuing_rw_mutex = spin_rw_mutex;

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
