/* What the plug-in offers to its host. */
#ifndef FRACTAL_PLUGIN_H
#define FRACTAL_PLUGIN_H

/* The type of "fractal_draw", which draws the Mandelbrot set as text: `rows` lines of `columns` characters and a newline each,
 * after them a zero. Returns 0, or 1 if it cannot. */
typedef int fractal_draw_function(char* text, int columns, int rows);

#endif
