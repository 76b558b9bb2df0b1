// A fork through the Fibril interface, in C, whose child takes arguments of every kind.
#include "support/fibril_fork.h"

#include <nopal/compat/fibril.h>

static double child(double a, long b, float c, long d, long e, long f, long g, long on_stack, double h) {
  return a + (double)b + (double)c + (double)d + (double)e + (double)f + (double)g + (double)on_stack + h;
}

double fibril_fork_of_many_arguments(void) {
  double result = 0;
  fibril_t frame;
  fibril_init(&frame);
  fibril_fork(&frame, &result, child, (1.5, 2, 4.0F, 8, 16, 32, 64, 128, 256.25));
  fibril_join(&frame);
  return result;
}
