/* The mode is changed between two regions, and thieves publish the second by force. */
#include <nopal/scope.hpp>

#include "one_program.h"

static u64 f1(u64 x, int d, const byte* seen);

static inline u64 f2(u64 x, int d, const byte* seen) {
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

static u64 f1(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 111639534u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  {
    u64 o63[1];
    for (int i = 0; i < 1; ++i) o63[i] = (u64)(i);
    {
      nopal::scope s58;
      s58.fork_into(o63[0], f2, mix(h, 605997253u), d - 1, (const byte*)seen);
      s58.join();
      s58.join();
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o63[i]);
  }
  return (u64)(h);
}

static NOINLINE u64 changed(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 587632831u);
  set_mode(54);
  {
    u64 o158[1];
    for (int i = 0; i < 1; ++i) o158[i] = (u64)(i);
    u64 o162[1];
    for (int i = 0; i < 1; ++i) o162[i] = i;
    {
      nopal::scope s154;
      s154.fork_into(o158[0], f1, mix(h, 690608031u), d - 1, (const byte*)seen);
      {
        const u64 x160 = mix(h, 306891505u);
        s154.fork([to = &o162[0], x160, d, seen]() {
          u64 h160 = x160;
          (void)d, (void)seen;
          {
            u64 r167 = f1(mix(h160, 794011270u), d - 1, (const byte*)seen);
            h160 = mix(h160, (u64)r167);
          }
          *to = h160;
        });
      }
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o158[i]);
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o162[i]);
  }
  set_mode(0);
  return (u64)(h);
}

static ALWAYS_INLINE u64 f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 515733131u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}

static NOINLINE u64 usual(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 136964584u);
  u64 o68[1];
  for (int i = 0; i < 1; ++i) o68[i] = (u64)(i);
  {
    nopal::scope s63;
    s63.fork([to = &o68[0], a0 = mix(h, 856781023u), a1 = d - 1, a2 = (const byte*)seen]() mutable {
      *to = f0(a0, a1, a2);
    });
    s63.join();
  }
  for (int i = 0; i < 1; ++i) h = mix(h, (u64)o68[i]);
  return (u64)(h);
}

/* A region of the usual mode before each of another. */
static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  const u64 h = usual(x, d + 2, seen);
  return changed(h, d, seen);
}

ONE_PROGRAM(root, 3)
