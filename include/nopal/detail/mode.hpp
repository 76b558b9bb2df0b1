// The namespace of code that is compiled in several ways, on parallel scopes, on those of the serial
// elision and on those that are checked: one program may hold all.
#ifndef NOPAL_DETAIL_MODE_HPP
#define NOPAL_DETAIL_MODE_HPP

#include <nopal/version.hpp>

#ifndef NOPAL_ELIDE
#define NOPAL_MODE_NAMESPACE NOPAL_ABI_NAMESPACE
#elif defined(NOPAL_CHECKED_PARALLEL)
#define NOPAL_MODE_NAMESPACE checked_parallel
#elif defined(NOPAL_CHECKED)
#define NOPAL_MODE_NAMESPACE checked
#elif defined(NOPAL_ELIDE_DEPTH)
#define NOPAL_MODE_NAMESPACE elided_depth
#else
#define NOPAL_MODE_NAMESPACE elided
#endif

// Encloses what follows the last fork of a scope. If that throws, an earlier exception of a child
// is thrown instead: to leave the scope by the later one would drop it. A forced unwind is no
// exception, and goes on whatever children threw. Needs <nopal/detail/thrown.hpp>.
#if defined(__cpp_exceptions) && !defined(NOPAL_ELIDE)
#define NOPAL_DETAIL_TRY try
#define NOPAL_DETAIL_JOIN_IF_THROWN(scope)                                                                   \
  catch (...) {                                                                                              \
    if (!::nopal::NOPAL_MODE_NAMESPACE::detail::handles_end_of_thread()) (scope).join();                     \
    ::nopal::NOPAL_MODE_NAMESPACE::detail::throw_on();                                                       \
  }
#else
#define NOPAL_DETAIL_TRY
#define NOPAL_DETAIL_JOIN_IF_THROWN(scope)
#endif

#endif
