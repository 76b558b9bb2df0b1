/* A conversion in headers of both languages: C++ warns of C's casts where it is asked to. */
#ifndef NOPAL_DETAIL_PLAIN_CAST_H
#define NOPAL_DETAIL_PLAIN_CAST_H

#ifdef __cplusplus
#define NOPAL_DETAIL_AS(type, value) static_cast<type>(value)
#define NOPAL_DETAIL_BITS_AS(type, value) reinterpret_cast<type>(value)
#else
#define NOPAL_DETAIL_AS(type, value) ((type)(value))
#define NOPAL_DETAIL_BITS_AS(type, value) ((type)(value))
#endif

#endif
