// The calls that compilers emit under -fsanitize=thread, with nothing in them: what they cost before anything is checked.
#include <cstddef>
#include <cstring>

#define EMPTY_HOOKS_OF_SIZE(bytes)                                                                           \
  void __tsan_read##bytes(void*) {}                                                                          \
  void __tsan_write##bytes(void*) {}                                                                         \
  void __tsan_unaligned_read##bytes(void*) {}                                                                \
  void __tsan_unaligned_write##bytes(void*) {}                                                               \
  void __tsan_volatile_read##bytes(void*) {}                                                                 \
  void __tsan_volatile_write##bytes(void*) {}                                                                \
  void __tsan_read_write##bytes(void*) {}

extern "C" {
EMPTY_HOOKS_OF_SIZE(1)
EMPTY_HOOKS_OF_SIZE(2)
EMPTY_HOOKS_OF_SIZE(4)
EMPTY_HOOKS_OF_SIZE(8)
EMPTY_HOOKS_OF_SIZE(16)
void __tsan_read_range(void*, std::size_t) {}
void __tsan_write_range(void*, std::size_t) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}

// Atomic operations are the hooks' to perform. The elisions use these.
#define ATOMICS_OF_SIZE(bits, type)                                                                          \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                                             \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                          \
  type __tsan_atomic##bits##_fetch_add(volatile type* p, type by, int) {                                     \
    return __atomic_fetch_add(p, by, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                          \
  void __tsan_atomic##bits##_store(volatile type* p, type value, int) {                                      \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                          \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, type value, int, int) {  \
    return __atomic_compare_exchange_n(p, expected, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1     \
                                                                                                     : 0;    \
  }
ATOMICS_OF_SIZE(32, int)
ATOMICS_OF_SIZE(64, long)
}
