/* flags: -fno-inline */
/* Copies of a large argument: GCC may not take their place from the stack pointer of before the fork. */
#include "one_program.h"

typedef int8_t vec_int8_t_32 __attribute__((vector_size(32)));
STRUCT_OF_BYTES(s1, 1333, )

static vec_int8_t_32 f1(u64 x, int d, const byte* seen, s1 v8);
NOPAL_FORKABLE(vec_int8_t_32, f1, (u64, x), (int, d), (const byte*, seen), (s1, v8))

static vec_int8_t_32 f1(u64 x, int d, const byte* seen, s1 v8) {
  u64 h = mix(x, 502407369u);
  h = mix(h, number_of_bytes(seen, 16));
  h = mix(h, number_s1(&v8));
  if (d <= 0) return ((vec_int8_t_32){0} + (int8_t)(int32_t)((h) & 0xffff));
  h = mix(h, number_s1(&v8));
  return ((vec_int8_t_32){0} + (int8_t)(int32_t)((h) & 0xffff));
}

static ALWAYS_INLINE u64 f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 236680488u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  {
    vec_int8_t_32 o25[1];
    for (int i = 0; i < 1; ++i) o25[i] = ((vec_int8_t_32){0} + (int8_t)(int32_t)((i) & 0xffff));
    nopal_scope s20;
    nopal_scope_init(&s20);
    nopal_fork_f1(&s20, &o25[0], mix(h, 323246729u), d - 1, (const byte*)seen, make_s1(mix(h, 574037321u)));
    {
      vec_int8_t_32 r32 = f1(mix(h, 524324632u), d - 1, (const byte*)seen, make_s1(mix(h, 519730107u)));
      h = mix(h, (((u64)(int64_t)r32[0] * 3u) ^ ((u64)(int64_t)r32[1] * 5u) ^ ((u64)(int64_t)r32[16] * 35u) ^
                  ((u64)(int64_t)r32[31] * 65u)));
    }
    nopal_join(&s20);
    for (int i = 0; i < 1; ++i)
      h = mix(h, (((u64)(int64_t)o25[i][0] * 3u) ^ ((u64)(int64_t)o25[i][1] * 5u) ^
                  ((u64)(int64_t)o25[i][16] * 35u) ^ ((u64)(int64_t)o25[i][31] * 65u)));
  }
  return (u64)(h);
}

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 543874148u);
  {
    nopal_scope s59;
    nopal_scope_init(&s59);
    {
      u64 r66 = f0(mix(h, 400028369u), d - 1, (const byte*)seen);
      h = mix(h, (u64)r66);
    }
    nopal_join(&s59);
  }
  return (u64)(h);
}

ONE_PROGRAM(root, 3)
