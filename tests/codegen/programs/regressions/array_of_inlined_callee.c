/* The array of an inlined function that runs away from home lies on the stack that its own scope comes back to. */
#include "one_program.h"

static u64 f0(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, f0, (u64, x), (int, d), (const byte*, seen))
static ALWAYS_INLINE u64 f1(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, f1, (u64, x), (int, d), (const byte*, seen))

static ALWAYS_INLINE u64 f1(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 690024442u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  byte v69[opaque(16)] ALIGNED(32);
  fill_bytes(v69, 16, mix(h, 273259594u));
  SHOULD_BE(is_aligned(v69, 32), "the place of v69");
  {
    u64 o77[1];
    for (int i = 0; i < 1; ++i) o77[i] = (u64)(i);
    nopal_scope s72;
    nopal_scope_init(&s72);
    nopal_fork_f0(&s72, &o77[0], mix(h, 108242452u), d - 1, (const byte*)v69);
    nopal_join(&s72);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o77[i]);
  }
  return (u64)(h);
}

static u64 f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 565370171u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 3557692u);
  {
    u64 o110[1];
    for (int i = 0; i < 1; ++i) o110[i] = (u64)(i);
    nopal_scope s103;
    nopal_scope_init(&s103);
    nopal_fork_f1(&s103, &o110[0], mix(h, 756231302u), d - 1, (const byte*)seen);
    {
      u64 r115 = f1(mix(h, 763802404u), d - 1, (const byte*)seen);
      h = mix(h, (u64)r115);
    }
    nopal_join(&s103);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o110[i]);
  }
  return (u64)(h);
}

ONE_PROGRAM(root, 2)
