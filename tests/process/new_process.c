// Forks in C: the Fibril interface and ours.
#include "process/new_process.h"

#include <nopal/compat/fibril.h>
#include <nopal/nopal.h>

static long fork_by_fibril(long depth, void (*below)(void), void (*after)(void)) {
  long inner = 0;
  const double kept = (double)depth;
  fibril_t frame;
  if (depth == 0) {
    below();
    return 0;
  }
  fibril_init(&frame);
  fibril_fork(&frame, &inner, fork_in_c, (depth - 1, below, after));
  after();
  fibril_join(&frame);
  return kept == (double)depth ? inner + 1 : -1;
}

NOPAL_FORKABLE(long, fork_by_fibril, (long, depth), (void (*)(void), below), (void (*)(void), after))

long fork_in_c(long depth, void (*below)(void), void (*after)(void)) {
  long inner = 0;
  nopal_scope s;
  if (depth % 2 != 0 || depth == 0) {
    return fork_by_fibril(depth, below, after);
  }
  nopal_scope_init(&s);
  nopal_fork_fork_by_fibril(&s, &inner, depth - 1, below, after);
  after();
  nopal_join(&s);
  return inner + 1;
}
