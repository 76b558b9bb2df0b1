// Threads and locks of the system's library.
#include <dlfcn.h>
#include <pthread.h>

#include "allocation.hpp"
#include "locks.hpp"
#include "records.hpp"
#include "thread.hpp"

#include <nopal/detail/check.h>

using namespace nopal_check;

namespace {

template <class Function>
Function next_one(const char* name, Function) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name)                                                                                           \
  ([] {                                                                                                      \
    static const auto found = next_one(#name, &name);                                                        \
    return found;                                                                                            \
  }())

/// What a lock function returned: held if that is 0.
int locked(int result, const volatile void* lock, bool is_shared) noexcept {
  if (result == 0 && self.running != nullptr) {
    const at_work now;
    hold(reinterpret_cast<address>(lock), is_shared);
  }
  return result;
}

void will_be_unlocked(const volatile void* lock) noexcept {
  if (self.running == nullptr) return;
  const at_work now;
  let_go(reinterpret_cast<address>(lock));
}

struct beginning {
  void* (*run)(void*);
  void* argument;
};

void* run_thread(void* data) {
  const beginning with = *static_cast<beginning*>(data);
  give_memory(data);
  begin_thread();
  struct ending {
    ~ending() { end_thread(); }
  } at_the_end;
  return with.run(with.argument);
}

}  // namespace

extern "C" {

int __cxa_guard_acquire(long* guard);
void __cxa_guard_release(long* guard);
void __cxa_guard_abort(long* guard);

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  if (self.running == nullptr) return NEXT(pthread_create)(made, attributes, run, argument);
  auto* const with = static_cast<beginning*>(take_memory(sizeof(beginning), 1));
  *with = {run, argument};
  has_threads = true;
  start_segment();
  const int heeded = self.is_heeding;
  self.is_heeding = 0;
  const int result = NEXT(pthread_create)(made, attributes, run_thread, with);
  self.is_heeding = heeded;
  if (result != 0) give_memory(with);
  return result;
}

// A static variable of a function is initialized by whichever strand comes first: what it does there is
// no race with those that find it done.
int __cxa_guard_acquire(long* guard) {
  const int is_first = NEXT(__cxa_guard_acquire)(guard);
  if (is_first != 0) nopal_check_ignore();
  return is_first;
}
void __cxa_guard_release(long* guard) {
  nopal_check_heed();
  NEXT(__cxa_guard_release)(guard);
}
void __cxa_guard_abort(long* guard) {
  nopal_check_heed();
  NEXT(__cxa_guard_abort)(guard);
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept { return locked(NEXT(pthread_mutex_lock)(m), m, false); }
int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  return locked(NEXT(pthread_mutex_trylock)(m), m, false);
}
int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
  return locked(NEXT(pthread_mutex_timedlock)(m, until), m, false);
}
int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_mutex_unlock)(m);
}

int pthread_spin_lock(pthread_spinlock_t* m) noexcept { return locked(NEXT(pthread_spin_lock)(m), m, false); }
int pthread_spin_trylock(pthread_spinlock_t* m) noexcept {
  return locked(NEXT(pthread_spin_trylock)(m), m, false);
}
int pthread_spin_unlock(pthread_spinlock_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_spin_unlock)(m);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_rdlock)(m), m, true);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_tryrdlock)(m), m, true);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_wrlock)(m), m, false);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_trywrlock)(m), m, false);
}
int pthread_rwlock_unlock(pthread_rwlock_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_rwlock_unlock)(m);
}
}
