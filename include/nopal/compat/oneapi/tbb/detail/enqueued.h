// Tasks that nobody waits for, and the threads that begin them: asleep while there are none. Workers share in the tasks by
// stealing.
#ifndef NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_H
#define NOPAL_COMPAT_TBB_DETAIL_ENQUEUED_H

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "current.h"
#include "task_source.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

class enqueued {
public:
  /// Hands a task over. Where the system refuses a thread for it, the next one may get one.
  static void push(pending_task* task) {
#ifdef NOPAL_ELIDE
    task->run();
    delete task;
#else
    const int most = runtime_workers();
    const locked guard;
    start_over_after_fork();
    tasks.push(task);
    if (idle > woken) {
      ++woken;
      pthread_cond_signal(&wake);
    } else if (threads < most) {
      add_thread();
    }
#endif
  }

private:
  struct locked {
    locked() { pthread_mutex_lock(&mutex); }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;
    ~locked() { pthread_mutex_unlock(&mutex); }
  };

  /// A child process has none of its parent's threads.
  static void start_over_after_fork() {
    const pid_t now = getpid();
    if (process != now) {
      process = now;
      threads = idle = woken = 0;
      wake = PTHREAD_COND_INITIALIZER;
    }
  }

  /// Signals are the program's threads' business.
  static void add_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    if (pthread_create(&thread, nullptr, serve_for_ever, nullptr) == 0) {
      pthread_detach(thread);
      ++threads;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  static void* serve_for_ever(void*) {
    for (;;) {
      wait_for_tasks();
      tasks.drain();
    }
  }

  static void wait_for_tasks() {
    const locked guard;
    while (!tasks.has_tasks()) {
      ++idle;
      pthread_cond_wait(&wake, &mutex);
      --idle;
      if (woken != 0) {
        --woken;
      }
    }
  }

  static inline constinit pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static inline constinit pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  static inline constinit task_source tasks{task_source::order::oldest_first};
  static inline constinit int threads = 0;
  static inline constinit int idle = 0;
  static inline constinit int woken = 0;  // of the idle
  static inline constinit pid_t process = 0;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
