/* flags: -march=x86-64-v4 */
#include "programs.h"
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

typedef struct s5 {
  int32_t m0;
  __float128 m1;
  double m2;
  unsigned __int128 m3;
  int16_t m4;
  __float128 m5;
} ALIGNED(128) s5;
static inline UNUSED s5 make_s5(u64 n) {
  s5 v;
  v.m0 = (int32_t)(n * 1u);
  v.m1 = (__float128)(int32_t)((n * 3u) & 0xfffff);
  v.m2 = (double)(int32_t)((n * 5u) & 0xfffff);
  v.m3 = (unsigned __int128)(n * 7u);
  v.m4 = (int16_t)(n * 9u);
  v.m5 = (__float128)(int32_t)((n * 11u) & 0xfffff);
  return v;
}
static inline UNUSED u64 number_s5(const s5* v) {
  u64 h = 1;
  h = mix(h, (u64)v->m0);
  h = mix(h, (u64)(int64_t)v->m1);
  h = mix(h, (u64)(int64_t)v->m2);
  h = mix(h, ((u64)v->m3 ^ (u64)(v->m3 >> 64) * 31u));
  h = mix(h, (u64)v->m4);
  h = mix(h, (u64)(int64_t)v->m5);
  return h;
}

static NOINLINE u64 p2_f0(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, p2_f0, (u64, x), (int, d), (const byte*, seen))
typedef struct args_p2_f0 {
  u64 x;
  int d;
  const byte* seen;
  u64 result;
} args_p2_f0;
static UNUSED void thunk_p2_f0(void* p) {
  args_p2_f0* const a = (args_p2_f0*)p;
  a->result = p2_f0(a->x, a->d, a->seen);
}
static inline s1 p2_f1(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(s1, p2_f1, (u64, x), (int, d), (const byte*, seen))
NOINLINE _Bool p2_f2(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(_Bool, p2_f2, (u64, x), (int, d), (const byte*, seen))
typedef struct args_p2_f2 {
  u64 x;
  int d;
  const byte* seen;
  _Bool result;
} args_p2_f2;
static UNUSED void thunk_p2_f2(void* p) {
  args_p2_f2* const a = (args_p2_f2*)p;
  a->result = p2_f2(a->x, a->d, a->seen);
}
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen);
NOINLINE _Bool p2_f2(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 352845520u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (_Bool)((h) >> 5 & 1);
  if ((mix(h, 332181583u) & 3) != 0) {
  } else {
    {
      s1 r77 = p2_f1(mix(h, 717958449u), d - 1, (const byte*)seen);
      h = mix(h, number_s1(&r77));
    }
  }
  return (_Bool)((h) >> 5 & 1);
}
static inline s1 p2_f1(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 800594285u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return make_s1(h);
  {
    args_p2_f0 o54[1] = {};
    nopal_scope s50;
    nopal_scope_init(&s50);
    o54[0].x = mix(h, 806768544u);
    o54[0].d = d - 1;
    o54[0].seen = (const byte*)seen;
    nopal_fork(&s50, thunk_p2_f0, &o54[0]);
    nopal_join(&s50);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o54[i].result);
  }
  return make_s1(h);
}
static NOINLINE u64 p2_f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 731997369u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 556549886u);
  {
    s1 o114[1];
    for (int i = 0; i < 1; ++i) o114[i] = make_s1(i);
    nopal_scope s101;
    nopal_scope_init(&s101);
    {
      nopal_scope s110;
      nopal_scope_init(&s110);
      nopal_fork_p2_f1(&s101, &o114[0], mix(h, 315452501u), d - 1, (const byte*)seen);
      nopal_join(&s110);
    }
    nopal_join(&s101);
    for (int i = 0; i < 1; ++i) h = mix(h, number_s1(&o114[i]));
  }
  return (u64)(h);
}
static const byte p2_bytes[16] = {1, 2, 3};
static u64 p2_run(u64 input) {
  u64 h = p2_root(input, 3, p2_bytes);
  return h;
}
static const struct program programs[] = {
    {"p2", p2_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
