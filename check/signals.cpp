// Stacks of handlers of signals: what a handler leaves there is no one's when the child that it interrupted has ended.
#include <csignal>

#include "next.hpp"
#include "thread.hpp"

using namespace nopal_check;

extern "C" int sigaltstack(const stack_t* wanted, stack_t* before) noexcept {
  const int result = NEXT(sigaltstack)(wanted, before);
  if (result != 0 || wanted == nullptr) return result;
  self.signal_stack = reinterpret_cast<address>(wanted->ss_sp);
  self.signal_stack_bytes = (wanted->ss_flags & SS_DISABLE) != 0 ? 0 : wanted->ss_size;
  return result;
}
