// A mutex of many readers or one writer.
#ifndef NOPAL_COMPAT_TBB_RW_MUTEX_H
#define NOPAL_COMPAT_TBB_RW_MUTEX_H

#include "spin_rw_mutex.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {

/// The same as spin_rw_mutex.
using rw_mutex = spin_rw_mutex;

}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
