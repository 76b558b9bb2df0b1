// AddressSanitizer: which stack the thread is on, and which parts of a stack hold no live frame.

#include "sanitizers/tools.hpp"

extern "C" {
// Weak: null in a process without the tool.
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_frames, const void* low,
                                                          std::size_t bytes);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_frames, const void** old_low,
                                                           std::size_t* old_bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* low, std::size_t bytes);
__attribute__((weak)) void __lsan_register_root_region(const void* low, std::size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* low, std::size_t bytes);
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace sanitizers {
namespace address {

namespace {

std::size_t distance(const void* low, const void* high) {
  return static_cast<std::size_t>(static_cast<const char*>(high) - static_cast<const char*>(low));
}

}  // namespace

// ThreadSanitizer has some of these functions too; the last one is AddressSanitizer's own.
bool is_present() noexcept {
  return __sanitizer_start_switch_fiber != nullptr && __sanitizer_finish_switch_fiber != nullptr &&
         __asan_unpoison_memory_region != nullptr;
}

void change_stack(stack_record& from, stack_record& to) noexcept {
  const void* old_low = nullptr;
  std::size_t old_bytes = 0;
  __sanitizer_start_switch_fiber(&from.fake_frames, to.low, to.bytes);
  __sanitizer_finish_switch_fiber(to.fake_frames, &old_low, &old_bytes);
  to.fake_frames = nullptr;
  if (from.bytes == 0) {
    from.low = static_cast<const char*>(old_low);
    from.bytes = old_bytes;
  }
}

void clean(const void* low, const void* high) noexcept {
  if (low < high) {
    __asan_unpoison_memory_region(low, distance(low, high));
  }
}

void drop_fake_frames(stack_record& stack) noexcept {
  if (stack.fake_frames == nullptr) {
    return;
  }
  // Only the fake frames of the current stack can be freed: for a moment that is `stack`.
  stack_record here;
  const void* low = nullptr;
  std::size_t bytes = 0;
  __sanitizer_start_switch_fiber(&here.fake_frames, stack.low, stack.bytes);
  __sanitizer_finish_switch_fiber(stack.fake_frames, &low, &bytes);
  stack.fake_frames = nullptr;
  // Null: frees those of the stack that is left.
  __sanitizer_start_switch_fiber(nullptr, low, bytes);
  __sanitizer_finish_switch_fiber(here.fake_frames, nullptr, nullptr);
}

void keep_alive(const void* low, const void* high) noexcept {
  if (__lsan_register_root_region != nullptr) {
    __lsan_register_root_region(low, distance(low, high));
  }
}

void let_die(const void* low, const void* high) noexcept {
  if (__lsan_unregister_root_region != nullptr) {
    __lsan_unregister_root_region(low, distance(low, high));
  }
}

}  // namespace address
}  // namespace sanitizers
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal
