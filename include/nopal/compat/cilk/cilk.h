/* Cilk's keywords. `nopal cilk` puts Nopal's interface in their place; another compiler sees the serial elision. */
#ifndef NOPAL_COMPAT_CILK_CILK_H
#define NOPAL_COMPAT_CILK_CILK_H

#if defined(NOPAL_CILK_COMPILED) && !defined(NOPAL_CILK_PARSED)
/* What `nopal cilk` has not seen would be serial: a file that @FILE, -x or a pipe names, a keyword that ## makes. */
#define NOPAL_CILK_PRAGMA(text) _Pragma(#text)
#define NOPAL_CILK_UNTRANSLATED                                                                              \
  NOPAL_CILK_PRAGMA(                                                                                         \
      GCC error                                                                                              \
      "nopal: 'nopal cilk' has not translated this: name the file, as x.c or x.cpp; make no keyword by ##")
#define cilk_spawn NOPAL_CILK_UNTRANSLATED
#define cilk_sync NOPAL_CILK_UNTRANSLATED
#define cilk_scope NOPAL_CILK_UNTRANSLATED
#define cilk_for NOPAL_CILK_UNTRANSLATED for
#define cilk_reducer(...) NOPAL_CILK_UNTRANSLATED
#elif !defined(NOPAL_CILK_PARSED)
#define cilk_spawn
#define cilk_sync
#define cilk_scope
#define cilk_for for
#define cilk_reducer(...)
#endif

#endif
