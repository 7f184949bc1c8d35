#include "integrals.h"

#include <math.h>

#include "potential.h"

static const double pi = 3.14159265358979323846;

// Two Gaussians along one axis: (x - center)^power * exp(-exponent * (x - center)^2) each.
struct axis_pair {
  double exponent[2];
  double distance;  // from the second center to the first
};

// The coefficient of the Hermite Gaussian of that order in the product of two Gaussians.
static double hermite(const struct axis_pair* axis, int i, int j, int order) {
  if (order < 0 || order > i + j) return 0;
  const double a = axis->exponent[0];
  const double b = axis->exponent[1];
  const double q = a * b / (a + b);
  if (i == 0 && j == 0) return exp(-q * axis->distance * axis->distance);
  // Lower one power: the first Gaussian's as long as it is positive.
  const double shift = i > 0 ? -q / a * axis->distance : q / b * axis->distance;
  const int lower_i = i > 0 ? i - 1 : 0;
  const int lower_j = i > 0 ? j : j - 1;
  return hermite(axis, lower_i, lower_j, order - 1) / (2 * (a + b)) +
         shift * hermite(axis, lower_i, lower_j, order) +
         (order + 1) * hermite(axis, lower_i, lower_j, order + 1);
}

static struct axis_pair along(int axis, const struct function* f, int i, const struct function* g,
                              int j) {
  return (struct axis_pair){.exponent = {f->exponent[i], g->exponent[j]},
                            .distance = f->center[axis] - g->center[axis]};
}

// The coefficients of a term are products of one coefficient for each axis.
static void expand(struct product* product, const struct axis_pair axis[AXES], const int f[AXES],
                   const int g[AXES], double weight) {
  for (int x = 0; x <= f[0] + g[0]; ++x) {
    for (int y = 0; y <= f[1] + g[1]; ++y) {
      for (int z = 0; z <= f[2] + g[2]; ++z) {
        const double coefficient = weight * hermite(&axis[0], f[0], g[0], x) *
                                   hermite(&axis[1], f[1], g[1], y) *
                                   hermite(&axis[2], f[2], g[2], z);
        product->term[product->terms++] = (struct term){{x, y, z}, coefficient};
      }
    }
  }
}

static struct product multiply(const struct function* f, int i, const struct function* g, int j) {
  const double a = f->exponent[i];
  const double b = g->exponent[j];
  struct product product = {.exponent = a + b};
  struct axis_pair axes[AXES];
  for (int axis = 0; axis < AXES; ++axis) {
    axes[axis] = along(axis, f, i, g, j);
    product.center[axis] = (a * f->center[axis] + b * g->center[axis]) / (a + b);
  }
  expand(&product, axes, f->power, g->power, f->weight[i] * g->weight[j]);
  return product;
}

struct pair make_pair(const struct molecule* molecule, int first, int second) {
  struct pair pair = {.first = first, .second = second};
  int count = 0;
  for (int i = 0; i < PRIMITIVES; ++i) {
    for (int j = 0; j < PRIMITIVES; ++j) {
      pair.product[count++] =
          multiply(&molecule->functions[first], i, &molecule->functions[second], j);
    }
  }
  return pair;
}

// The integral of a derivative over all space is zero, so only the term of order 0 counts. It is
// the first one.
double overlap(const struct pair* pair) {
  double sum = 0;
  for (int i = 0; i < PRODUCTS; ++i) {
    const struct product* product = &pair->product[i];
    sum += product->term[0].coefficient * pow(pi / product->exponent, 1.5);
  }
  return sum;
}

// The overlap along one axis.
static double axis_overlap(const struct axis_pair* axis, int i, int j) {
  return hermite(axis, i, j, 0) * sqrt(pi / (axis->exponent[0] + axis->exponent[1]));
}

// The kinetic energy along one axis. The second derivative of an s or p function has two terms.
static double axis_kinetic(const struct axis_pair* axis, int i, int j) {
  const double b = axis->exponent[1];
  return b * (2 * j + 1) * axis_overlap(axis, i, j) - 2 * b * b * axis_overlap(axis, i, j + 2);
}

static double primitive_kinetic(const struct function* f, int i, const struct function* g, int j) {
  double overlaps[AXES];
  double energies[AXES];
  for (int axis = 0; axis < AXES; ++axis) {
    const struct axis_pair gaussians = along(axis, f, i, g, j);
    overlaps[axis] = axis_overlap(&gaussians, f->power[axis], g->power[axis]);
    energies[axis] = axis_kinetic(&gaussians, f->power[axis], g->power[axis]);
  }
  return energies[0] * overlaps[1] * overlaps[2] + overlaps[0] * energies[1] * overlaps[2] +
         overlaps[0] * overlaps[1] * energies[2];
}

double kinetic_energy(const struct function* first, const struct function* second) {
  double sum = 0;
  for (int i = 0; i < PRIMITIVES; ++i) {
    for (int j = 0; j < PRIMITIVES; ++j) {
      sum += first->weight[i] * second->weight[j] * primitive_kinetic(first, i, second, j);
    }
  }
  return sum;
}

// The attraction of one product by a nucleus of charge 1.
static double attraction(const struct product* product, const double nucleus[AXES]) {
  const struct potential potential = make_potential(product->exponent, nucleus, product->center);
  double sum = 0;
  for (int i = 0; i < product->terms; ++i) {
    sum += product->term[i].coefficient * derivative(&potential, product->term[i].order);
  }
  return -2 * pi / product->exponent * sum;
}

double nuclear_attraction(const struct pair* pair, const struct molecule* molecule) {
  double sum = 0;
  for (int i = 0; i < PRODUCTS; ++i) {
    for (int atom = 0; atom < ATOMS; ++atom) {
      const struct atom* nucleus = &molecule->atoms[atom];
      sum += nucleus->charge * attraction(&pair->product[i], nucleus->position);
    }
  }
  return sum;
}

// A derivative with respect to the right center is one with respect to the left center, negated.
static double term_repulsion(const struct potential* potential, const struct term* left,
                             const struct term* right) {
  int order[AXES];
  int negations = 0;
  for (int axis = 0; axis < AXES; ++axis) {
    order[axis] = left->order[axis] + right->order[axis];
    negations += right->order[axis];
  }
  const double value = left->coefficient * right->coefficient * derivative(potential, order);
  return negations % 2 == 0 ? value : -value;
}

static double product_repulsion(const struct product* left, const struct product* right) {
  const double p = left->exponent;
  const double q = right->exponent;
  const struct potential potential = make_potential(p * q / (p + q), right->center, left->center);
  double sum = 0;
  for (int i = 0; i < left->terms; ++i) {
    for (int j = 0; j < right->terms; ++j) {
      sum += term_repulsion(&potential, &left->term[i], &right->term[j]);
    }
  }
  return 2 * pow(pi, 2.5) / (p * q * sqrt(p + q)) * sum;
}

double repulsion(const struct pair* left, const struct pair* right) {
  double sum = 0;
  for (int i = 0; i < PRODUCTS; ++i) {
    for (int j = 0; j < PRODUCTS; ++j) {
      sum += product_repulsion(&left->product[i], &right->product[j]);
    }
  }
  return sum;
}
