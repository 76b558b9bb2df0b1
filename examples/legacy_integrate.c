#include "legacy_integrate.h"

#include <math.h>

struct samples {
  double left, middle, right;
};

static double simpson(const struct samples* f, double width) {
  return width / 6 * (f->left + 4 * f->middle + f->right);
}

static double refine(legacy_function f, void* context, double a, double b, const struct samples* at,
                     double tolerance, int depth) {
  const double middle = (a + b) / 2;
  const struct samples first = {at->left, f((a + middle) / 2, context), at->middle};
  const struct samples second = {at->middle, f((middle + b) / 2, context), at->right};
  const double fine = simpson(&first, middle - a) + simpson(&second, b - middle);
  const double change = fine - simpson(at, b - a);
  if (depth == 0 || fabs(change) <= 15 * tolerance) return fine + change / 15;
  return refine(f, context, a, middle, &first, tolerance / 2, depth - 1) +
         refine(f, context, middle, b, &second, tolerance / 2, depth - 1);
}

double legacy_integrate(legacy_function f, void* context, double a, double b, double tolerance) {
  const struct samples at = {f(a, context), f((a + b) / 2, context), f(b, context)};
  return refine(f, context, a, b, &at, tolerance, 40);
}
