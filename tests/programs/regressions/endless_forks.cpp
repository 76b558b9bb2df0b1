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

typedef struct s2 {
  int16_t m0;
  uint8_t m1;
  uint8_t m2;
  byte rest[13];
} __attribute__((packed)) s2;
static inline UNUSED s2 make_s2(u64 n) {
  s2 v;
  v.m0 = (int16_t)(n * 1u);
  v.m1 = (uint8_t)(n * 3u);
  v.m2 = (uint8_t)(n * 5u);
  fill_bytes(v.rest, sizeof v.rest, n + 3);
  return v;
}
static inline UNUSED u64 number_s2(const s2* v) {
  u64 h = 1;
  h = mix(h, (u64)v->m0);
  h = mix(h, (u64)v->m1);
  h = mix(h, (u64)v->m2);
  h = mix(h, number_of_bytes(v->rest, sizeof v->rest));
  return h;
}

static u64 p2_f1(u64 x, int d, const byte* seen, unsigned __int128 v9);
typedef struct args_p2_f1 {
  u64 x;
  int d;
  const byte* seen;
  unsigned __int128 v9;
  u64 result;
} args_p2_f1;
static UNUSED void thunk_p2_f1(void* p) {
  args_p2_f1* const a = (args_p2_f1*)p;
  a->result = p2_f1(a->x, a->d, a->seen, std::move(a->v9));
}
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen);
static NOINLINE __attribute__((noreturn)) void p2_endless(u64 x, int d, const byte* seen) noexcept;
static u64 p2_f1(u64 x, int d, const byte* seen, unsigned __int128 v9) {
  u64 h = mix(x, 375967119u);
  h = mix(h, number_of_bytes(seen, 16));
  h = mix(h, ((u64)v9 ^ (u64)(v9 >> 64) * 31u));
  if (d <= 0) return (u64)(h);
  h = mix(h, ((u64)v9 ^ (u64)(v9 >> 64) * 31u));
  return (u64)(h);
}
static NOINLINE u64 p2_root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 254994994u);
  return (u64)(h);
}
static const byte p2_bytes[16] = {1, 2, 3};
static u64 p2_run(u64 input) {
  u64 h = p2_root(input, 1, p2_bytes);
  set_mode(0);
  return h;
}
static NOINLINE __attribute__((noreturn)) void p2_endless(u64 x, int d, const byte* seen) noexcept {
  u64 h = mix(x, 215435152u);
  h = mix(h, number_of_bytes(seen, 16));
  byte v249[16] ALIGNED(32);
  fill_bytes(v249, 16, mix(h, 918335635u));
  SHOULD_BE(is_aligned(v249, 32), "the place of v249");
  {
    u64 o259[5];
    for (int i = 0; i < 5; ++i) o259[i] = (u64)(i);
    {
      nopal::scope s250;
      for (int i252 = 0;; ++i252) {
        s250.fork_into(o259[(0 * 5 + i252)], p2_f1, mix(h, 398071928u), d - 1, (const byte*)seen,
                       (unsigned __int128)(mix(h, 706550575u)));
        if (opaque((u64)i252) == 4) finish(h);
      }
    }
  }
}
static void p2_start_endless(u64 input) { p2_endless(input, 1, p2_bytes); }
static const struct program programs[] = {
    {"p2", p2_run, p2_start_endless},
};
int main(int argc, char** argv) {
  return run_programs(programs, sizeof programs / sizeof *programs, argc, argv);
}
