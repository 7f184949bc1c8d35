// Integrals over Gaussian functions of s and p type, by the McMurchie-Davidson scheme. The product
// of two Gaussians is expanded in Hermite Gaussians about one common center. Integrals over Hermite
// Gaussians are derivatives of the Boys function.
#pragma once

#include "basis.h"

// A product of two p functions on different axes has four terms. All others have fewer.
enum { TERMS = 4, PRODUCTS = PRIMITIVES * PRIMITIVES };

// One Hermite Gaussian: derivatives of exp(-exponent * r^2) with respect to its center.
struct term {
  int order[AXES];  // how many derivatives along each axis
  double coefficient;
};

// The product of one Gaussian of each of two functions.
struct product {
  double exponent;
  double center[AXES];
  int terms;
  struct term term[TERMS];
};

// The product of two basis functions, the charge distribution of an integral.
struct pair {
  int first, second;
  struct product product[PRODUCTS];
};

struct pair make_pair(const struct molecule* molecule, int first, int second);

double overlap(const struct pair* pair);
double kinetic_energy(const struct function* first, const struct function* second);
double nuclear_attraction(const struct pair* pair, const struct molecule* molecule);

// The Coulomb integral (ab|cd), with ab the first pair and cd the second.
double repulsion(const struct pair* left, const struct pair* right);
