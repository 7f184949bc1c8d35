// The Coulomb potential of a Gaussian, and its derivatives. Every integral of nuclear attraction
// and of repulsion is a sum of these.
#pragma once

#include "basis.h"

// Four p functions need derivatives up to this order.
enum { HIGHEST = 4 };

struct potential {
  double distance[AXES];
  double radial[HIGHEST + 1];  // Boys function of order n times (-2 * exponent)^n
};

// Both centers may carry a Gaussian. `exponent` is then p * q / (p + q), with p and q theirs.
struct potential make_potential(double exponent, const double from[AXES], const double to[AXES]);

// The derivative of that order along each axis, with respect to the center `to`. The orders add up
// to at most HIGHEST.
double derivative(const struct potential* potential, const int order[AXES]);
