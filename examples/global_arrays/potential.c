#include "potential.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// The integral of t^(2 order) * exp(-x * t^2) over t from 0 to 1, for all orders.
static void boys(double x, double values[HIGHEST + 1]) {
  const double decay = exp(-x);
  if (x > 30) {
    // The upward recurrence is stable for large x.
    values[0] = 0.5 * sqrt(pi / x) * erf(sqrt(x));
    for (int n = 0; n < HIGHEST; ++n) {
      values[n + 1] = ((2 * n + 1) * values[n] - decay) / (2 * x);
    }
    return;
  }
  // The power series of the highest order has positive terms only. The downward recurrence is
  // stable everywhere.
  double part = decay / (2 * HIGHEST + 1);
  double sum = part;
  for (int k = 1; part > 1e-17 * sum; ++k) {
    part *= 2 * x / (2 * (HIGHEST + k) + 1);
    sum += part;
  }
  values[HIGHEST] = sum;
  for (int n = HIGHEST; n > 0; --n) {
    values[n - 1] = (2 * x * values[n] + decay) / (2 * n - 1);
  }
}

struct potential make_potential(double exponent, const double from[AXES], const double to[AXES]) {
  struct potential potential;
  double squares = 0;
  for (int axis = 0; axis < AXES; ++axis) {
    potential.distance[axis] = to[axis] - from[axis];
    squares += potential.distance[axis] * potential.distance[axis];
  }
  boys(exponent * squares, potential.radial);
  double factor = 1;
  for (int n = 0; n <= HIGHEST; ++n) {
    potential.radial[n] *= factor;
    factor *= -2 * exponent;
  }
  return potential;
}

// Each step lowers the order along one axis and raises n. The recursion ends at radial[n].
static double recurse(const struct potential* potential, const int order[AXES], int n) {
  int axis = 0;
  while (axis < AXES && order[axis] == 0) ++axis;
  if (axis == AXES) return potential->radial[n];
  int lower[AXES];
  memcpy(lower, order, sizeof lower);
  lower[axis] -= 1;
  double value = potential->distance[axis] * recurse(potential, lower, n + 1);
  if (lower[axis] > 0) {
    const int factor = lower[axis];
    lower[axis] -= 1;
    value += factor * recurse(potential, lower, n + 1);
  }
  return value;
}

double derivative(const struct potential* potential, const int order[AXES]) {
  return recurse(potential, order, 0);
}
