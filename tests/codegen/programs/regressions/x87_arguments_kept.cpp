/* Arguments of a child lie on the x87 stack when its push takes the slow path, which adopts the thread and starts others. */
#include <nopal/scope.hpp>

#include "one_program.h"

static u64 number_of(long double v) { return (u64)(int64_t)v; }

static NOINLINE u64 f1(u64 x, long double a, long double b, long double c, long double d, long double e,
                       long double f, long double g) {
  u64 h = mix(x, number_of(a));
  h = mix(mix(mix(h, number_of(b)), number_of(c)), number_of(d));
  return mix(mix(mix(h, number_of(e)), number_of(f)), number_of(g));
}

static NOINLINE long double make(u64 n) { return (long double)(int32_t)(mix(n, 364046580u) & 0xfffff); }

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, number_of_bytes(seen, 16));
  for (int i = 0; i < d; ++i) {
    u64 o1 = 0, o2 = 0;
    {
      nopal::scope s;
      s.fork([to = &o1, h, a0 = make(h), a1 = make(h + 1), a2 = make(h + 2), a3 = make(h + 3),
              a4 = make(h + 4), a5 = make(h + 5),
              a6 = make(h + 6)] { *to = f1(h, a0, a1, a2, a3, a4, a5, a6); });
      s.fork_into(o2, f1, h, make(h), make(h + 6), make(h + 5), make(h + 4), make(h + 3), make(h + 2),
                  make(h + 1));
      s.join();
    }
    h = mix(mix(h, o1), o2);
  }
  return h;
}

ONE_PROGRAM(root, 3)
