#include "programs.h"
typedef struct s1 {
  byte a[56];
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

NOINLINE unsigned __int128 p1_f2(u64 x, int d, const byte* seen);
NOPAL_FORKABLE(unsigned __int128, p1_f2, (u64, x), (int, d), (const byte*, seen))
typedef struct args_p1_f2 {
  u64 x;
  int d;
  const byte* seen;
  unsigned __int128 result;
} args_p1_f2;
static UNUSED void thunk_p1_f2(void* p) {
  args_p1_f2* const a = (args_p1_f2*)p;
  a->result = p1_f2(a->x, a->d, a->seen);
}
static NOINLINE u64 p1_root(u64 x, int d, const byte* seen);
NOINLINE unsigned __int128 p1_f2(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 561066424u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (unsigned __int128)(h);
  return (unsigned __int128)(h);
}
static NOINLINE u64 p1_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 221150856u);
  byte v163[opaque(66)];
  fill_bytes(v163, 66, mix(h, 780093477u));
  {
    unsigned __int128 o169[1];
    for (int i = 0; i < 1; ++i) o169[i] = (unsigned __int128)(i);
    args_p1_f2 o173[1] = {};
    nopal_scope s165;
    nopal_scope_init(&s165);
    nopal_fork_p1_f2(&s165, &o169[0], mix(h, 143575810u), d - 1, (const byte*)v163);
    o173[0].x = mix(h, 25189854u);
    o173[0].d = d - 1;
    o173[0].seen = (const byte*)v163;
    nopal_fork(&s165, thunk_p1_f2, &o173[0]);
    nopal_join(&s165);
    for (int i = 0; i < 1; ++i) h = mix(h, ((u64)o169[i] ^ (u64)(o169[i] >> 64) * 31u));
    for (int i = 0; i < 1; ++i) h = mix(h, ((u64)o173[i].result ^ (u64)(o173[i].result >> 64) * 31u));
  }
  return (u64)(h);
}
static const byte p1_bytes[16] = {1, 2, 3};
static u64 p1_run(u64 input) {
  u64 h = p1_root(input, 3, p1_bytes);
  set_mode(0);
  return h;
}
static const struct program programs[] = {
    {"p1", p1_run, NULL},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
