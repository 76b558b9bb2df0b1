// A mutex that knows its holder's thread.
#ifndef NOPAL_TESTS_SUPPORT_CHECKING_MUTEX_HPP
#define NOPAL_TESTS_SUPPORT_CHECKING_MUTEX_HPP

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

namespace support {

/// Ends the program with a line where another thread unlocks it, or its holder locks it again.
class checking_mutex {
public:
  checking_mutex() {
    pthread_mutexattr_t attributes;
    check(pthread_mutexattr_init(&attributes) == 0, "cannot be made");
    check(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0, "cannot be made");
    check(pthread_mutex_init(&mutex_, &attributes) == 0, "cannot be made");
    pthread_mutexattr_destroy(&attributes);
  }
  checking_mutex(const checking_mutex&) = delete;
  checking_mutex& operator=(const checking_mutex&) = delete;
  ~checking_mutex() { pthread_mutex_destroy(&mutex_); }
  void lock() { check(pthread_mutex_lock(&mutex_) == 0, "is locked by its holder"); }
  void unlock() {
    check(pthread_mutex_unlock(&mutex_) == 0, "is unlocked by a thread that does not hold it");
  }

private:
  static void check(bool holds, const char* otherwise) {
    if (holds) return;
    std::fprintf(stderr, "a mutex %s\n", otherwise);
    std::fflush(nullptr);
    std::abort();
  }

  pthread_mutex_t mutex_;
};

}  // namespace support

#endif
