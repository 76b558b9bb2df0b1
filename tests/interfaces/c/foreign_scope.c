// Misuse: forks on a scope that another function made. tests/interfaces/c/ends_with.sh looks at how this ends.
#include <nopal/nopal.h>

static void nothing(void* argument) { (void)argument; }

__attribute__((noinline)) static void fork_on(nopal_scope* s) { nopal_fork(s, nothing, NULL); }

int main(void) {
  nopal_scope s;
  nopal_scope_init(&s);
  fork_on(&s);
  nopal_join(&s);
  return 0;
}
