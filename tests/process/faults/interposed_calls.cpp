#include "process/faults/interposed_calls.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace {

// The names that FAULT_CALL may have. `futex_wait` and `futex_wake` are two calls to us, not one; so are a thread's change of
// its own affinity and of one that it names. `map_memory` is an mmap of what is no stack.
constexpr const char* names[] = {"mmap",
                                 "mprotect",
                                 "madvise",
                                 "mincore",
                                 "futex_wait",
                                 "futex_wake",
                                 "membarrier",
                                 "pthread_create",
                                 "sigaltstack",
                                 "malloc",
                                 "aligned_alloc",
                                 "pthread_key_create",
                                 "setspecific",
                                 "new",
                                 "pthread_sigmask",
                                 "own_affinity",
                                 "named_affinity",
                                 "calloc",
                                 "pthread_getattr_np",
                                 "map_memory"};
enum call {
  call_mmap,
  call_mprotect,
  call_madvise,
  call_mincore,
  call_futex_wait,
  call_futex_wake,
  call_membarrier,
  call_pthread_create,
  call_sigaltstack,
  call_malloc,
  call_aligned_alloc,
  call_key_create,
  call_setspecific,
  call_new,
  call_sigmask,
  call_own_affinity,
  call_named_affinity,
  call_calloc,
  call_getattr,
  call_map_memory,
  none
};

// Written by `arm` alone, while the program has one thread.
int chosen = none;
int reason = 0;
long first = 1;
long last = 0;
long step = 1;
bool elsewhere = false;
pid_t arming_thread = 0;
std::atomic<long> seen{0};

long number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

bool refuses(call which) {
  if (which != chosen || (elsewhere && gettid() == arming_thread)) return false;
  const long turn = seen.fetch_add(1) + 1;
  return turn >= first && turn <= last && (turn - first) % step == 0;
}

/// The C library's own function behind ours.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int fail() {
  errno = reason;
  return -1;
}

}  // namespace

namespace faults {

void arm() {
  const char* const name = std::getenv("FAULT_CALL");
  reason = static_cast<int>(number("FAULT_ERRNO", ENOMEM));
  first = number("FAULT_FIRST", 1);
  last = number("FAULT_LAST", std::numeric_limits<long>::max());
  step = number("FAULT_STEP", 1);
  elsewhere = std::getenv("FAULT_ELSEWHERE") != nullptr;
  arming_thread = gettid();
  seen = 0;
  for (int i = 0; name != nullptr && i < none; ++i) {
    if (std::strcmp(name, names[i]) == 0) chosen = i;
  }
}

long calls() { return seen; }

}  // namespace faults

extern "C" {

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) noexcept {
  const bool is_memory = (flags & (MAP_NORESERVE | MAP_STACK)) == MAP_STACK;
  if (refuses(call_mmap) || (is_memory && refuses(call_map_memory))) {
    fail();
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}

int mprotect(void* address, size_t bytes, int protection) noexcept {
  return refuses(call_mprotect) ? fail()
                                : static_cast<int>(syscall(SYS_mprotect, address, bytes, protection));
}

int madvise(void* address, size_t bytes, int advice) noexcept {
  return refuses(call_madvise) ? fail() : static_cast<int>(syscall(SYS_madvise, address, bytes, advice));
}

int mincore(void* address, size_t bytes, unsigned char* resident) noexcept {
  return refuses(call_mincore) ? fail() : static_cast<int>(syscall(SYS_mincore, address, bytes, resident));
}

int sigaltstack(const stack_t* wanted, stack_t* present) noexcept {
  return refuses(call_sigaltstack) ? fail() : static_cast<int>(syscall(SYS_sigaltstack, wanted, present));
}

int sched_setaffinity(pid_t id, size_t bytes, const cpu_set_t* cpus) noexcept {
  return static_cast<int>(syscall(SYS_sched_setaffinity, id, bytes, cpus));
}

long syscall(long name, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, name);
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  if (name == SYS_membarrier && refuses(call_membarrier)) return fail();
  if (name == SYS_futex) {
    const bool wakes = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAKE;
    if (refuses(wakes ? call_futex_wake : call_futex_wait)) return fail();
  }
  if (name == SYS_sched_setaffinity && refuses(a[0] == 0 ? call_own_affinity : call_named_affinity))
    return fail();
  register long r10 asm("r10") = a[3];
  register long r8 asm("r8") = a[4];
  register long r9 asm("r9") = a[5];
  long result;
  // What the kernel changes of the caller's state: rax, rcx, r11 and memory.
  asm volatile("syscall"
               : "=a"(result)
               : "a"(name), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  if (result < 0 && result >= -4095) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                   void* argument) noexcept {
  static auto* const real = next<decltype(pthread_create)>("pthread_create");
  return refuses(call_pthread_create) ? reason : real(thread, attributes, entry, argument);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
  static auto* const real = next<decltype(pthread_sigmask)>("pthread_sigmask");
  return refuses(call_sigmask) ? reason : real(how, set, before);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  static auto* const real = next<decltype(pthread_key_create)>("pthread_key_create");
  return refuses(call_key_create) ? reason : real(key, destructor);
}

int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  static auto* const real = next<decltype(pthread_getattr_np)>("pthread_getattr_np");
  return refuses(call_getattr) ? reason : real(thread, attributes);
}

int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  static auto* const real = next<decltype(pthread_setspecific)>("pthread_setspecific");
  return refuses(call_setspecific) ? reason : real(key, value);
}

// dlsym may allocate, so the allocator's own entry points are named, not looked up.
void* __libc_malloc(size_t bytes) noexcept;
void* __libc_memalign(size_t alignment, size_t bytes) noexcept;
void* __libc_calloc(size_t count, size_t bytes) noexcept;

void* malloc(size_t bytes) noexcept {
  if (refuses(call_malloc)) {
    fail();
    return nullptr;
  }
  return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) noexcept {
  if (refuses(call_calloc)) {
    fail();
    return nullptr;
  }
  return __libc_calloc(count, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  if (refuses(call_aligned_alloc)) {
    fail();
    return nullptr;
  }
  return __libc_memalign(alignment, bytes);
}

}  // extern "C"

// `new` in all its forms comes down to these two and to aligned_alloc.
void* operator new(std::size_t bytes) {
  void* const memory = refuses(call_new) ? nullptr : __libc_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
