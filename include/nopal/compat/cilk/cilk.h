/* Cilk's keywords. `nopal cilk` puts Nopal's interface in their place; another compiler sees the serial elision. */
#ifndef NOPAL_COMPAT_CILK_CILK_H
#define NOPAL_COMPAT_CILK_CILK_H

#ifndef NOPAL_CILK_PARSED
#define cilk_spawn
#define cilk_sync
#define cilk_scope
#define cilk_for for
#define cilk_reducer(...)
#endif

#endif
