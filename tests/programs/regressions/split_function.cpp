/* flags: -finline-limit=2000 */
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

typedef struct s0 {
  byte a[1665];
} ALIGNED(64) s0;
static inline UNUSED s0 make_s0(u64 n) {
  s0 v;
  fill_bytes(v.a, sizeof v.a, n + 0);
  return v;
}
static inline UNUSED u64 number_s0(const s0* v) {
  u64 h = 1;
  h = mix(h, number_of_bytes(v->a, sizeof v->a));
  return h;
}

typedef struct s1 {
  double m0;
  uint32_t m1;
  uint64_t m2;
  uint32_t m3;
  int8_t m4 : 7;
  int32_t m5;
} ALIGNED(128) s1;
static NOINLINE UNUSED s1 make_s1(u64 n) {
  s1 v;
  v.m0 = (double)(int32_t)((n * 1u) & 0xfffff);
  v.m1 = (uint32_t)(n * 3u);
  v.m2 = (uint64_t)(n * 5u);
  v.m3 = (uint32_t)(n * 7u);
  v.m4 = (n >> 4) & 127u;
  v.m5 = (int32_t)(n * 11u);
  return v;
}
static NOINLINE UNUSED u64 number_s1(const s1* v) {
  u64 h = 1;
  h = mix(h, (u64)(int64_t)v->m0);
  h = mix(h, (u64)v->m1);
  h = mix(h, (u64)v->m2);
  h = mix(h, (u64)v->m3);
  h = mix(h, (u64)v->m4);
  h = mix(h, (u64)v->m5);
  return h;
}

static u64 p4_f0(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, p4_f0, (u64, x), (int, d), (const byte*, seen))
typedef struct args_p4_f0 {
  u64 x;
  int d;
  const byte* seen;
  u64 result;
} args_p4_f0;
static UNUSED void thunk_p4_f0(void* p) {
  args_p4_f0* const a = (args_p4_f0*)p;
  a->result = p4_f0(a->x, a->d, a->seen);
}
static ALWAYS_INLINE long double p4_f2(u64 x, int d, const byte* seen, s0 v27);
typedef struct args_p4_f2 {
  u64 x;
  int d;
  const byte* seen;
  s0 v27;
  long double result;
} args_p4_f2;
static UNUSED void thunk_p4_f2(void* p) {
  args_p4_f2* const a = (args_p4_f2*)p;
  a->result = p4_f2(a->x, a->d, a->seen, std::move(a->v27));
}
static NOINLINE u64 p4_root(u64 x, int d, const byte* seen);
static ALWAYS_INLINE long double p4_f2(u64 x, int d, const byte* seen, s0 v27) {
  u64 h = mix(x, 223538816u);
  h = mix(h, number_of_bytes(seen, 16));
  h = mix(h, number_s0(&v27));
  if (d <= 0) return (long double)(int32_t)((h) & 0xfffff);
  {
    u64 o109[1];
    for (int i = 0; i < 1; ++i) o109[i] = (u64)(i);
    {
      nopal::scope s105;
      s105.fork([to = &o109[0], a0 = mix(h, 726008156u), a1 = d - 1, a2 = (const byte*)seen]() mutable {
        *to = p4_f0(std::move(a0), std::move(a1), std::move(a2));
      });
      s105.join();
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o109[i]);
  }
  h = mix(h, number_s0(&v27));
  return (long double)(int32_t)((h) & 0xfffff);
}
static u64 p4_f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 109410834u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}
static NOINLINE u64 p4_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 788513135u);
  {
    args_p4_f2 o192[1] = {};
    nopal_scope s153;
    nopal_scope_init(&s153);
    {
      nopal_scope s159;
      nopal_scope_init(&s159);
      {
        {
          nopal::scope s181;
          o192[0].x = mix(h, 991237527u);
          o192[0].d = d - 1;
          o192[0].seen = (const byte*)seen;
          o192[0].v27 = make_s0(mix(h, 978869354u));
          nopal_fork(&s153, thunk_p4_f2, &o192[0]);
          s181.join();
        }
      }
      nopal_join(&s159);
      nopal_join(&s159);
    }
    nopal_join(&s153);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)(int64_t)o192[i].result);
  }
  return (u64)(h);
}
static const byte p4_bytes[16] = {1, 2, 3};
static u64 p4_run(u64 input) {
  u64 h = p4_root(input, 2, p4_bytes);
  return h;
}
static const struct program programs[] = {
    {"p4", p4_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
