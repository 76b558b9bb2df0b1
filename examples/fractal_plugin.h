/* What the plug-in offers to its host. */
#ifndef FRACTAL_PLUGIN_H
#define FRACTAL_PLUGIN_H

/* Draws the Mandelbrot set as text: `rows` lines of `columns` characters and a newline each, after them a zero. Returns 0, or 1 if it
 * cannot. The type is that of the function named "fractal_draw". */
typedef int fractal_draw_function(char* text, int columns, int rows);

#endif
