// Misuse: a function returns without its join. tests/interfaces/c/ends_with.sh looks at how this ends.
#include <nopal/nopal.h>

#include <unistd.h>

// Returns on one worker alone: where its parent's callers go on above it, its frame is theirs.
static void child(void* argument) {
  (void)argument;
  while (nopal_workers() > 1) pause();
}

__attribute__((noinline)) static void forget_to_join(void) {
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, child, NULL);
}

int main(void) {
  forget_to_join();
  return 0;
}
