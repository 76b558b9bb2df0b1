/* A thread that ends in a child of code compiled as C, through which unwinding runs nothing. */
#include <nopal/nopal.h>

#include <pthread.h>

void end_thread_in_c(void (*first)(void), void (*meanwhile)(void));

static void end_thread(void* first) {
  (*(void (**)(void))first)();
  pthread_exit(NULL);
}

/* The child calls `first`, the continuation `meanwhile`. */
void end_thread_in_c(void (*first)(void), void (*meanwhile)(void)) {
  nopal_scope scope;
  nopal_scope_init(&scope);
  nopal_fork(&scope, end_thread, &first);
  meanwhile();
  nopal_join(&scope);
}
