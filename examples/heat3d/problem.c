#include "problem.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// Lengths are fractions of the edge of the cube.
struct ball {
  double centre[AXES];
  double radius;
  double temperature;
};

static const struct ball balls[] = {
    {{0.66, 0.50, 0.64}, 0.15, hottest},
    {{0.36, 0.50, 0.27}, 0.10, coldest},
};

static int contains(const struct ball* ball, const double point[AXES]) {
  double square = 0;
  for (int axis = 0; axis < AXES; ++axis) {
    const double distance = point[axis] - ball->centre[axis];
    square += distance * distance;
  }
  return square < ball->radius * ball->radius;
}

static struct cell heated_cell(int size, int x, int y, int z) {
  if (x == 0) return (struct cell){20, 1};
  if (x == size + 1) return (struct cell){60, 1};
  const double point[AXES] = {(x - 0.5) / size, (y - 0.5) / size, (z - 0.5) / size};
  for (unsigned i = 0; i < sizeof balls / sizeof balls[0]; ++i) {
    if (contains(&balls[i], point)) return (struct cell){balls[i].temperature, 1};
  }
  return (struct cell){40, 0};
}

struct problem heated_block(void) {
  return (struct problem){.cell = heated_cell, .insulated = {0, 1, 1}};
}

// A polynomial of the third degree whose second derivatives add up to zero: for those, a cell is
// exactly the average of its neighbours. It has no symmetry that could hide an exchange of axes.
double exact_temperature(int size, int x, int y, int z) {
  const double a = (double)x / (size + 1);
  const double b = (double)y / (size + 1);
  const double c = (double)z / (size + 1);
  return 10 + 20 * a + 30 * b + 5 * c + 40 * (a * a - 3 * b * b + 2 * c * c) + 50 * a * b * c;
}

static struct cell polynomial_cell(int size, int x, int y, int z) {
  const int wall = x == 0 || y == 0 || z == 0 || x > size || y > size || z > size;
  return (struct cell){wall ? exact_temperature(size, x, y, z) : 0, wall};
}

struct problem polynomial_block(void) {
  return (struct problem){.cell = polynomial_cell, .insulated = {0, 0, 0}};
}

double slowest_decay(const struct problem* problem, int size) {
  double sum = 0;
  for (int axis = 0; axis < AXES; ++axis) {
    sum += problem->insulated[axis] ? 1 : cos(pi / (size + 1));
  }
  return sum / AXES;
}
