#include "programs.h"
typedef struct s1 {
  byte a[2119];
} s1;
static inline UNUSED s1 make_s1(u64 n) {
  s1 v;
  fill_bytes(v.a, sizeof v.a, n + 0);
  return v;
}
static inline UNUSED u64 number_s1(const s1* v) {
  u64 h = 1;
  h = mix(h, number_of_bytes(v->a, sizeof v->a));
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
static ALWAYS_INLINE u64 p4_f1(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(u64, p4_f1, (u64, x), (int, d), (const byte*, seen))
static NOINLINE u64 p4_root(u64 x, int d, const byte* seen);
static ALWAYS_INLINE u64 p4_f1(u64 x, int d, const byte* seen) {
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
    nopal_fork_p4_f0(&s72, &o77[0], mix(h, 108242452u), d - 1, (const byte*)v69);
    nopal_join(&s72);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o77[i]);
  }
  return (u64)(h);
}
static u64 p4_f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 565370171u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}
static NOINLINE u64 p4_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 3557692u);
  {
    u64 o110[1];
    for (int i = 0; i < 1; ++i) o110[i] = (u64)(i);
    nopal_scope s103;
    nopal_scope_init(&s103);
    nopal_fork_p4_f1(&s103, &o110[0], mix(h, 756231302u), d - 1, (const byte*)seen);
    {
      u64 r115 = p4_f1(mix(h, 763802404u), d - 1, (const byte*)seen);
      h = mix(h, (u64)r115);
    }
    nopal_join(&s103);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o110[i]);
  }
  return (u64)(h);
}
static const byte p4_bytes[16] = {1, 2, 3};
static u64 p4_run(u64 input) {
  u64 h = p4_root(input, 2, p4_bytes);
  set_mode(0);
  return h;
}
static const struct program programs[] = {
    {"p4", p4_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
