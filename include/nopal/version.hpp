// The version of these headers, and the inline namespace that carries their binary interface.
//
// Every name of the library lives in an inline namespace that changes whenever the layout of a
// type or the meaning of an internal symbol does, so objects built against different interfaces
// never link to one another by accident.
#ifndef NOPAL_VERSION_HPP
#define NOPAL_VERSION_HPP

#define NOPAL_VERSION_MAJOR 0
#define NOPAL_VERSION_MINOR 1
#define NOPAL_VERSION_PATCH 0
#define NOPAL_VERSION_STRING "0.1.0"

/// Revision of the binary interface between the inlined fast path and the library.
#define NOPAL_ABI 3
#define NOPAL_ABI_NAMESPACE abi_3

// A checked program is the serial elision, which tells the checker what it does; where it is checked in parallel its forks
// are real.
#if defined(NOPAL_CHECKED_PARALLEL) && !defined(NOPAL_CHECKED)
#define NOPAL_CHECKED
#endif
#if defined(NOPAL_CHECKED) && !defined(NOPAL_ELIDE)
#define NOPAL_ELIDE
#endif

#endif
