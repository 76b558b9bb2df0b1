/* A scope whose home was passed by, when the join of another scope brought the strand back further, has a new one when it is stolen
 * from again: the array's block goes back to the stack that it began on. */
#include "one_program.h"

#include <nopal/scope.hpp>

static u64 leaf(u64 x) { return mix(x, 565370171u); }

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, number_of_bytes(seen, 16));
  u64 outer = 0;
  nopal::scope around;
  around.fork_into(outer, leaf, mix(h, 1u));
  for (int i = 0; i < d; ++i) {
    byte array[opaque(64)];
    fill_bytes(array, 64, mix(h, 2u));
    u64 results[4] = {};
    {
      nopal::scope first;
      nopal::scope second;
      first.fork_into(results[0], leaf, mix(h, 3u));
      second.fork_into(results[1], leaf, mix(h, 4u));
      first.join();
      second.fork_into(results[2], leaf, mix(h, 5u));
      second.join();
    }
    h = mix(h, results[0] + 3 * results[1] + 5 * results[2]);
    h = mix(h, number_of_bytes(array, 64));
  }
  around.join();
  const byte* stack_pointer;
  __asm__ volatile("mov %%rsp, %0" : "=r"(stack_pointer));
  SHOULD_BE((u64)((const byte*)__builtin_frame_address(0) - stack_pointer) < 65536, "the stack pointer");
  return mix(h, outer);
}

ONE_PROGRAM(root, 3)
