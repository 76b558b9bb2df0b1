// Compiled without exceptions: nothing here keeps the end of a thread from going on.
#include <pthread.h>
#include <tbb/task_group.h>

void end_in_task_without_exceptions() {
  tbb::task_group group;
  group.run([] { pthread_exit(nullptr); });
  group.wait();
}
