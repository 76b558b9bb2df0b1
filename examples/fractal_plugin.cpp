// A plug-in that works in parallel, for a host that knows nothing of Nopal (plugin_host.c). The pool starts at the first fork
// and ends when libnopal is unloaded: with this plug-in, if that has it within, or with the last that uses a shared one. What
// the host sees is one C function, from which no exception escapes.
#include <complex>
#include <cstddef>
#include <exception>

#include <nopal/parallel.hpp>

#include "fractal_plugin.h"

namespace {

/// A character for how long a point stays near 0 under z*z + point.
char shade(std::complex<double> point) {
  constexpr int most = 10'000;
  std::complex<double> z = 0;
  int steps = 0;
  for (; steps < most && std::norm(z) < 4; ++steps) z = z * z + point;
  return steps == most ? '@' : " .:-=+*#%"[steps < 9 ? steps : 8];
}

void draw(char* text, int columns, int rows) {
  nopal::parallel_for(0, rows, [=](int row) {
    char* const line = text + static_cast<std::ptrdiff_t>(row) * (columns + 1);
    for (int column = 0; column < columns; ++column)
      line[column] = shade({-2.2 + 3.2 * column / columns, 1.2 - 2.4 * row / rows});
    line[columns] = '\n';
  });
  text[static_cast<std::ptrdiff_t>(rows) * (columns + 1)] = '\0';
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int fractal_draw(char* text, int columns, int rows) try {
  draw(text, columns, rows);
  return 0;
} catch (const std::exception&) {
  return 1;
}
