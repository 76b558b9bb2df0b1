/* The languages that the headers are written in. What follows in another would be errors that do
 * not say so, so nothing follows. */
#ifndef NOPAL_DETAIL_LANGUAGE_H
#define NOPAL_DETAIL_LANGUAGE_H

#ifdef __cplusplus
#if __cplusplus < 202002L
#error "nopal: these headers need C++20 or later: compile with -std=c++20 (in C: C99 or later)"
#include <nopal/the_error_before_this_one_says_what_is_accepted>
#endif
#elif defined(__STRICT_ANSI__) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "nopal: these headers need C99 or later: compile with -std=c11 or -std=c99"
#include <nopal/the_error_before_this_one_says_what_is_accepted>
#endif

#endif
