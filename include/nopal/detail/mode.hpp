// The namespace of what is compiled in two ways, on parallel scopes and on the serial elision's: one program may hold both.
#ifndef NOPAL_DETAIL_MODE_HPP
#define NOPAL_DETAIL_MODE_HPP

#include <nopal/version.hpp>

#ifndef NOPAL_ELIDE
#define NOPAL_MODE_NAMESPACE NOPAL_ABI_NAMESPACE
#elif defined(NOPAL_ELIDE_DEPTH)
#define NOPAL_MODE_NAMESPACE elided_depth
#else
#define NOPAL_MODE_NAMESPACE elided
#endif

#endif
