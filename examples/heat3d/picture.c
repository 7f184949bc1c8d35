#include "picture.h"

#include <math.h>
#include <stdio.h>

#include "canvas.h"

// The layout, in pixels.
enum {
  margin = 28,
  edge = 720,  // side of the plane
  gap = 28,    // between the plane and the colour bar
  bar_width = 26,
  bar_left = margin + edge + gap,
  label_left = bar_left + bar_width + 14,
  width = label_left + 104,
  height = margin + edge + margin,
};

static const struct colour paper = {0.985, 0.983, 0.975};
static const struct colour ink = {0.16, 0.16, 0.19};

static double cell_value(const struct plane* plane, int column, int row) {
  const int last = plane->size - 1;
  column = column < 0 ? 0 : column > last ? last : column;
  row = row < 0 ? 0 : row > last ? last : row;
  return plane->values[(long)row * plane->size + column];
}

// The weights of four neighbours in a cubic spline, smooth enough for isotherms.
static void spline_weights(double t, double weights[4]) {
  weights[0] = (1 - t) * (1 - t) * (1 - t) / 6;
  weights[1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
  weights[2] = (1 + 3 * t + 3 * t * t - 3 * t * t * t) / 6;
  weights[3] = t * t * t / 6;
}

// The temperature at a pixel of the plane, counted from its lower left corner.
static double value_at(const struct plane* plane, int right, int up) {
  const double column = (right + 0.5) * plane->size / edge - 0.5;
  const double row = (up + 0.5) * plane->size / edge - 0.5;
  double across[4];
  double along[4];
  spline_weights(column - floor(column), across);
  spline_weights(row - floor(row), along);
  double value = 0;
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      value += along[j] * across[i] *
               cell_value(plane, (int)floor(column) + i - 1, (int)floor(row) + j - 1);
    }
  }
  return value;
}

// How strongly an isotherm covers a pixel: 1 on the line, 0 a pixel away. `slope` is the change of
// temperature from pixel to pixel.
static double isotherm(const struct plane* plane, double level, double value, double slope) {
  if (slope < 1e-6 || level <= plane->low || level >= plane->high) return 0;
  const double distance = fabs(value - level) / slope;
  return distance < 0.4 ? 1 : distance < 1.2 ? (1.2 - distance) / 0.8 : 0;
}

static double share(const struct plane* plane, double value) {
  return (value - plane->low) / (plane->high - plane->low);
}

static void draw_plane(struct canvas* canvas, const struct plane* plane) {
  for (int up = 0; up < edge; ++up) {
    for (int right = 0; right < edge; ++right) {
      const double value = value_at(plane, right, up);
      const double slope =
          hypot(value_at(plane, right + 1, up) - value, value_at(plane, right, up + 1) - value);
      const int x = margin + right;
      const int y = margin + edge - 1 - up;
      blend(canvas, x, y, palette(share(plane, value)), 1);
      const double level = round(value / plane->isotherms) * plane->isotherms;
      const struct colour line = share(plane, level) < 0.5 ? paper : ink;
      blend(canvas, x, y, line, 0.55 * isotherm(plane, level, value, slope));
    }
  }
  outline(canvas, (struct rectangle){margin, margin, edge, edge}, ink);
}

// Draws dotted lines between the blocks of the ranks.
static void draw_blocks(struct canvas* canvas, const struct grid* grid) {
  enum { dot = 3, pitch = 12 };
  for (int at = pitch / 2; at + dot < edge; at += pitch) {
    for (int part = 1; part < grid->blocks[0]; ++part) {
      const int x = margin + edge * part / grid->blocks[0];
      fill(canvas, (struct rectangle){x - 1, margin + at, 2, dot}, paper);
    }
    for (int part = 1; part < grid->blocks[2]; ++part) {
      const int y = margin + edge - edge * part / grid->blocks[2];
      fill(canvas, (struct rectangle){margin + at, y - 1, dot, 2}, paper);
    }
  }
}

static void draw_bar(struct canvas* canvas, const struct plane* plane) {
  for (int y = 0; y < edge; ++y) {
    fill(canvas, (struct rectangle){bar_left, margin + y, bar_width, 1},
         palette(1 - (y + 0.5) / edge));
  }
  outline(canvas, (struct rectangle){bar_left, margin, bar_width, edge}, ink);
  const int ticks = (int)lround((plane->high - plane->low) / plane->isotherms);
  for (int tick = 0; tick <= ticks; ++tick) {
    const int y = margin + edge - (int)lround((double)tick / ticks * edge);
    fill(canvas, (struct rectangle){bar_left + bar_width, y, tick % 2 == 0 ? 8 : 4, 1}, ink);
    if (tick % 2 != 0) continue;
    char text[16];
    snprintf(text, sizeof text, tick == ticks ? "%goC" : "%g",
             plane->low + tick * plane->isotherms);
    draw_text(canvas, label_left, y, text, ink);
  }
}

const char* write_picture(const char* file, const struct plane* plane) {
  struct canvas canvas;
  if (!open_canvas(&canvas, width, height, paper)) return "no memory for the pixels";
  draw_plane(&canvas, plane);
  draw_blocks(&canvas, plane->grid);
  draw_bar(&canvas, plane);
  const char* fault = write_png(&canvas, file);
  close_canvas(&canvas);
  return fault;
}
