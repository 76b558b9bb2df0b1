// What programs tell ThreadSanitizer themselves (<sanitizer/tsan_interface.h>): locks count as locks, and an
// order that is told is not known here.
#include <nopal/detail/check.h>

extern "C" {

[[gnu::weak]] void __tsan_acquire(void*) {}
[[gnu::weak]] void __tsan_release(void*) {}

[[gnu::weak]] void __tsan_mutex_create(void*, unsigned) {}
[[gnu::weak]] void __tsan_mutex_destroy(void*, unsigned) {}
[[gnu::weak]] void __tsan_mutex_pre_lock(void*, unsigned) {}
[[gnu::weak]] void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  constexpr unsigned is_shared = 1U << 3;
  constexpr unsigned has_failed = 1U << 5;
  if ((flags & has_failed) != 0) return;
  if ((flags & is_shared) != 0) {
    nopal_check_lock_shared(lock);
  } else {
    nopal_check_lock(lock);
  }
}
[[gnu::weak]] int __tsan_mutex_pre_unlock(void* lock, unsigned) {
  nopal_check_unlock(lock);
  return 0;
}
[[gnu::weak]] void __tsan_mutex_post_unlock(void*, unsigned) {}
}
