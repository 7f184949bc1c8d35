#include "canvas.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

int open_canvas(struct canvas* canvas, int width, int height, struct colour paper) {
  canvas->width = width;
  canvas->height = height;
  canvas->pixels = malloc((size_t)width * (size_t)height * 3);
  if (canvas->pixels == NULL) return 0;
  fill(canvas, (struct rectangle){0, 0, width, height}, paper);
  return 1;
}

void close_canvas(struct canvas* canvas) {
  free(canvas->pixels);
}

void blend(struct canvas* canvas, int x, int y, struct colour colour, double opacity) {
  unsigned char* pixel = &canvas->pixels[3 * ((long)y * canvas->width + x)];
  const double parts[3] = {colour.red, colour.green, colour.blue};
  for (int i = 0; i < 3; ++i) {
    pixel[i] = (unsigned char)lround((1 - opacity) * pixel[i] + opacity * 255 * parts[i]);
  }
}

void fill(struct canvas* canvas, struct rectangle area, struct colour colour) {
  for (int y = area.top; y < area.top + area.height; ++y) {
    for (int x = area.left; x < area.left + area.width; ++x) blend(canvas, x, y, colour, 1);
  }
}

void outline(struct canvas* canvas, struct rectangle area, struct colour colour) {
  const int right = area.left + area.width;
  const int bottom = area.top + area.height;
  fill(canvas, (struct rectangle){area.left - 1, area.top - 1, area.width + 2, 1}, colour);
  fill(canvas, (struct rectangle){area.left - 1, bottom, area.width + 2, 1}, colour);
  fill(canvas, (struct rectangle){area.left - 1, area.top, 1, area.height}, colour);
  fill(canvas, (struct rectangle){right, area.top, 1, area.height}, colour);
}

enum { glyph_width = 5, glyph_height = 7 };

struct glyph {
  char letter;
  unsigned char rows[glyph_height];  // from the top; the highest of five bits is at the left
};

static const struct glyph font[] = {
    {'0', {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}},
    {'1', {0x04, 0x0c, 0x14, 0x04, 0x04, 0x04, 0x04}},
    {'2', {0x0e, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1f}},
    {'3', {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}},
    {'4', {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}},
    {'5', {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', {0x0e, 0x10, 0x1e, 0x11, 0x11, 0x11, 0x0e}},
    {'7', {0x1f, 0x01, 0x02, 0x02, 0x04, 0x04, 0x04}},
    {'8', {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}},
    {'9', {0x0e, 0x11, 0x11, 0x11, 0x0f, 0x01, 0x0e}},
    {'C', {0x0e, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0e}},
    {'o', {0x0c, 0x12, 0x12, 0x0c, 0x00, 0x00, 0x00}},
    {'-', {0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00}},
    {'.', {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04}},
};

static int dot(const struct glyph* glyph, int column, int row) {
  if (column < 0 || column >= glyph_width || row < 0 || row >= glyph_height) return 0;
  return glyph->rows[row] >> (glyph_width - 1 - column) & 1;
}

// Interpolated between its dots and then sharpened, a coarse letter gets smooth edges.
static double coverage(const struct glyph* glyph, double column, double row) {
  const int left = (int)floor(column);
  const int top = (int)floor(row);
  const double x = column - left;
  const double y = row - top;
  const double upper = (1 - x) * dot(glyph, left, top) + x * dot(glyph, left + 1, top);
  const double lower = (1 - x) * dot(glyph, left, top + 1) + x * dot(glyph, left + 1, top + 1);
  const double sharp = 0.5 + 2.2 * ((1 - y) * upper + y * lower - 0.42);
  return sharp < 0 ? 0 : sharp > 1 ? 1 : sharp;
}

static void draw_glyph(struct canvas* canvas, int left, int top, const struct glyph* glyph,
                       struct colour colour) {
  const double scale = 2.5;  // pixels per dot
  for (int y = -2; y < scale * (glyph_height + 1); ++y) {
    for (int x = -2; x < scale * (glyph_width + 1); ++x) {
      blend(canvas, left + x, top + y, colour,
            coverage(glyph, (x + 0.5) / scale - 0.5, (y + 0.5) / scale - 0.5));
    }
  }
}

void draw_text(struct canvas* canvas, int left, int middle, const char* text,
               struct colour colour) {
  for (; *text != '\0'; ++text) {
    for (size_t i = 0; i < sizeof font / sizeof font[0]; ++i) {
      if (font[i].letter == *text) draw_glyph(canvas, left, middle - 9, &font[i], colour);
    }
    left += 16;
  }
}

const char* write_png(const struct canvas* canvas, const char* file) {
  static png_image image;  // holds the message that is returned
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = (png_uint_32)canvas->width;
  image.height = (png_uint_32)canvas->height;
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, file, 0, canvas->pixels, 0, NULL) ? NULL : image.message;
}
