/* Memory in place of alloca's, in functions whose children run at the same time: what alloca takes would lie on whichever stack
 * the strand happens to use. Freed where its function ends, by one attribute of GCC and Clang. */
#ifndef NOPAL_DETAIL_CILK_MEMORY_H
#define NOPAL_DETAIL_CILK_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

struct nopal_cilk_block {
  struct nopal_cilk_block* next;
  size_t unused; /* what follows is aligned as malloc aligns */
};

static __attribute__((unused)) void nopal_cilk_free(struct nopal_cilk_block** all) {
  while (*all != NULL) {
    struct nopal_cilk_block* const first = *all;
    *all = first->next;
    free(first);
  }
}

/* Never null, as alloca: without memory the program ends. */
static inline void* nopal_cilk_allocate(struct nopal_cilk_block** all, size_t bytes) {
  struct nopal_cilk_block* const made =
      (struct nopal_cilk_block*)malloc(sizeof(struct nopal_cilk_block) + bytes);
  if (made == NULL) abort();
  made->next = *all;
  *all = made;
  return made + 1;
}

#define NOPAL_CILK_MEMORY(name) __attribute__((cleanup(nopal_cilk_free))) struct nopal_cilk_block* name = NULL

#endif
