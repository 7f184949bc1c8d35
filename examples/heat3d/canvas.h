// Drawing: rectangles, and numbers in a small font. Pixels are counted from the upper left corner.
#pragma once

#include "palette.h"

struct canvas {
  int width, height;
  unsigned char* pixels;  // red, green, blue; rows from top to bottom
};

// Returns 0 if memory is short.
int open_canvas(struct canvas* canvas, int width, int height, struct colour paper);
void close_canvas(struct canvas* canvas);

// Blends `colour` over a pixel; opacity from 0 to 1.
void blend(struct canvas* canvas, int x, int y, struct colour colour, double opacity);

struct rectangle {
  int left, top, width, height;
};

void fill(struct canvas* canvas, struct rectangle area, struct colour colour);
void outline(struct canvas* canvas, struct rectangle area, struct colour colour);

// Supports digits, point, minus, 'C' and 'o' for the degree sign. `middle` is halfway down the
// text.
void draw_text(struct canvas* canvas, int left, int middle, const char* text, struct colour colour);

// Returns NULL, or why the file could not be written (valid until the next call).
const char* write_png(const struct canvas* canvas, const char* file);
