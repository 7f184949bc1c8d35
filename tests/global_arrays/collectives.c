// Reductions with all operators and broadcasts: in the world, in groups, in the default group.
#include "group.h"

enum { most_elements = 2500 };

static char* const operators[] = {"+", "*", "max", "min", "absmax", "absmin"};

static double term(int rank, int i) {
  return (i + 3 * rank) % 7 - 3;
}

static double combine(const char* operator, double a, double b) {
  if (operator[0] == '+') return a + b;
  if (operator[0] == '*') return a * b;
  if (operator[0] == 'm') return operator[1] == 'a' ? fmax(a, b) : fmin(a, b);
  return operator[4] == 'a' ? fmax(fabs(a), fabs(b)) : fmin(fabs(a), fabs(b));
}

static void reduce_in_world(const Type* type, void* x, int n, char* operator) {
  switch (type->id) {
    case C_INT:
      GA_Igop(x, n, operator);
      break;
    case C_LONG:
      GA_Lgop(x, n, operator);
      break;
    case C_FLOAT:
      GA_Fgop(x, n, operator);
      break;
    case C_DBL:
      GA_Dgop(x, n, operator);
      break;
    case C_SCPL:
      GA_Cgop(x, n, operator);
      break;
    default:
      GA_Zgop(x, n, operator);
      break;
  }
}

static void reduce_in_group(int handle, const Type* type, void* x, int n, char* operator) {
  switch (type->id) {
    case C_INT:
      GA_Pgroup_igop(handle, x, n, operator);
      break;
    case C_LONG:
      GA_Pgroup_lgop(handle, x, n, operator);
      break;
    case C_FLOAT:
      GA_Pgroup_fgop(handle, x, n, operator);
      break;
    case C_DBL:
      GA_Pgroup_dgop(handle, x, n, operator);
      break;
    case C_SCPL:
      GA_Pgroup_cgop(handle, x, n, operator);
      break;
    default:
      GA_Pgroup_zgop(handle, x, n, operator);
      break;
  }
}

static void reduce(const Group* group, const Type* type, int n, char* operator, int by_group) {
  static Value x[most_elements];
  char what[80];
  snprintf(what, sizeof what, "%s of %d %s in a group of %d", operator, n, type->name,
           group->count);
  for (int i = 0; i < n; ++i) store(type, x, i, term(me, i));
  if (by_group)
    reduce_in_group(group->handle, type, x, n, operator);
  else
    reduce_in_world(type, x, n, operator);
  for (int i = 0; i < n; ++i) {
    double wanted = term(group->members[0], i);
    if (operator[0] == 'a') wanted = fabs(wanted);
    for (int member = 1; member < group->count; ++member)
      wanted = combine(operator, wanted, term(group->members[member], i));
    expect_value(load(type, x, i), wanted, what, i);
  }
}

// Complex numbers can only be added.
static void reduce_all(const Group* group, int by_group) {
  for (int t = 0; t < number_of_types; ++t) {
    for (int i = 0; i < (is_complex(&types[t]) ? 1 : 6); ++i) {
      reduce(group, &types[t], 1, operators[i], by_group);
      reduce(group, &types[t], most_elements, operators[i], by_group);
    }
  }
}

// The root is a rank of the group.
static void broadcast(const Group* group, int by_group) {
  static int x[most_elements];
  for (int root = 0; root < group->count; ++root) {
    const int origin = group->members[root];
    for (int i = 0; i < most_elements; ++i) x[i] = me == origin ? i * 3 + root : -1;
    if (by_group)
      GA_Pgroup_brdcst(group->handle, x, (int)sizeof x, root);
    else
      GA_Brdcst(x, (int)sizeof x, root);
    for (int i = 0; i < most_elements; ++i) expect(x[i], i * 3 + root, "broadcast", i);
  }
}

static void use(const Group* group) {
  if (!is_member(group)) return;
  reduce_all(group, 1);
  broadcast(group, 1);
  GA_Pgroup_set_default(group->handle);
  reduce_all(group, 0);
  broadcast(group, 0);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const Group all = world();
  const Group some[3] = {created(0, ranks, 2), created(1, ranks, 2), created(ranks / 2, ranks, 1)};
  reduce_all(&all, 0);
  broadcast(&all, 0);
  use(&all);
  for (int i = 0; i < 3; ++i) use(&some[i]);
  GA_Sync();
  return finish();
}
