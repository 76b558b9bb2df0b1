// ThreadSanitizer: a stack is a fiber, and what comes before what.
//
// A fiber stays with its stack, as its record of accesses to the stack's memory does. It is entered
// without order: two strands that a worker runs one after the other have none. Order is told by the
// address of a field of the frame.

#include <atomic>

#include "os/os.hpp"
#include "sanitizers/tools.hpp"

extern "C" {
// Weak: null in a process without the tool.
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
__attribute__((weak)) void __tsan_acquire(void* order);
__attribute__((weak)) void __tsan_release(void* order);
__attribute__((weak)) void AnnotateBenignRaceSized(const char* file, int line, const volatile void* memory,
                                                   unsigned long bytes, const char* why);
__attribute__((weak)) void AnnotateIgnoreSyncBegin(const char* file, int line);
__attribute__((weak)) void AnnotateIgnoreSyncEnd(const char* file, int line);
__attribute__((weak)) void AnnotateIgnoreReadsBegin(const char* file, int line);
__attribute__((weak)) void AnnotateIgnoreReadsEnd(const char* file, int line);
__attribute__((weak)) void AnnotateIgnoreWritesBegin(const char* file, int line);
__attribute__((weak)) void AnnotateIgnoreWritesEnd(const char* file, int line);
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {
namespace thread {

namespace {

constexpr unsigned without_order = 1;

/// Held around a look at the loaded objects, and around fork(2): a child would find the loader's
/// own lock held by a thread that it does not have. Not a mutex, whose unlocking in a child the
/// tool would not see.
std::atomic<bool> sharing{false};

}  // namespace

// Acquire pairs with the release of unlock_sharing.
void lock_sharing() noexcept {
  while (sharing.exchange(true, std::memory_order_acquire)) {
    os::yield();
  }
}
void unlock_sharing() noexcept { sharing.store(false, std::memory_order_release); }

bool is_present() noexcept {
  return __tsan_get_current_fiber != nullptr && __tsan_create_fiber != nullptr &&
         __tsan_destroy_fiber != nullptr && __tsan_switch_to_fiber != nullptr && __tsan_acquire != nullptr &&
         __tsan_release != nullptr && AnnotateBenignRaceSized != nullptr &&
         AnnotateIgnoreSyncBegin != nullptr && AnnotateIgnoreSyncEnd != nullptr &&
         AnnotateIgnoreReadsBegin != nullptr && AnnotateIgnoreReadsEnd != nullptr &&
         AnnotateIgnoreWritesBegin != nullptr && AnnotateIgnoreWritesEnd != nullptr;
}

void change_stack(stack_record& from, stack_record& to) noexcept {
  if (from.fiber == nullptr) {
    from.fiber = __tsan_get_current_fiber();  // the stack that the thread came with
  }
  if (to.fiber == nullptr) {
    to.fiber = __tsan_create_fiber(0);
    to.owns_fiber = true;
  }
  __tsan_switch_to_fiber(to.fiber, without_order);
}

void drop_fiber(stack_record& stack) noexcept {
  if (stack.owns_fiber) {
    __tsan_destroy_fiber(stack.fiber);
    stack.fiber = nullptr;
    stack.owns_fiber = false;
  }
}

void comes_before(void* order) noexcept { __tsan_release(order); }
void comes_after(void* order) noexcept { __tsan_acquire(order); }
void share_thread_locals() noexcept {
  lock_sharing();
  os::for_each_thread_local_block([](void* block, std::size_t bytes) {
    AnnotateBenignRaceSized(__FILE__, __LINE__, block, bytes,
                            "thread-local variables of strands on one thread");
  });
  unlock_sharing();
}
void ignore_locks() noexcept { AnnotateIgnoreSyncBegin(__FILE__, __LINE__); }
void heed_locks() noexcept { AnnotateIgnoreSyncEnd(__FILE__, __LINE__); }
void ignore_memory() noexcept {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
void heed_memory() noexcept {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}

}  // namespace thread
}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
