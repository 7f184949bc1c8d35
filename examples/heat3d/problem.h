// The problem: which cells are kept at a temperature, and which walls are insulated.
#pragma once

#include "grid.h"

struct cell {
  double temperature;  // initial, or constant
  int held;
};

struct problem {
  // The cell at x, y, z, each from 0 to size + 1: 0 and size + 1 are the walls.
  struct cell (*cell)(int size, int x, int y, int z);
  int insulated[AXES];  // the two walls across this axis; other walls keep their temperature
};

enum { coldest = 0, hottest = 100 };  // degrees Celsius in the demonstration

// A block with a hot ball and a cold one inside, cooled from the left.
struct problem heated_block(void);

// A problem whose solution is known in closed form: see exact_temperature().
struct problem polynomial_block(void);
double exact_temperature(int size, int x, int y, int z);

// An upper bound, below 1, of the factor by which a plain averaging step shrinks the error.
double slowest_decay(const struct problem* problem, int size);
