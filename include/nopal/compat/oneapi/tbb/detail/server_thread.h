// Threads that run what is enqueued.
#ifndef NOPAL_COMPAT_TBB_DETAIL_SERVER_THREAD_H
#define NOPAL_COMPAT_TBB_DETAIL_SERVER_THREAD_H

#include <pthread.h>

#include <csignal>

#include "config.h"

namespace tbb {
inline namespace NOPAL_TBB_NAMESPACE {
namespace nopal_detail {

/// A plug-in stays loaded while destructors of its thread-local objects are to come. Its threads last as long as the
/// process.
inline void keep_code_loaded() noexcept {
  struct last {
    last() noexcept = default;
    last(const last&) = delete;
    last& operator=(const last&) = delete;
    ~last() { asm volatile(""); }  // or compilers would leave it out
  };
  static thread_local const last object;
  asm volatile("" : : "r"(&object));
}

/// Starts a thread that nobody joins. Signals are the program's threads' business, but for what its own code raises, as on threads of
/// the pool. False: the system refuses.
inline bool start_server(void* (*serve)(void*)) {
  keep_code_loaded();  // until the new thread comes to that
  sigset_t others;
  sigset_t before;
  sigfillset(&others);
  for (const int own :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE, SIGXFSZ, SIGPROF}) {
    sigdelset(&others, own);
  }
  pthread_sigmask(SIG_BLOCK, &others, &before);
  pthread_t thread;
  const bool is_started = pthread_create(&thread, nullptr, serve, nullptr) == 0;
  if (is_started) {
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_started;
}

}  // namespace nopal_detail
}  // namespace NOPAL_TBB_NAMESPACE
}  // namespace tbb

#endif
