/* flags: -march=x86-64-v4 */
/* GCC would split a function here, and the frame of the part that forks would not be a dynamic one. */
#include "one_program.h"

typedef struct s1 {
  uint16_t m0;
  int8_t m1;
  __float128 m2;
  _Bool m3;
  double m4;
  int8_t m5;
  int32_t m6;
} __attribute__((packed)) s1;
static inline UNUSED s1 make_s1(u64 n) {
  s1 v;
  v.m0 = (uint16_t)(n * 1u);
  v.m1 = (int8_t)(n * 3u);
  v.m2 = (__float128)(int32_t)((n * 5u) & 0xfffff);
  v.m3 = (_Bool)((n * 7u) >> 5 & 1);
  v.m4 = (double)(int32_t)((n * 9u) & 0xfffff);
  v.m5 = (int8_t)(n * 11u);
  v.m6 = (int32_t)(n * 13u);
  return v;
}
static inline UNUSED u64 number_s1(const s1* v) {
  u64 h = 1;
  h = mix(h, (u64)v->m0);
  h = mix(h, (u64)v->m1);
  h = mix(h, (u64)(int64_t)v->m2);
  h = mix(h, (u64)v->m3);
  h = mix(h, (u64)(int64_t)v->m4);
  h = mix(h, (u64)v->m5);
  h = mix(h, (u64)v->m6);
  return h;
}

static NOINLINE u64 f0(u64 x, int d, const byte* seen);
UNTYPED_CHILD(u64, f0)
static inline s1 f1(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(s1, f1, (u64, x), (int, d), (const byte*, seen))

/* Called by nobody: f1 has another caller than its fork. */
NOINLINE _Bool f2(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 352845520u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (_Bool)((h) >> 5 & 1);
  if ((mix(h, 332181583u) & 3) != 0) {
  } else {
    {
      s1 r77 = f1(mix(h, 717958449u), d - 1, (const byte*)seen);
      h = mix(h, number_s1(&r77));
    }
  }
  return (_Bool)((h) >> 5 & 1);
}

static inline s1 f1(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 800594285u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return make_s1(h);
  {
    args_f0 o54[1] = {};
    nopal_scope s50;
    nopal_scope_init(&s50);
    o54[0].x = mix(h, 806768544u);
    o54[0].d = d - 1;
    o54[0].seen = (const byte*)seen;
    nopal_fork(&s50, thunk_f0, &o54[0]);
    nopal_join(&s50);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o54[i].result);
  }
  return make_s1(h);
}

static NOINLINE u64 f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 731997369u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 556549886u);
  {
    s1 o114[1];
    for (int i = 0; i < 1; ++i) o114[i] = make_s1(i);
    nopal_scope s101;
    nopal_scope_init(&s101);
    {
      nopal_scope s110;
      nopal_scope_init(&s110);
      nopal_fork_f1(&s101, &o114[0], mix(h, 315452501u), d - 1, (const byte*)seen);
      nopal_join(&s110);
    }
    nopal_join(&s101);
    for (int i = 0; i < 1; ++i) h = mix(h, number_s1(&o114[i]));
  }
  return (u64)(h);
}

ONE_PROGRAM(root, 3)
