// Jumps of longjmp leave calls without a word: they are taken off the stack of calls.
#undef _FORTIFY_SOURCE  // which gives longjmp another name
#include <setjmp.h>

#include <cstdio>
#include <cstdlib>

#include "next.hpp"
#include "thread.hpp"

using namespace nopal_check;

extern "C" {
[[noreturn]] void __longjmp_chk(__jmp_buf_tag* to, int value) noexcept;
}

namespace {

/// The stack pointer that setjmp has kept, as the C library hides it.
address stack_of(const __jmp_buf_tag* to) noexcept {
  constexpr int place = 6;
  auto stack = static_cast<address>(to->__jmpbuf[place]);
  asm("ror $17, %0\n\txor %%fs:0x30, %0" : "+r"(stack) : : "cc");
  return stack;
}

void leave_calls(const __jmp_buf_tag* to) noexcept {
  if (self.calls == nullptr || self.running == nullptr) return;
  // The call that goes on said its stack from two words below what it has at its calls.
  const address kept = stack_of(to);
  const address stack = kept - 2 * sizeof(void*);
  const auto is_of_thread = [](address place) { return place >= self.stack_begin && place < self.stack_end; };
  const procedure& child = *self.running;
  if (child.among != nullptr && is_of_thread(child.stack) && is_of_thread(kept) && kept >= child.stack) {
    std::fputs("nopal: longjmp out of a child that was forked: call setjmp in the child, or have it return "
               "its error\n",
               stderr);
    std::abort();
  }
  while (self.calls > self.running->calls && self.calls->stack < stack) --self.calls;
}

}  // namespace

#define JUMP(name)                                                                                           \
  void name(__jmp_buf_tag* to, int value) noexcept {                                                         \
    leave_calls(to);                                                                                         \
    NEXT(name)(to, value);                                                                                   \
    __builtin_unreachable();                                                                                 \
  }

extern "C" {
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
}
