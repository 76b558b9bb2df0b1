// longjmp and its kin, in front of the C library's: a strand may be on another stack than when it
// called setjmp.
//
// A jump that does not concern the scheduler, such as one on a thread without a strand, goes on to
// the C library unchanged, by way of a sanitizer's own longjmp if there is one. A jump of a strand
// to another stack is made here, since no tool can follow it.

// The header must not send longjmp elsewhere.
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <setjmp.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include <nopal/detail/export.h>

#include "arch/arch.hpp"
#include "os/os.hpp"

extern "C" {
// Not in every static program.
__attribute__((weak)) void* dlsym(void* handle, const char* name) noexcept;
__attribute__((weak)) int dladdr(const void* address, Dl_info* info) noexcept;

// A sanitizer's, where it is part of the program or comes before it.
__attribute__((weak)) void __interceptor_siglongjmp(__jmp_buf_tag* buffer, int value);
__attribute__((weak)) void __asan_handle_no_return();

// Under names of ours, since the header declares the others in its own way.
[[noreturn]] NOPAL_EXPORT void nopal_long_jump(__jmp_buf_tag* buffer, int value) __asm__("longjmp");
[[noreturn]] NOPAL_EXPORT void nopal_long_jump_bsd(__jmp_buf_tag* buffer, int value) __asm__("_longjmp");
[[noreturn]] NOPAL_EXPORT void nopal_long_jump_posix(__jmp_buf_tag* buffer, int value) __asm__("siglongjmp");
[[noreturn]] NOPAL_EXPORT void nopal_long_jump_checked(__jmp_buf_tag* buffer,
                                                       int value) __asm__("__longjmp_chk");
}

namespace nopal {
inline namespace NOPAL_ABI_NAMESPACE {
namespace internal {
namespace os {

namespace {

using jump_function = void (*)(__jmp_buf_tag*, int);

/// The C library's functions, or those of a tool that stand before them; null where there is none
/// to be found.
struct next_functions {
  std::atomic<jump_function> plain{nullptr};
  std::atomic<jump_function> checked{nullptr};
  std::atomic<bool> known{false};
  std::atomic<bool> layout_known{false};
} next;

/// Whether this C library's setjmp saves what src/arch expects: tests whether the stack pointer
/// that it saved is ours.
[[gnu::noinline]] bool knows_layout() {
  jmp_buf here;
  if (_setjmp(here) != 0) {
    return false;
  }
  const char* const stack_pointer = arch::target_of(here).stack_pointer;
  const auto* const frame = static_cast<const char*>(__builtin_frame_address(0));
  constexpr std::ptrdiff_t largest_frame = 4096;
  return stack_pointer <= frame && frame - stack_pointer < largest_frame;
}

jump_function look_up(const char* name) {
  return dlsym == nullptr ? nullptr : reinterpret_cast<jump_function>(dlsym(RTLD_NEXT, name));
}

const void* object_of(const void* address) {
  Dl_info info;
  return dladdr != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

/// What comes after ours. A sanitizer's in the same object is not found by name; elsewhere it may
/// come before ours.
jump_function next_plain() {
  if (__interceptor_siglongjmp != nullptr) {
    const void* const tools = object_of(reinterpret_cast<const void*>(&__interceptor_siglongjmp));
    if (tools != nullptr && tools == object_of(&next)) {
      return __interceptor_siglongjmp;
    }
  }
  return look_up("siglongjmp");
}

[[noreturn]] void jump_without_library(__jmp_buf_tag* buffer, int value) {
  if (__asan_handle_no_return != nullptr) {
    __asan_handle_no_return();
  }
  if (buffer->__mask_was_saved != 0) {
    pthread_sigmask(SIG_SETMASK, reinterpret_cast<const sigset_t*>(&buffer->__saved_mask), nullptr);
  }
  nopal_jump(buffer, value == 0 ? 1 : value);
}

[[noreturn]] void jump_by(jump_function function, __jmp_buf_tag* buffer, int value) {
  if (function != nullptr) {
    function(buffer, value);
  }
  jump_without_library(buffer, value);
}

[[noreturn]] void jump(const std::atomic<jump_function>& function, __jmp_buf_tag* buffer, int value) {
  prepare_long_jumps();
  if (next.layout_known.load(std::memory_order_relaxed)) {
    const arch::jump_target target = arch::target_of(buffer);
    char* const to = nopal_jump_destination(target.frame_pointer, target.stack_pointer);
    if (to != target.stack_pointer) {
      __jmp_buf_tag moved;
      std::memcpy(&moved, buffer, offsetof(__jmp_buf_tag, __saved_mask));
      if (buffer->__mask_was_saved != 0) {
        moved.__saved_mask = buffer->__saved_mask;
      }
      arch::set_stack_pointer_of(&moved, to);
      jump_without_library(&moved, value);
    }
  }
  jump_by(function.load(std::memory_order_relaxed), buffer, value);
}

}  // namespace

/// Before main, so that a signal handler need not look names up.
[[gnu::constructor]] void prepare_long_jumps() noexcept {
  if (next.known.load(std::memory_order_acquire)) {
    return;
  }
  next.plain.store(next_plain(), std::memory_order_relaxed);
  next.checked.store(look_up("__longjmp_chk"), std::memory_order_relaxed);
  next.layout_known.store(knows_layout(), std::memory_order_relaxed);
  // Pairs with the acquire load above.
  next.known.store(true, std::memory_order_release);
}

}  // namespace os
}  // namespace internal
}  // namespace NOPAL_ABI_NAMESPACE
}  // namespace nopal

void nopal_long_jump(__jmp_buf_tag* buffer, int value) {
  nopal::internal::os::jump(nopal::internal::os::next.plain, buffer, value);
}
void nopal_long_jump_bsd(__jmp_buf_tag* buffer, int value) {
  nopal::internal::os::jump(nopal::internal::os::next.plain, buffer, value);
}
void nopal_long_jump_posix(__jmp_buf_tag* buffer, int value) {
  nopal::internal::os::jump(nopal::internal::os::next.plain, buffer, value);
}
void nopal_long_jump_checked(__jmp_buf_tag* buffer, int value) {
  nopal::internal::os::jump(nopal::internal::os::next.checked, buffer, value);
}
