// Threads that begin work which nobody waits for. They sleep while there is none; it is workers that share in it.
#ifndef NOPAL_COMPAT_TBB_DETAIL_DISPATCHER_H
#define NOPAL_COMPAT_TBB_DETAIL_DISPATCHER_H

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "current.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// What is offered, in a list of the dispatcher.
class offered_work {
public:
  constexpr offered_work() = default;
  offered_work(const offered_work&) = delete;
  offered_work& operator=(const offered_work&) = delete;

protected:
  ~offered_work() = default;

private:
  friend class dispatcher;
  /// Runs what there is, and gives up the attachment last of all.
  virtual void serve() = 0;
  virtual void attach() noexcept = 0;

  offered_work* next_ = nullptr;  // under the dispatcher's lock
  bool is_listed_ = false;        // the same
};

class dispatcher {
public:
  /// Sees to it that a thread serves `work`. Where the system refuses the thread, somebody who waits has to.
  static void offer(offered_work& work) {
    const int most = runtime_workers();
    const locked guard;
    start_over_after_fork();
    if (work.is_listed_) {
      return;
    }
    work.is_listed_ = true;
    work.next_ = nullptr;
    (last == nullptr ? first : last->next_) = &work;
    last = &work;
    if (idle > woken) {
      ++woken;
      pthread_cond_signal(&wake);
    } else if (threads < most) {
      add_thread();
    }
  }

  /// Nobody is going to serve it any more but those attached.
  static void withdraw(offered_work& work) {
    const locked guard;
    if (!work.is_listed_) {
      return;
    }
    work.is_listed_ = false;
    offered_work* before = nullptr;
    for (offered_work* at = first; at != &work; at = at->next_) {
      before = at;
    }
    (before == nullptr ? first : before->next_) = work.next_;
    if (last == &work) {
      last = before;
    }
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
      next_work().serve();
    }
  }

  static offered_work& next_work() {
    const locked guard;
    while (first == nullptr) {
      ++idle;
      pthread_cond_wait(&wake, &mutex);
      --idle;
      if (woken != 0) {
        --woken;
      }
    }
    offered_work& work = *first;
    first = work.next_;
    if (first == nullptr) {
      last = nullptr;
    }
    work.is_listed_ = false;
    work.attach();
    return work;
  }

  static inline constinit pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static inline constinit pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
  static inline constinit offered_work* first = nullptr;
  static inline constinit offered_work* last = nullptr;
  static inline constinit int threads = 0;
  static inline constinit int idle = 0;
  static inline constinit int woken = 0;  // of the idle
  static inline constinit pid_t process = 0;
};

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
