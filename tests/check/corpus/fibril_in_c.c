/* Fibril's interface in C. */
/* clang-format off */
#include <nopal/compat/fibril.h>

#include "c_corpus.h"

int f_y;

static fibril int f_fib_joined(int n) {
  int a, b;
  fibril_t fr;
  if (n < 2) return n;
  fibril_init(&fr);
  fibril_fork(&fr, a, f_fib_joined, (n - 1));
  b = f_fib_joined(n - 2);
  fibril_join(&fr);
  return a + b;
}
C_CASE(fibril_fib_with_join) { use_in_c(f_fib_joined(8)); }
static fibril int f_fib_unjoined(int n) {
  int a, b;
  fibril_t fr;
  if (n < 2) return n;
  fibril_init(&fr);
  fibril_fork(&fr, &a, f_fib_unjoined, (n - 1));  /* race: A */
  b = f_fib_unjoined(n - 2);
  b += a;  /* with: A */
  fibril_join(&fr);
  return b;
}
C_CASE(fibril_fib_without_join) { use_in_c(f_fib_unjoined(6)); }
static void f_write(int v) { f_y = v; }  /* race: A with: A */
C_CASE(fibril_void) {
  fibril_t fr;
  fibril_init(&fr);
  fibril_fork(&fr, f_write, (1));
  f_write(2);
  fibril_join(&fr);
}
