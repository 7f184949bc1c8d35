#include "basis.h"

#include <math.h>
#include <string.h>

// Exponents and contraction coefficients of normalized Gaussians.
struct shell {
  double exponent[PRIMITIVES];
  double coefficient[PRIMITIVES];
};

static const struct shell hydrogen_1s = {{3.42525091, 0.62391373, 0.16885540},
                                         {0.15432897, 0.53532814, 0.44463454}};
static const struct shell oxygen_1s = {{130.7093200, 23.8088610, 6.4436083},
                                       {0.15432897, 0.53532814, 0.44463454}};
static const struct shell oxygen_2s = {{5.0331513, 1.1695961, 0.3803890},
                                       {-0.09996723, 0.39951283, 0.70011547}};
static const struct shell oxygen_2p = {{5.0331513, 1.1695961, 0.3803890},
                                       {0.15591627, 0.60768372, 0.39195739}};

static const double pi = 3.14159265358979323846;

// The norm of one Gaussian whose powers sum to `degree`, 0 or 1.
static double norm(double exponent, int degree) {
  return pow(2 * exponent / pi, 0.75) * pow(4 * exponent, 0.5 * degree);
}

// The overlap of the contracted function with itself. Tabulated coefficients make it 1 only to
// about eight digits.
static double self_overlap(const struct shell* shell, int degree) {
  double sum = 0;
  for (int i = 0; i < PRIMITIVES; ++i) {
    for (int j = 0; j < PRIMITIVES; ++j) {
      const double a = shell->exponent[i];
      const double b = shell->exponent[j];
      sum += shell->coefficient[i] * shell->coefficient[j] *
             pow(2 * sqrt(a * b) / (a + b), 1.5 + degree);
    }
  }
  return sum;
}

static struct function make_function(const struct atom* atom, const struct shell* shell,
                                     int degree) {
  struct function function = {.power = {0}};
  memcpy(function.center, atom->position, sizeof function.center);
  memcpy(function.exponent, shell->exponent, sizeof function.exponent);
  const double scale = 1 / sqrt(self_overlap(shell, degree));
  for (int i = 0; i < PRIMITIVES; ++i) {
    function.weight[i] = scale * shell->coefficient[i] * norm(shell->exponent[i], degree);
  }
  return function;
}

static struct function make_s(const struct atom* atom, const struct shell* shell) {
  return make_function(atom, shell, 0);
}

static struct function make_p(const struct atom* atom, const struct shell* shell, int axis) {
  struct function function = make_function(atom, shell, 1);
  function.power[axis] = 1;
  return function;
}

struct molecule make_water(void) {
  struct molecule water = {.atoms = {
                               {8, {0, -0.143225816552, 0}},
                               {1, {1.638036840407, 1.136548822547, 0}},
                               {1, {-1.638036840407, 1.136548822547, 0}},
                           }};
  const struct atom* oxygen = &water.atoms[0];
  int count = 0;
  water.functions[count++] = make_s(oxygen, &oxygen_1s);
  water.functions[count++] = make_s(oxygen, &oxygen_2s);
  for (int axis = 0; axis < AXES; ++axis) {
    water.functions[count++] = make_p(oxygen, &oxygen_2p, axis);
  }
  water.functions[count++] = make_s(&water.atoms[1], &hydrogen_1s);
  water.functions[count++] = make_s(&water.atoms[2], &hydrogen_1s);
  return water;
}

static double distance(const double from[AXES], const double to[AXES]) {
  double squares = 0;
  for (int axis = 0; axis < AXES; ++axis) {
    squares += (to[axis] - from[axis]) * (to[axis] - from[axis]);
  }
  return sqrt(squares);
}

double nuclear_repulsion(const struct molecule* molecule) {
  const struct atom* atoms = molecule->atoms;
  double sum = 0;
  for (int i = 0; i < ATOMS; ++i) {
    for (int j = 0; j < i; ++j) {
      sum += atoms[i].charge * atoms[j].charge / distance(atoms[i].position, atoms[j].position);
    }
  }
  return sum;
}
