// What the functions of jumps_test.cpp call: jumps that leave rubbish, and children that notice.
#ifndef NOPAL_TESTS_PROCESS_JUMPING_HPP
#define NOPAL_TESTS_PROCESS_JUMPING_HPP

#include <setjmp.h>

#include "support/strands.hpp"

namespace jumping {

using support::flag;
using support::wait_for_continuation;

/// Overwrites stack below its caller.
[[gnu::noinline]] inline void scribble() {
  volatile char rubbish[2000];
  for (volatile char& byte : rubbish) byte = 0x5a;
}

[[gnu::noinline, noreturn]] inline void fail(jmp_buf& to, int value) {
  scribble();
  longjmp(to, value);
}

/// The same where there may be no worker left to steal.
inline void wait_for_inner(const flag& went_on) {
  nopal::workers() > 4 ? wait_for_continuation(went_on) : support::wait_briefly(went_on);
}

/// Until the continuation has jumped; looks at its own locals afterwards.
[[gnu::noinline]] inline void lingering_child(const flag& jumped, void (*wait)(const flag&)) {
  volatile long mine[64];
  for (int i = 0; i < 64; ++i) mine[i] = i;
  wait(jumped);
  for (int i = 0; i < 64; ++i) NOPAL_CHECK(mine[i] == i);
}

}  // namespace jumping

#endif
