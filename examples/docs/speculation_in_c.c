/* The C code of docs/speculation.md. */
#include <nopal/speculate.h>

#include <stdio.h>

/* snippet: stop */
struct trial {
  long number, divisor, answer;
};

static void try_divisor(void* argument) {
  struct trial* const t = argument;
  t->answer = t->number % t->divisor == 0 ? t->divisor : 0;
}

struct found {
  nopal_cancel_scope* all;
  long divisor;
};

static void take(void* context, void* argument) { /* never two at a time: no lock */
  struct found* const to = context;
  const struct trial* const t = argument;
  if (to->divisor == 0 && t->answer != 0) {
    to->divisor = t->answer;
    nopal_cancel_scope_stop(to->all);
  }
}

static long least_divisor(long number) { /* of 2 to 99; 0: there is none */
  struct trial trials[100];
  nopal_cancel_scope s;
  nopal_cancel_scope_init(&s, nopal_inlets_by_serial_order);
  struct found to = {&s, 0};
  for (long d = 2; d < 100; ++d) {
    trials[d] = (struct trial){number, d, 0};
    nopal_fork_inlet(&s, try_divisor, &trials[d], take, &to);
  }
  nopal_cancel_scope_destroy(&s);
  return to.divisor;
}
/* end snippet */

int main(void) {
  printf("%ld\n", least_divisor(7 * 11 * 13));
  return least_divisor(7 * 11 * 13) == 7 && least_divisor(101) == 0 ? 0 : 1;
}
