// Threads and locks of the system's library.
#include <cerrno>
#include <pthread.h>
#include <threads.h>

#include "allocation.hpp"
#include "events.hpp"
#include "locks.hpp"
#include "next.hpp"
#include "records.hpp"
#include "thread.hpp"

#include <nopal/detail/check.h>

using namespace nopal_check;

namespace {

/// What a lock function returned: held if that is 0, or the owner has died.
int locked(int result, const volatile void* lock, bool is_shared) noexcept {
  if ((result == 0 || result == EOWNERDEAD) && self.running != nullptr) {
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

/// A lock that the thread itself holds is no one else's to let go: here it would wait for ever. `attempt` takes it
/// without a wait and returns zero if it has, `undo` lets it go.
template <class Lock>
void will_lock(Lock* lock, const char* what, void* returned_to, int (*attempt)(Lock*), int (*undo)(Lock*)) {
  if (self.running == nullptr || !is_held(self.lock_set, reinterpret_cast<address>(lock))) return;
  if (attempt(lock) == 0) {
    undo(lock);
  } else {
    wait_in_vain(what, const_cast<const void*>(static_cast<const volatile void*>(lock)), returned_to);
  }
}

void will_lock(pthread_mutex_t* m, void* returned_to) {
  constexpr int kinds = 3;
  if ((m->__data.__kind & kinds) == PTHREAD_MUTEX_ERRORCHECK) return;
  will_lock(m, "a mutex to be let go", returned_to, NEXT(pthread_mutex_trylock), NEXT(pthread_mutex_unlock));
}

/// What runs once is run by whichever strand comes first: what it does there is no race with those that find it done.
class running_once {
public:
  running_once() noexcept : was_heeding_(self.is_heeding) {
    ++self.ignores;
    self.is_heeding = 0;
  }
  running_once(const running_once&) = delete;
  running_once& operator=(const running_once&) = delete;
  ~running_once() {
    --self.ignores;
    self.is_heeding = was_heeding_;  // the checker's own work may come here, too
  }

private:
  int was_heeding_;
};

/// How a thread begins whose function returns that.
template <class Result>
struct beginning {
  Result (*run)(void*);
  void* argument;
};

template <class Result>
Result run_thread(void* data) {
  const auto with = *static_cast<beginning<Result>*>(data);
  give_memory(data);
  begin_thread();
  struct ending {
    ~ending() {
      end_thread();
      other_threads.fetch_sub(1, std::memory_order_relaxed);
    }
  } at_the_end;
  return with.run(with.argument);
}

/// Calls `create(function, argument)`, which returns zero if there is a thread.
template <class Result, class Create>
int create_thread(Result (*run)(void*), void* argument, Create create) {
  if (self.running == nullptr) return create(run, argument);
  auto* const with = static_cast<beginning<Result>*>(take_memory(sizeof(beginning<Result>), 1));
  *with = {run, argument};
  has_threads = true;
  other_threads.fetch_add(1, std::memory_order_relaxed);
  start_segment();
  const int heeded = self.is_heeding;
  self.is_heeding = 0;
  const int result = create(run_thread<Result>, with);
  self.is_heeding = heeded;
  if (result != 0) {
    other_threads.fetch_sub(1, std::memory_order_relaxed);
    give_memory(with);
  }
  return result;
}

}  // namespace

extern "C" {

int __cxa_guard_acquire(long* guard);
void __cxa_guard_release(long* guard);
void __cxa_guard_abort(long* guard);

int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  return create_thread(run, argument, [=](void* (*first)(void*), void* with) {
    return NEXT(pthread_create)(made, attributes, first, with);
  });
}

int thrd_create(thrd_t* made, thrd_start_t run, void* argument) {
  static_assert(thrd_success == 0);
  return create_thread(run, argument,
                       [=](thrd_start_t first, void* with) { return NEXT(thrd_create)(made, first, with); });
}

// As running_once.
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

int pthread_once(pthread_once_t* once, void (*run)()) {
  const running_once here;
  return NEXT(pthread_once)(once, run);
}
void call_once(once_flag* once, void (*run)()) {
  const running_once here;
  NEXT(call_once)(once, run);
}

int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
  will_lock(m, __builtin_return_address(0));
  return locked(NEXT(pthread_mutex_lock)(m), m, false);
}
int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
  return locked(NEXT(pthread_mutex_trylock)(m), m, false);
}
int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* until) noexcept {
  return locked(NEXT(pthread_mutex_timedlock)(m, until), m, false);
}
int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* until) noexcept {
  return locked(NEXT(pthread_mutex_clocklock)(m, clock, until), m, false);
}
int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_mutex_unlock)(m);
}

int pthread_spin_lock(pthread_spinlock_t* m) noexcept {
  will_lock(m, "a spin lock to be let go", __builtin_return_address(0), NEXT(pthread_spin_trylock),
            NEXT(pthread_spin_unlock));
  return locked(NEXT(pthread_spin_lock)(m), m, false);
}
int pthread_spin_trylock(pthread_spinlock_t* m) noexcept {
  return locked(NEXT(pthread_spin_trylock)(m), m, false);
}
int pthread_spin_unlock(pthread_spinlock_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_spin_unlock)(m);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* m) noexcept {
  will_lock(m, "a read-write lock to be let go", __builtin_return_address(0), NEXT(pthread_rwlock_tryrdlock),
            NEXT(pthread_rwlock_unlock));
  return locked(NEXT(pthread_rwlock_rdlock)(m), m, true);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_tryrdlock)(m), m, true);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* m, const timespec* until) noexcept {
  return locked(NEXT(pthread_rwlock_timedrdlock)(m, until), m, true);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* m, clockid_t clock, const timespec* until) noexcept {
  return locked(NEXT(pthread_rwlock_clockrdlock)(m, clock, until), m, true);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* m, const timespec* until) noexcept {
  return locked(NEXT(pthread_rwlock_timedwrlock)(m, until), m, false);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* m, clockid_t clock, const timespec* until) noexcept {
  return locked(NEXT(pthread_rwlock_clockwrlock)(m, clock, until), m, false);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* m) noexcept {
  will_lock(m, "a read-write lock to be let go", __builtin_return_address(0), NEXT(pthread_rwlock_trywrlock),
            NEXT(pthread_rwlock_unlock));
  return locked(NEXT(pthread_rwlock_wrlock)(m), m, false);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* m) noexcept {
  return locked(NEXT(pthread_rwlock_trywrlock)(m), m, false);
}
int pthread_rwlock_unlock(pthread_rwlock_t* m) noexcept {
  will_be_unlocked(m);
  return NEXT(pthread_rwlock_unlock)(m);
}

// Those of C. The C library's own call it by other names.
int mtx_lock(mtx_t* m) {
  will_lock(m, "a mutex to be let go", __builtin_return_address(0), NEXT(mtx_trylock), NEXT(mtx_unlock));
  return locked(NEXT(mtx_lock)(m), m, false);
}
int mtx_trylock(mtx_t* m) { return locked(NEXT(mtx_trylock)(m), m, false); }
int mtx_timedlock(mtx_t* m, const timespec* until) { return locked(NEXT(mtx_timedlock)(m, until), m, false); }
int mtx_unlock(mtx_t* m) {
  will_be_unlocked(m);
  return NEXT(mtx_unlock)(m);
}
}
