// The version of oneTBB whose interface this is: where its own headers are installed, of which containers and flow graphs are, it
// is theirs; else the one below.
#ifndef NOPAL_COMPAT_TBB_VERSION_H
#define NOPAL_COMPAT_TBB_VERSION_H

// Programs rely on what oneTBB's header includes.
#include <cstddef>

#include "detail/config.h"

#define NOPAL_COMPAT_TBB 1  // tells these headers from oneTBB's

// CMake writes it.
#if __has_include(<oneapi/tbb/detail/version_if_installed.h>)
#include <oneapi/tbb/detail/version_if_installed.h>
#endif

#ifndef TBB_VERSION_MAJOR
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8.0"
#define ONETBB_SPEC_VERSION "1.0"
#define TBB_INTERFACE_VERSION 12080
#define TBB_INTERFACE_VERSION_MAJOR (TBB_INTERFACE_VERSION / 1000)
#define TBB_INTERFACE_VERSION_MINOR (TBB_INTERFACE_VERSION % 1000 / 10)
#endif

/// The same at run time.
inline const char* TBB_runtime_version() { return TBB_VERSION_STRING; }
inline int TBB_runtime_interface_version() { return TBB_INTERFACE_VERSION; }

#endif
