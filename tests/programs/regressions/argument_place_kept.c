/* flags: -fno-inline */
#include "programs.h"
typedef int8_t vec_int8_t_32 __attribute__((vector_size(32)));

typedef struct s1 {
  byte a[1333];
} s1;
static NOINLINE UNUSED s1 make_s1(u64 n) {
  s1 v;
  fill_bytes(v.a, sizeof v.a, n + 0);
  return v;
}
static NOINLINE UNUSED u64 number_s1(const s1* v) {
  u64 h = 1;
  h = mix(h, number_of_bytes(v->a, sizeof v->a));
  return h;
}

typedef struct s2 {
  int64_t m0 : 1;
  int32_t m1 : 4;
  int8_t m2 : 7;
} ALIGNED(32) s2;
static NOINLINE UNUSED s2 make_s2(u64 n) {
  s2 v;
  v.m0 = (n >> 0) & 1u;
  v.m1 = (n >> 1) & 15u;
  v.m2 = (n >> 2) & 127u;
  return v;
}
static NOINLINE UNUSED u64 number_s2(const s2* v) {
  u64 h = 1;
  h = mix(h, (u64)v->m0);
  h = mix(h, (u64)v->m1);
  h = mix(h, (u64)v->m2);
  return h;
}

typedef struct s5 {
  double m0;
  uint64_t m1 : 2;
  int8_t m2;
  int16_t m3;
  uint64_t m4;
  uint8_t m5;
} s5;
static NOINLINE UNUSED s5 make_s5(u64 n) {
  s5 v;
  v.m0 = (double)(int32_t)((n * 1u) & 0xfffff);
  v.m1 = (n >> 1) & 3u;
  v.m2 = (int8_t)(n * 5u);
  v.m3 = (int16_t)(n * 7u);
  v.m4 = (uint64_t)(n * 9u);
  v.m5 = (uint8_t)(n * 11u);
  return v;
}
static NOINLINE UNUSED u64 number_s5(const s5* v) {
  u64 h = 1;
  h = mix(h, (u64)(int64_t)v->m0);
  h = mix(h, (u64)v->m1);
  h = mix(h, (u64)v->m2);
  h = mix(h, (u64)v->m3);
  h = mix(h, (u64)v->m4);
  h = mix(h, (u64)v->m5);
  return h;
}

static nopal_reducer p6_reducer;
static ALWAYS_INLINE u64 p6_f0(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, p6_f0, (u64, x), (int, d), (const byte*, seen))
typedef struct args_p6_f0 {
  u64 x;
  int d;
  const byte* seen;
  u64 result;
} args_p6_f0;
static UNUSED void thunk_p6_f0(void* p) {
  args_p6_f0* const a = (args_p6_f0*)p;
  a->result = p6_f0(a->x, a->d, a->seen);
}
static vec_int8_t_32 p6_f1(u64 x, int d, const byte* seen, s1 v8);
NOPAL_FORKABLE(vec_int8_t_32, p6_f1, (u64, x), (int, d), (const byte*, seen), (s1, v8))
static NOINLINE u64 p6_root(u64 x, int d, const byte* seen);
static vec_int8_t_32 p6_f1(u64 x, int d, const byte* seen, s1 v8) {
  u64 h = mix(x, 502407369u);
  h = mix(h, number_of_bytes(seen, 16));
  h = mix(h, number_s1(&v8));
  if (d <= 0) return ((vec_int8_t_32){0} + (int8_t)(int32_t)((h) & 0xffff));
  h = mix(h, number_s1(&v8));
  return ((vec_int8_t_32){0} + (int8_t)(int32_t)((h) & 0xffff));
}
static ALWAYS_INLINE u64 p6_f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 236680488u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  {
    vec_int8_t_32 o25[1];
    for (int i = 0; i < 1; ++i) o25[i] = ((vec_int8_t_32){0} + (int8_t)(int32_t)((i) & 0xffff));
    nopal_scope s20;
    nopal_scope_init(&s20);
    nopal_fork_p6_f1(&s20, &o25[0], mix(h, 323246729u), d - 1, (const byte*)seen,
                     make_s1(mix(h, 574037321u)));
    {
      vec_int8_t_32 r32 = p6_f1(mix(h, 524324632u), d - 1, (const byte*)seen, make_s1(mix(h, 519730107u)));
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
static NOINLINE u64 p6_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 543874148u);
  {
    nopal_scope s59;
    nopal_scope_init(&s59);
    {
      u64 r66 = p6_f0(mix(h, 400028369u), d - 1, (const byte*)seen);
      h = mix(h, (u64)r66);
    }
    nopal_join(&s59);
  }
  return (u64)(h);
}
static const byte p6_bytes[16] = {1, 2, 3};
static u64 p6_run(u64 input) {
  struct affine value = {1, 0};
  nopal_reducer_init(&p6_reducer, &affine_monoid, &value);
  u64 h = p6_root(input, 3, p6_bytes);
  nopal_reducer_destroy(&p6_reducer);
  h = mix(mix(h, value.a), value.b);
  return h;
}
static const struct program programs[] = {
    {"p6", p6_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
