/* No join can be reached: the frame has an over-aligned local, and must be a dynamic one without it. */
#include <nopal/scope.hpp>

#include "one_program.h"

static u64 f1(u64 x, int d, const byte* seen, unsigned __int128 v9) {
  u64 h = mix(x, 375967119u);
  h = mix(h, number_of_bytes(seen, 16));
  h = mix(h, ((u64)v9 ^ (u64)(v9 >> 64) * 31u));
  if (d <= 0) return (u64)(h);
  h = mix(h, ((u64)v9 ^ (u64)(v9 >> 64) * 31u));
  return (u64)(h);
}

static NOINLINE __attribute__((noreturn)) void endless(u64 x, int d, const byte* seen) noexcept {
  u64 h = mix(x, 215435152u);
  h = mix(h, number_of_bytes(seen, 16));
  byte v249[16] ALIGNED(32);
  fill_bytes(v249, 16, mix(h, 918335635u));
  SHOULD_BE(is_aligned(v249, 32), "the place of v249");
  {
    u64 o259[5];
    for (int i = 0; i < 5; ++i) o259[i] = (u64)(i);
    {
      nopal::scope s250;
      for (int i252 = 0;; ++i252) {
        s250.fork_into(o259[(0 * 5 + i252)], f1, mix(h, 398071928u), d - 1, (const byte*)seen,
                       (unsigned __int128)(mix(h, 706550575u)));
        if (opaque((u64)i252) == 4) finish(h);
      }
    }
  }
}

ONE_ENDLESS_PROGRAM(endless, 1)
