// The serial elision: linked without the library, in this order of calls.
#include <nopal/compat/fibril.h>
#include <nopal/nopal.h>

#include "check.h"

static int order[4];
static int steps;

NOPAL_FORKABLE(int, step, (int, name))
int step(int name) {
  order[steps++] = name;
  return name;
}
NOPAL_FORKABLE_VOID(last)
void last(void) { order[steps++] = 9; }
static void through(void* argument) { order[steps++] = *(int*)argument; }

int main(void) {
  int x = 0, y = 0, three = 3;
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_step(&s, &x, 1);
  CHECK(x == 1);
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, y, step, (2));
  CHECK(y == 2);
  fibril_join(&fr);
  nopal_fork(&s, through, &three);
  nopal_fork_last(&s);
  nopal_join(&s);
  CHECK(order[0] == 1 && order[1] == 2 && order[2] == 3 && order[3] == 9);
  return failures != 0;
}
