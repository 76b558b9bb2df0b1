// Misuse: a function returns without the end of its scope, which was stopped. tests/interfaces/c/ends_with.sh looks at how
// this ends.
#include <nopal/speculate.h>

static void child(void* argument) { (void)argument; }

__attribute__((noinline)) static void forget_the_end(void) {
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_completion);
  nopal_fork(&s.scope, child, NULL);
  nopal_join(&s.scope);
  nopal_cancel_scope_stop(&s);
}

int main(void) {
  for (int i = 0; i < 10; ++i) forget_the_end();
  return 0;
}
