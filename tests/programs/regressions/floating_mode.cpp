#include "programs.h"
#include <nopal/scope.hpp>
#include <utility>
struct error0 {
  u64 number;
  explicit error0(u64 n) : number(n) {}
  virtual ~error0() = default;
};
struct error1 : error0 {
  byte bytes[100];
  explicit error1(u64 n) : error0(n) { fill_bytes(bytes, sizeof bytes, n); }
};
struct error2 : error1 {
  explicit error2(u64 n) : error1(n) { number = mix(number, number_of_bytes(bytes, sizeof bytes)); }
};

typedef int16_t vec_int16_t_16 __attribute__((vector_size(16)));

typedef struct s1 {
  double m0;
  long double m1;
  vec_int16_t_16 m2;
  long double m3;
  __float128 m4;
} s1;
static NOINLINE UNUSED s1 make_s1(u64 n) {
  s1 v;
  v.m0 = (double)(int32_t)((n * 1u) & 0xfffff);
  v.m1 = (long double)(int32_t)((n * 3u) & 0xfffff);
  v.m2 = ((vec_int16_t_16){0} + (int16_t)(int32_t)((n * 5u) & 0xffff));
  v.m3 = (long double)(int32_t)((n * 7u) & 0xfffff);
  v.m4 = (__float128)(int32_t)((n * 9u) & 0xfffff);
  return v;
}
static NOINLINE UNUSED u64 number_s1(const s1* v) {
  u64 h = 1;
  h = mix(h, (u64)(int64_t)v->m0);
  h = mix(h, (u64)(int64_t)v->m1);
  h = mix(h, (((u64)(int64_t)v->m2[0] * 3u) ^ ((u64)(int64_t)v->m2[1] * 5u) ^ ((u64)(int64_t)v->m2[4] * 11u) ^
              ((u64)(int64_t)v->m2[7] * 17u)));
  h = mix(h, (u64)(int64_t)v->m3);
  h = mix(h, (u64)(int64_t)v->m4);
  return h;
}

typedef struct s5 {
  byte a[95];
} s5;
static inline UNUSED s5 make_s5(u64 n) {
  s5 v;
  fill_bytes(v.a, sizeof v.a, n + 0);
  return v;
}
static inline UNUSED u64 number_s5(const s5* v) {
  u64 h = 1;
  h = mix(h, number_of_bytes(v->a, sizeof v->a));
  return h;
}

static NOINLINE u64 p0_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p0_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 380132142u);
  return (u64)(h);
}
static const byte p0_bytes[16] = {1, 2, 3};
static u64 p0_run(u64 input) {
  u64 h = p0_root(input, 2, p0_bytes);
  return h;
}

static NOINLINE u64 p1_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p1_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 374069436u);
  return (u64)(h);
}
static const byte p1_bytes[16] = {1, 2, 3};
static u64 p1_run(u64 input) {
  u64 h = p1_root(input, 3, p1_bytes);
  return h;
}

static nopal_reducer p2_reducer;
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 153452744u);
  return (u64)(h);
}
static const byte p2_bytes[16] = {1, 2, 3};
static u64 p2_run(u64 input) {
  struct affine value = {1, 0};
  nopal_reducer_init(&p2_reducer, &affine_monoid, &value);
  u64 h = p2_root(input, 5, p2_bytes);
  set_mode(0);
  nopal_reducer_destroy(&p2_reducer);
  h = mix(mix(h, value.a), value.b);
  return h;
}

static NOINLINE u64 p3_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p3_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 755641878u);
  return (u64)(h);
}
static const byte p3_bytes[16] = {1, 2, 3};
static u64 p3_run(u64 input) {
  u64 h = p3_root(input, 2, p3_bytes);
  return h;
}

static NOINLINE u64 p4_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p4_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 1045628340u);
  return (u64)(h);
}
static const byte p4_bytes[16] = {1, 2, 3};
static u64 p4_run(u64 input) {
  u64 h = p4_root(input, 3, p4_bytes);
  return h;
}

static nopal_reducer p5_reducer;
static NOINLINE u64 p5_root(u64 x, int d, const byte* seen);
static NOINLINE u64 p5_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 880536803u);
  return (u64)(h);
}
static const byte p5_bytes[16] = {1, 2, 3};
static u64 p5_run(u64 input) {
  struct affine value = {1, 0};
  nopal_reducer_init(&p5_reducer, &affine_monoid, &value);
  u64 h = p5_root(input, 1, p5_bytes);
  nopal_reducer_destroy(&p5_reducer);
  h = mix(mix(h, value.a), value.b);
  return h;
}

static u64 p6_f1(u64 x, int d, const byte* seen);
static inline u64 p6_f2(u64 x, int d, const byte* seen);
static NOINLINE u64 p6_root(u64 x, int d, const byte* seen);
static inline u64 p6_f2(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 481461097u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  h = mix(h, look_at_mode());
  {
    {
      nopal::scope s106;
      wait_a_little();
    }
  }
  return (u64)(h);
}
static u64 p6_f1(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 111639534u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  {
    u64 o63[1];
    for (int i = 0; i < 1; ++i) o63[i] = (u64)(i);
    {
      nopal::scope s58;
      s58.fork_into(o63[0], p6_f2, mix(h, 605997253u), d - 1, (const byte*)seen);
      s58.join();
      s58.join();
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o63[i]);
  }
  return (u64)(h);
}
static NOINLINE u64 p6_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 587632831u);
  set_mode(54);
  {
    u64 o158[1];
    for (int i = 0; i < 1; ++i) o158[i] = (u64)(i);
    u64 o162[1];
    for (int i = 0; i < 1; ++i) o162[i] = i;
    {
      nopal::scope s154;
      s154.fork_into(o158[0], p6_f1, mix(h, 690608031u), d - 1, (const byte*)seen);
      {
        const u64 x160 = mix(h, 306891505u);
        s154.fork([to = &o162[0], x160, d, seen]() {
          u64 h160 = x160;
          (void)d, (void)seen;
          {
            u64 r167 = p6_f1(mix(h160, 794011270u), d - 1, (const byte*)seen);
            h160 = mix(h160, (u64)r167);
          }
          *to = h160;
        });
      }
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o158[i]);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o162[i]);
  }
  return (u64)(h);
}
static const byte p6_bytes[16] = {1, 2, 3};
static u64 p6_run(u64 input) {
  u64 h = p6_root(input, 3, p6_bytes);
  set_mode(0);
  return h;
}

static ALWAYS_INLINE u64 p7_f0(u64 x, int d, const byte* seen);
static NOINLINE u64 p7_root(u64 x, int d, const byte* seen);
static ALWAYS_INLINE u64 p7_f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 515733131u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}
static NOINLINE u64 p7_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 136964584u);
  try {
    u64 h46 = mix(h, 811077845u);
    {
      u64 o68[1];
      for (int i = 0; i < 1; ++i) o68[i] = (u64)(i);
      {
        nopal::scope s63;
        s63.fork([to = &o68[0], a0 = mix(h46, 856781023u), a1 = d - 1, a2 = (const byte*)seen]() mutable {
          *to = p7_f0(std::move(a0), std::move(a1), std::move(a2));
        });
        s63.join();
      }
      for (int i = 0; i < 1; ++i) h46 = mix(h46, (u64)o68[i]);
    }
    h = h46;
  } catch (const error0& e) {
    h = mix(h, e.number);
  }
  return (u64)(h);
}
static const byte p7_bytes[16] = {1, 2, 3};
static u64 p7_run(u64 input) {
  u64 h = p7_root(input, 5, p7_bytes);
  return h;
}
static const struct program programs[] = {
    {"p0", p0_run, NULL}, {"p1", p1_run, NULL}, {"p2", p2_run, NULL}, {"p3", p3_run, NULL},
    {"p4", p4_run, NULL}, {"p5", p5_run, NULL}, {"p6", p6_run, NULL}, {"p7", p7_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
