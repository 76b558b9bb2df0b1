/* A C library of old: it calls back, and knows nothing of C++ or of threads. */
#ifndef LEGACY_INTEGRATE_H
#define LEGACY_INTEGRATE_H

typedef double (*legacy_function)(double x, void* context);

/* The integral of f from a to b, to about `tolerance`, by Simpson's rule on halves of halves. */
double legacy_integrate(legacy_function f, void* context, double a, double b, double tolerance);

#endif
