// What every header of this interface is written in: its namespace, and exceptions where there are
// any.
//
// The names live in an inline namespace of their own, so that a program may also hold oneTBB
// itself, and files compiled with NOPAL_ELIDE or NOPAL_TBB_STEAL_BODIES.
#ifndef NOPAL_COMPAT_TBB_DETAIL_CONFIG_H
#define NOPAL_COMPAT_TBB_DETAIL_CONFIG_H

#include <nopal/detail/language.h>
#include <nopal/detail/thrown.hpp>
#include <nopal/version.hpp>

#ifdef NOPAL_ELIDE
#define NOPAL_TBB_NAMESPACE nopal_elided_2
#elif defined(NOPAL_TBB_STEAL_BODIES)
#define NOPAL_TBB_NAMESPACE nopal_stealing_2
#else
#define NOPAL_TBB_NAMESPACE nopal_2
#endif

#ifdef __cpp_exceptions
#define NOPAL_TBB_TRY try
#define NOPAL_TBB_CATCH catch (...)
#define NOPAL_TBB_RETHROW ::nopal::NOPAL_MODE_NAMESPACE::detail::throw_on()
#else
#define NOPAL_TBB_TRY if constexpr (true)
#define NOPAL_TBB_CATCH else
#define NOPAL_TBB_RETHROW static_cast<void>(0)
#endif

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
/// What the interface does not name.
namespace nopal_detail {}
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

namespace oneapi {
namespace tbb = ::tbb;
}

// oneTBB's own assertion, which programs use that are close to it, as oneDPL. Where its headers are read, theirs is meant.
#ifndef __TBB_ASSERT
#if defined(TBB_USE_ASSERT) && TBB_USE_ASSERT
#include "assertion.h"
#define __TBB_ASSERT(predicate, comment)                                                                     \
  ((predicate) ? ((void)0) : ::tbb::detail::r1::assertion_failure(__func__, __LINE__, #predicate, comment))
#else
#define __TBB_ASSERT(predicate, comment) ((void)0)
#endif
#endif

#endif
