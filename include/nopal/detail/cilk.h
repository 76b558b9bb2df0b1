/* What a C program that `nopal cilk` has translated needs beside scopes. */
#ifndef NOPAL_DETAIL_CILK_H
#define NOPAL_DETAIL_CILK_H

#include <nopal/detail/cilk_memory.h>
#include <nopal/nopal.h>

#ifdef NOPAL_ELIDE
#define NOPAL_CILK_INLINE static inline
#else
#define NOPAL_CILK_INLINE static NOPAL_ALWAYS_INLINE
#endif

/* Inlined, for a scope is joined by the function that made it. */
NOPAL_CILK_INLINE void nopal_cilk_join(nopal_scope* scope) { nopal_join(scope); }

/* A scope that is joined wherever the block is left. */
#define NOPAL_CILK_SCOPE(name)                                                                               \
  __attribute__((cleanup(nopal_cilk_join))) nopal_scope name;                                                \
  nopal_scope_init(&name)

/* What finds the views of a variable that is a reducer. */
typedef struct nopal_cilk_hyperobject {
  nopal_reducer reducer;
  nopal_monoid monoid;
  void (*identity)(void* view);
  void (*reduce)(void* left, void* right);
  nopal_scope* scope; /* of what it is declared in; null: of none */
} nopal_cilk_hyperobject;

static inline void nopal_cilk_identity(void* of, void* view) {
  ((const nopal_cilk_hyperobject*)of)->identity(view);
}
static inline void nopal_cilk_reduce(void* of, void* left, void* right) {
  ((const nopal_cilk_hyperobject*)of)->reduce(left, right);
}
static inline void nopal_cilk_begin(nopal_cilk_hyperobject* made, void* value, size_t size, size_t alignment,
                                    void (*identity)(void* view), void (*reduce)(void* left, void* right)) {
  made->identity = identity;
  made->reduce = reduce;
  made->monoid.size = size;
  made->monoid.alignment = alignment;
  made->monoid.identity = nopal_cilk_identity;
  made->monoid.reduce = nopal_cilk_reduce;
  made->monoid.destroy = NULL;
  made->monoid.context = made;
  if (nopal_reducer_init(&made->reducer, &made->monoid, value) != 0) abort();
}
/* What has views may still run: it is joined first. */
NOPAL_CILK_INLINE void nopal_cilk_end(nopal_cilk_hyperobject* ended) {
  if (ended->scope != NULL) nopal_join(ended->scope);
  nopal_reducer_destroy(&ended->reducer);
}
NOPAL_CILK_INLINE void* nopal_cilk_view(nopal_cilk_hyperobject* of) { return nopal_view(&of->reducer); }

#define NOPAL_CILK_HYPEROBJECT(name, variable, identity, reduce)                                             \
  nopal_cilk_hyperobject name;                                                                               \
  static __attribute__((constructor)) void name##_begin(void) {                                              \
    name.scope = NULL;                                                                                       \
    nopal_cilk_begin(&name, &variable, sizeof variable, __alignof__(variable), identity, reduce);            \
  }
#define NOPAL_CILK_LOCAL_HYPEROBJECT(name, variable, of, identity, reduce)                                   \
  __attribute__((cleanup(nopal_cilk_end))) nopal_cilk_hyperobject name;                                      \
  name.scope = of;                                                                                           \
  nopal_cilk_begin(&name, &variable, sizeof variable, __alignof__(variable), identity, reduce)

/* Steps of a loop over a distance; with its end if it is `through` that. */
static inline size_t nopal_cilk_steps(size_t distance, size_t step, int through) {
  return distance / step + (through || distance % step != 0 ? 1 : 0);
}

struct nopal_cilk_loop {
  void (*body)(void* frame, size_t from, size_t to);
  void* frame;
  size_t grain;
};

static void nopal_cilk_part(const struct nopal_cilk_loop* loop, size_t from, size_t to);
#pragma push_macro("register")
#undef register
NOPAL_FORKABLE_VOID(nopal_cilk_part, (const struct nopal_cilk_loop*, loop), (size_t, from), (size_t, to))
#pragma pop_macro("register")

/* The child gets the earlier half: it is what the serial program does first. */
static __attribute__((unused)) void nopal_cilk_part(const struct nopal_cilk_loop* loop, size_t from,
                                                    size_t to) {
  if (to - from <= loop->grain) {
    loop->body(loop->frame, from, to);
    return;
  }
  const size_t middle = from + (to - from) / 2;
  nopal_scope scope;
  nopal_scope_init(&scope);
  nopal_fork_nopal_cilk_part(&scope, loop, from, middle);
  nopal_cilk_part(loop, middle, to);
  nopal_join(&scope);
}

/* Cilk's grain: an eighth of each worker's share, and 2048 at most. */
static __attribute__((unused)) void
nopal_cilk_loop(size_t count, size_t grain, void (*body)(void* frame, size_t from, size_t to), void* frame) {
  if (count == 0) return;
  if (grain == 0) {
    const size_t share = count / (8 * (size_t)nopal_workers());
    grain = share < 1 ? 1 : share > 2048 ? 2048 : share;
  }
  const struct nopal_cilk_loop loop = {body, frame, grain};
  nopal_cilk_part(&loop, 0, count);
}

#endif
