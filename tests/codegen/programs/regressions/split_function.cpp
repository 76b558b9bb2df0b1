/* flags: -finline-limit=2000 */
/* GCC would split a function here, with much inlined. */
#include <nopal/scope.hpp>
#include <utility>

#include "one_program.h"

STRUCT_OF_BYTES(s0, 1665, ALIGNED(64))

static u64 f0(u64 x, int d, const byte* seen);
static ALWAYS_INLINE long double f2(u64 x, int d, const byte* seen, s0 v27);
typedef struct args_f2 {
  u64 x;
  int d;
  const byte* seen;
  s0 v27;
  long double result;
} args_f2;
static void thunk_f2(void* p) {
  args_f2* const a = (args_f2*)p;
  a->result = f2(a->x, a->d, a->seen, std::move(a->v27));
}

static ALWAYS_INLINE long double f2(u64 x, int d, const byte* seen, s0 v27) {
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
        *to = f0(std::move(a0), std::move(a1), std::move(a2));
      });
      s105.join();
    }
    for (int i = 0; i < 1; ++i) h = mix(h, (u64)o109[i]);
  }
  h = mix(h, number_s0(&v27));
  return (long double)(int32_t)((h) & 0xfffff);
}

static u64 f0(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 109410834u);
  h = mix(h, number_of_bytes(seen, 16));
  if (d <= 0) return (u64)(h);
  return (u64)(h);
}

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 788513135u);
  {
    args_f2 o192[1] = {};
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
          nopal_fork(&s153, thunk_f2, &o192[0]);
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

ONE_PROGRAM(root, 2)
