// The library's version and the alternatives that it was built with, in words.
#ifndef NOPAL_VARIANT_HPP
#define NOPAL_VARIANT_HPP

#include <nopal/version.hpp>

#if defined(NOPAL_DEQUE_THE)
#define NOPAL_BUILT_DEQUE " the"
#elif defined(NOPAL_DEQUE_LOCKFREE)
#define NOPAL_BUILT_DEQUE " lockfree"
#else
#define NOPAL_BUILT_DEQUE ""
#endif

#ifdef NOPAL_JOIN_LOCKED
#define NOPAL_BUILT_JOIN " locked"
#else
#define NOPAL_BUILT_JOIN ""
#endif

#ifdef NOPAL_VIEWS_HASHED
#define NOPAL_BUILT_VIEWS " hashed"
#else
#define NOPAL_BUILT_VIEWS ""
#endif

#define NOPAL_BUILT NOPAL_VERSION_STRING NOPAL_BUILT_DEQUE NOPAL_BUILT_JOIN NOPAL_BUILT_VIEWS

#endif
