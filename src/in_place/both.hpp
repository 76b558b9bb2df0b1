// oneTBB's own declarations, and our headers of the same interface under another name, side by side.
#ifndef NOPAL_IN_PLACE_BOTH_HPP
#define NOPAL_IN_PLACE_BOTH_HPP

#define tbb nopal_in_place
#define TBB_runtime_version version_in_place
#define TBB_runtime_interface_version interface_version_in_place
#include <nopal/compat/oneapi/tbb/global_control.h>
#include <nopal/compat/oneapi/tbb/info.h>
#include <nopal/compat/oneapi/tbb/parallel_pipeline.h>
#include <nopal/compat/oneapi/tbb/task.h>
#include <nopal/compat/oneapi/tbb/task_arena.h>
#include <nopal/compat/oneapi/tbb/task_group.h>
#include <nopal/compat/oneapi/tbb/task_scheduler_observer.h>
#undef tbb
#undef TBB_runtime_version
#undef TBB_runtime_interface_version
#undef TBB_VERSION_MAJOR
#undef TBB_VERSION_MINOR
#undef TBB_VERSION_PATCH
#undef TBB_VERSION_STRING
#undef ONETBB_SPEC_VERSION
#undef TBB_INTERFACE_VERSION
#undef TBB_INTERFACE_VERSION_MAJOR
#undef TBB_INTERFACE_VERSION_MINOR

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/profiling.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include "in_place/later.hpp"

namespace ours = nopal_in_place::NOPAL_TBB_NAMESPACE;

#endif
