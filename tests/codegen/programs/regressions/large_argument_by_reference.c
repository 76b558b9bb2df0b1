/* Arguments that an ABI passes by the address of a copy in the parent's frame: a child takes them before a thief fills the
 * copy's place anew. */
#include "one_program.h"

STRUCT_OF_BYTES(s1, 40, )
STRUCT_OF_BYTES(s2, 37, ALIGNED(128))

static u64 f(u64 x, int d, const byte* seen, s1 small, s2 aligned);
NOPAL_FORKABLE(u64, f, (u64, x), (int, d), (const byte*, seen), (s1, small), (const s2, aligned))
static void into(u64* result, s2 aligned, s1 small);
NOPAL_FORKABLE_VOID(into, (u64*, result), (s2, aligned), (const s1, small))

static u64 f(u64 x, int d, const byte* seen, s1 small, s2 aligned) {
  u64 h = mix(x, number_of_bytes(seen, 16));
  h = mix(h, number_s1(&small));
  h = mix(h, number_s2(&aligned));
  return d <= 0 ? h : mix(h, number_s1(&small));
}

static void into(u64* result, s2 aligned, s1 small) { *result = mix(number_s2(&aligned), number_s1(&small)); }

static NOINLINE u64 root(u64 x, int d, const byte* seen) {
  u64 h = mix(x, 817845798u);
  u64 results[4] = {0};
  nopal_scope s;
  nopal_scope_init(&s);
  nopal_fork_f(&s, &results[0], mix(h, 1u), d, seen, make_s1(mix(h, 2u)), make_s2(mix(h, 3u)));
  nopal_fork_into(&s, &results[1], make_s2(mix(h, 4u)), make_s1(mix(h, 5u)));
  nopal_fork_f(&s, &results[2], mix(h, 6u), d - 1, seen, make_s1(mix(h, 7u)), make_s2(mix(h, 8u)));
  nopal_fork_into(&s, &results[3], make_s2(mix(h, 9u)), make_s1(mix(h, 10u)));
  nopal_join(&s);
  for (int i = 0; i < 4; ++i) h = mix(h, results[i]);
  return h;
}

ONE_PROGRAM(root, 1)
