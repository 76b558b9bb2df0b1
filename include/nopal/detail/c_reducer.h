/* Reducers of the C interface, parallel and elided. */
#ifndef NOPAL_DETAIL_C_REDUCER_H
#define NOPAL_DETAIL_C_REDUCER_H

#include <stddef.h>

#ifdef NOPAL_CHECKED
#include <stdlib.h>
#include <string.h>

#include <nopal/detail/check.h>
#elif !defined(NOPAL_ELIDE)
#include <nopal/detail/view.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nopal_monoid {
  size_t size;      /**< of a view, in bytes */
  size_t alignment; /**< of a view, a power of two; 0: any that malloc gives */
  /** Makes an identity of the memory at `view`; null: all its bytes are zero. */
  void (*identity)(void* context, void* view);
  /** Reduces `right` into `left`; `right` is destroyed afterwards. */
  void (*reduce)(void* context, void* left, void* right);
  /** Ends what `identity` made, not the memory; null: nothing to do. */
  void (*destroy)(void* context, void* view);
  void* context; /**< handed to the functions */
} nopal_monoid;

#ifdef NOPAL_CHECKED

typedef struct nopal_reducer {
  struct nopal_check_reducer known; /**< the library's */
  const nopal_monoid* monoid;       /**< the library's */
} nopal_reducer;

static inline void* nopal_check_create_view(void* monoid) {
  const nopal_monoid* const of = (const nopal_monoid*)monoid;
  void* const view = nopal_check_allocate(of->size, of->alignment);
  if (view == NULL) {
    return NULL;
  }
  if (of->identity != NULL) {
    of->identity(of->context, view);
  } else {
    memset(view, 0, of->size);
  }
  return view;
}

static inline void nopal_check_reduce_views(void* monoid, void* left, void* right) {
  const nopal_monoid* const of = (const nopal_monoid*)monoid;
  of->reduce(of->context, left, right);
}

static inline void nopal_check_destroy_view(void* monoid, void* view) {
  const nopal_monoid* const of = (const nopal_monoid*)monoid;
  if (of->destroy != NULL) of->destroy(of->context, view);
  free(view);
}

static inline int nopal_reducer_init(nopal_reducer* reducer, const nopal_monoid* monoid, void* value) {
  static const struct nopal_check_view_functions functions = {
      nopal_check_create_view, nopal_check_reduce_views, nopal_check_destroy_view};
  reducer->monoid = monoid;
  reducer->known.functions = &functions;
  /* Its functions take it for constant again. In C and in C++, where no one cast is plain in both. */
  __builtin_memcpy(&reducer->known.context, &monoid, sizeof monoid);
  reducer->known.leftmost = value;
  nopal_check_make_reducer(&reducer->known);
  return 0;
}

static inline void* nopal_view(nopal_reducer* reducer) { return nopal_check_view(&reducer->known); }

static inline void nopal_reducer_destroy(nopal_reducer* reducer) { nopal_check_end_reducer(&reducer->known); }

#elif defined(NOPAL_ELIDE)

typedef struct nopal_reducer {
  void* value;
} nopal_reducer;

static inline int nopal_reducer_init(nopal_reducer* reducer, const nopal_monoid* monoid, void* value) {
  (void)monoid;
  reducer->value = value;
  return 0;
}

static inline void* nopal_view(nopal_reducer* reducer) { return reducer->value; }

static inline void nopal_reducer_destroy(nopal_reducer* reducer) { (void)reducer; }

#else

typedef struct nopal_reducer {
  struct nopal_hyperobject known; /**< the library's */
  const nopal_monoid* monoid;     /**< the library's */
} nopal_reducer;

/* The rest of nopal_reducer_init. */
NOPAL_EXPORT int nopal_start_reducer(nopal_reducer* reducer, void* value);

static inline int nopal_reducer_init(nopal_reducer* reducer, const nopal_monoid* monoid, void* value) {
  reducer->monoid = monoid;
  return nopal_start_reducer(reducer, value);
}

static NOPAL_ALWAYS_INLINE void* nopal_view(nopal_reducer* reducer) {
  void* const view = nopal_view_at_hand(&reducer->known);
  return NOPAL_LIKELY(view) ? view : nopal_find_view(&reducer->known);
}

static inline void nopal_reducer_destroy(nopal_reducer* reducer) { nopal_end_reducer(&reducer->known); }

#endif

#ifdef __cplusplus
}
#endif

#endif
