/* A thread that ends in a child of code compiled as C, through which unwinding runs nothing. */
#include <nopal/nopal.h>

#include <pthread.h>

void end_thread_in_c(void);

static void end_thread(void* unused) {
  (void)unused;
  pthread_exit(NULL);
}

void end_thread_in_c(void) {
  nopal_scope scope;
  nopal_scope_init(&scope);
  nopal_fork(&scope, end_thread, NULL);
  nopal_join(&scope);
}
