/* A child of C. */
#include <nopal/nopal.h>

void fork_in_c(void (*child)(void*));

void fork_in_c(void (*child)(void*)) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child, NULL);
  nopal_join(&s);
}
