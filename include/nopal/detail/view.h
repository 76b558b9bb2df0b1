/* A reducer as the library knows it, and the lookup of the strand's view of it, inlined into user
 * code.
 *
 * Each strand has a set of views: an array of pointers, one slot for each reducer, null where the
 * strand has none. The calling thread's array is found like its deque. Memory-mapped reducers (I-T.
 * A. Lee, A. Shafi and C. E. Leiserson, SPAA 2012) find it by a kernel of their own.
 */
#ifndef NOPAL_DETAIL_VIEW_H
#define NOPAL_DETAIL_VIEW_H

#include <nopal/detail/fast_path.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One reducer, as all strands know it; its own value is elsewhere, since one strand writes that.
 * Written when it is made. */
struct nopal_hyperobject {
  /* In each strand's array; 0, which is null in all of them, if there are more reducers than
   * slots */
  uint32_t slot;
  uint32_t id; /* the same number if there is a slot; never 0 */
};

/* What the library calls for one reducer. `object` is the one that it was made with. */
struct nopal_view_functions {
  /* A new view that is the identity; null if there is no memory. May throw. */
  void* (*create)(void* object);
  /* Reduces `right`, which comes later, into `left`; `right` is destroyed afterwards. May throw. */
  void (*reduce)(void* object, void* left, void* right);
  /* Ends a view that `create` made. The reducer may be gone. */
  void (*destroy)(void* object, void* view);
  /* For views of at most a word that can be copied as bytes, which then lie in the sets themselves,
   * side by side: makes an identity at `memory`. Null for others. May throw. */
  void (*identity)(void* object, void* memory);
};

/* The calling thread's array of views; one with no view at all as long as its strand has none. */
NOPAL_EXPORT extern __thread void** nopal_views __attribute__((tls_model("initial-exec")));

/* Makes a reducer. Its own value, the view of what comes first in serial order, is at `leftmost`;
 * if that is null, the caller makes the value where the library says. Returns where it is, or null
 * without memory. */
NOPAL_EXPORT void* nopal_make_reducer(struct nopal_hyperobject* made,
                                      const struct nopal_view_functions* functions, void* object,
                                      void* leftmost);
/* Ends it. A leftmost view that the caller gave stays the caller's. */
NOPAL_EXPORT void nopal_end_reducer(struct nopal_hyperobject* reducer);

/* The view of a strand that has none in its array: finds it elsewhere or makes it. Null without
 * memory; throws what `create` throws. */
NOPAL_EXPORT void* nopal_find_view(const struct nopal_hyperobject* reducer);

/* Never cached across a call, like the deque: after a fork or a join it may be another's. */
static NOPAL_ALWAYS_INLINE void** nopal_this_views(void) {
  void** views;
  NOPAL_DETAIL_READ_THREAD_LOCAL(views, "nopal_views");
  return views;
}

/* The view that the strand has; null if it has to be found elsewhere or made. */
static NOPAL_ALWAYS_INLINE void* nopal_view_at_hand(const struct nopal_hyperobject* reducer) {
#ifdef NOPAL_VIEWS_HASHED
  /* A hash map of views per strand, for the evaluation. */
  return nopal_find_view(reducer);
#elif defined(NOPAL_RACES_WATCHED)
  /* The array's memory serves one strand after the other, in an order that ThreadSanitizer is not
   * told of. */
  return nopal_unwatched_slot(nopal_this_views(), reducer->slot);
#else
  return nopal_this_views()[reducer->slot];
#endif
}

#ifdef __cplusplus
}
#endif

#endif
