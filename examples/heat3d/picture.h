// A picture of the temperatures in a plane: colours, isotherms, a colour bar.
#pragma once

#include "grid.h"

struct plane {
  int size;                 // cells along each edge
  const double* values;     // size rows of size; the first row is at the bottom of the picture
  double low, high;         // the ends of the colour bar
  double isotherms;         // distance between isotherms, in degrees
  const struct grid* grid;  // the borders of its blocks along x and z are marked
};

// Writes a PNG file. Returns NULL, or why it failed (valid until the next call).
const char* write_picture(const char* file, const struct plane* plane);
