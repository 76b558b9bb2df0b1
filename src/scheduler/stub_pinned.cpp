#include <nopal/detail/pinned.h>
static thread_local const void* local_of_thread;
extern "C" {
int nopal_begin_pinned(nopal_pinned* c) { c->outer = nullptr; c->local = local_of_thread; return 0; }
void nopal_end_pinned(nopal_pinned* c) { local_of_thread = c->local; }
const void* nopal_local(void) { return local_of_thread; }
void nopal_set_local(const void* v) { local_of_thread = v; }
}
