// Everything of this interface in one include.
#ifndef NOPAL_COMPAT_TBB_TBB_H
#define NOPAL_COMPAT_TBB_TBB_H

// Programs rely on what oneTBB's header includes.
#include <array>
#include <compare>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <list>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

#include "tbb/blocked_range.h"
#include "tbb/blocked_range2d.h"
#include "tbb/blocked_range3d.h"
#include "tbb/blocked_rangeNd.h"
#include "tbb/cache_aligned_allocator.h"
#include "tbb/collaborative_call_once.h"
#include "tbb/combinable.h"
#include "tbb/detail/not_here.h"
#include "tbb/enumerable_thread_specific.h"
#include "tbb/global_control.h"
#include "tbb/info.h"
#include "tbb/mutex.h"
#include "tbb/null_mutex.h"
#include "tbb/null_rw_mutex.h"
#include "tbb/parallel_for.h"
#include "tbb/parallel_for_each.h"
#include "tbb/parallel_invoke.h"
#include "tbb/parallel_pipeline.h"
#include "tbb/parallel_reduce.h"
#include "tbb/parallel_scan.h"
#include "tbb/parallel_sort.h"
#include "tbb/partitioner.h"
#include "tbb/queuing_mutex.h"
#include "tbb/queuing_rw_mutex.h"
#include "tbb/rw_mutex.h"
#include "tbb/scalable_allocator.h"
#include "tbb/spin_mutex.h"
#include "tbb/spin_rw_mutex.h"
#include "tbb/task.h"
#include "tbb/task_arena.h"
#include "tbb/task_group.h"
#include "tbb/task_scheduler_observer.h"
#include "tbb/tbb_allocator.h"
#include "tbb/tick_count.h"
#include "tbb/version.h"

#if defined(TBB_PREVIEW_NUMA_ALLOCATION) && TBB_PREVIEW_NUMA_ALLOCATION
#include "tbb/numa_allocation.h"
#endif

// The containers, which CMake writes the headers of.
#if __has_include(<oneapi/tbb/detail/theirs_if_installed.h>)
#include <oneapi/tbb/detail/theirs_if_installed.h>
#endif

#endif
