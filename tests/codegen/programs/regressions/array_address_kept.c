/* Arrays of variable length before and after their scope is made, whose addresses may not come from the stack pointer. */
#include "one_program.h"

NOINLINE unsigned __int128 f2(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(unsigned __int128, f2, (u64, x), (int, d), (const byte*, seen))
UNTYPED_CHILD(unsigned __int128, f2)

NOINLINE unsigned __int128 f2(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 561066424u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (unsigned __int128)(h);
  return (unsigned __int128)(h);
}

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 221150856u);
  byte v163[opaque(66)];
  fill_bytes(v163, 66, mix(h, 780093477u));
  {
    unsigned __int128 o169[1];
    for (int i = 0; i < 1; ++i) o169[i] = (unsigned __int128)(i);
    args_f2 o173[1] = {};
    nopal_scope s165;
    nopal_scope_init(&s165);
    byte v166[opaque(66)];
    fill_bytes(v166, 66, mix(h, 80093477u));
    nopal_fork_f2(&s165, &o169[0], mix(h, 143575810u), d - 1, (const byte*)v163);
    o173[0].x = mix(h, 25189854u);
    o173[0].d = d - 1;
    o173[0].seen = (const byte*)v166;
    nopal_fork(&s165, thunk_f2, &o173[0]);
    nopal_join(&s165);
    for (int i = 0; i < 1; ++i) h = mix(h, ((u64)o169[i] ^ (u64)(o169[i] >> 64) * 31u));
    h = mix(h, number_of_bytes(v166, 66));
    for (int i = 0; i < 1; ++i) h = mix(h, ((u64)o173[i].result ^ (u64)(o173[i].result >> 64) * 31u));
  }
  return (u64)(h);
}

ONE_PROGRAM(root, 3)
