/* A function of C whose child ends beside its continuation, once the scope around it was stopped. */
#include <nopal/nopal.h>

#include <sched.h>

struct shared {
  void (*stop)(void*);
  void* scope;
  int stolen;
};

static void stop_when_stolen(void* argument) {
  struct shared* with = argument;
  while (__atomic_load_n(&with->stolen, __ATOMIC_ACQUIRE) == 0) sched_yield();
  with->stop(with->scope);
}

int joins_in_c(void (*stop)(void*), void* scope);
int joins_in_c(void (*stop)(void*), void* scope) {
  struct shared with = {stop, scope, 0};
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork(&s, stop_when_stolen, &with);
  __atomic_store_n(&with.stolen, 1, __ATOMIC_RELEASE);
  nopal_join(&s);
  return 1;
}
