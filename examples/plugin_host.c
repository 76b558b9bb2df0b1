/* Loads the plug-in that it is given, calls it, unloads it. A C program, not linked against Nopal. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fractal_plugin.h"

enum { columns = 76, rows = 24 };

static int fail(const char* what) {
  fprintf(stderr, "plugin_host: %s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  static char text[rows * (columns + 1) + 1];
  if (argc != 2) {
    fprintf(stderr, "usage: plugin_host PLUGIN.so\n");
    return 2;
  }
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) return fail(dlerror());
  void* const symbol = dlsym(plugin, "fractal_draw");
  if (symbol == NULL) return fail(dlerror());
  fractal_draw_function* draw;
  memcpy(&draw, &symbol, sizeof draw); /* ISO C has no conversion from data to functions */
  if (draw(text, columns, rows) != 0) return fail("the plug-in cannot draw");
  if (dlclose(plugin) != 0) return fail(dlerror());
  fputs(text, stdout);
  return 0;
}
