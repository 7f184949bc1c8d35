// Heat in a cube of cells between cold walls, cut into slabs of planes, one for each rank. Nothing
// here communicates. A field is a slab surrounded by a layer of other cells: the walls and, below
// and above, a plane of each neighbour.
#pragma once

#include <stddef.h>

struct slab {
  int size;    // cells along each edge of the cube
  int first;   // its first plane, counted in the whole cube
  int planes;  // planes that it owns: 1 to `planes` of its field
};

static inline struct slab slab_of(int size, int rank, int ranks) {
  const int first = (int)((long)size * rank / ranks);
  return (struct slab){size, first, (int)((long)size * (rank + 1) / ranks) - first};
}

// The number of cells in a plane.
static inline size_t plane_of(int size) {
  return (size_t)(size + 2) * (size_t)(size + 2);
}

static inline size_t field_of(const struct slab* slab) {
  return plane_of(slab->size) * (size_t)(slab->planes + 2);
}

// A hot ball; everything else is cold, like the walls.
static inline void heat_up(double* field, const struct slab* slab) {
  const double size = slab->size;
  for (int z = 0; z <= slab->planes + 1; ++z) {
    for (int y = 0; y <= slab->size + 1; ++y) {
      for (int x = 0; x <= slab->size + 1; ++x) {
        const double right = x / size - 0.4;
        const double back = y / size - 0.5;
        const double up = (slab->first + z) / size - 0.6;
        *field++ = right * right + back * back + up * up < 0.06 ? 100 : 0;
      }
    }
  }
}

// Computes the cells of the slab one step later. Other cells of `next` are unchanged.
static inline void step(double* restrict next, const double* restrict now,
                        const struct slab* slab) {
  const long row = slab->size + 2;
  const long plane = row * row;
  for (int z = 1; z <= slab->planes; ++z) {
    for (int y = 1; y <= slab->size; ++y) {
      const long begin = z * plane + y * row + 1;
      for (long i = begin; i < begin + slab->size; ++i) {
        const double around = (now[i - 1] + now[i + 1]) + (now[i - row] + now[i + row]) +
                              (now[i - plane] + now[i + plane]);
        next[i] = now[i] + 0.125 * (around - 6 * now[i]);
      }
    }
  }
}
