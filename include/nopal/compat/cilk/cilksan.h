/* Cilksan's interface. Races are found by `nopal check`, which needs none of it. */
#ifndef NOPAL_COMPAT_CILK_CILKSAN_H
#define NOPAL_COMPAT_CILK_CILKSAN_H

static inline void __cilksan_enable_checking(void) {}
static inline void __cilksan_disable_checking(void) {}
static inline int __cilksan_is_checking_enabled(void) { return 0; }

#endif
