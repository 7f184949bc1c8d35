// Every operator on arrays of every type, among all processes, those of a node and the first of
// each node.
#include "job.h"

enum { large = 100000 };

static const int scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};
static char* const operators[] = {"+",  "*",  "max", "min", "absmax", "absmin",
                                  "or", "&&", "||",  "&",   "|"};
enum { numeric_operators = 6, integer_operators = 11 };

// The processes that combine their arrays.
static int members[job_most];
static int member_count;
static int is_member;

static void choose(int scope) {
  member_count = is_member = 0;
  for (int i = 0; i < job_ranks; ++i) {
    const int node = armci_domain_id(ARMCI_DOMAIN_SMP, i);
    const int is_first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, node, 0) == i;
    if ((scope == SCOPE_NODE && !ARMCI_Same_node(i)) || (scope == SCOPE_MASTERS && !is_first))
      continue;
    members[member_count++] = i;
    if (i == job_me) is_member = 1;
  }
}

// The contribution of a process. Products stay small enough for each type.
static long value(int op, int rank, int i) {
  const long number = (i * 7L + rank * 13L) % 21 - 10;
  if (op != 1) return number;
  return number % 3 == 0 ? 2 : number % 2 != 0 ? -1 : 1;
}

static long combine(int op, long a, long b) {
  const long x = labs(a);
  const long y = labs(b);
  switch (op) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
      return a > b ? a : b;
    case 3:
      return a < b ? a : b;
    case 4:
      return x > y ? x : y;
    case 5:
      return x < y ? x : y;
    case 7:
      return a && b;
    case 8:
      return a || b;
    case 9:
      return a & b;
    default:
      return a | b;
  }
}

// The result does not depend on the number of processes: one process gives the same result as two
// equal ones.
static long result(int op, int i) {
  const long first = value(op, members[0], i);
  long sum = op < 4 ? first : combine(op, first, first);
  for (int j = 1; j < member_count; ++j) sum = combine(op, sum, value(op, members[j], i));
  return sum;
}

enum Form { by_scope, by_type, by_group, by_group_and_type, by_node, by_reduce, by_reduce_scope };

#define REDUCE(TYPE, name, prefix)                                                               \
  static void call_##name(enum Form form, int scope, TYPE* x, int n, char* op, int type) {       \
    ARMCI_Group world;                                                                           \
    ARMCI_Group_get_world(&world);                                                               \
    if (form == by_scope) armci_msg_gop_scope(scope, x, n, op, type);                            \
    if (form == by_type) armci_msg_##prefix##gop(x, n, op);                                      \
    if (form == by_group) armci_msg_group_gop_scope(SCOPE_ALL, x, n, op, type, &world);          \
    if (form == by_group_and_type) armci_msg_group_##prefix##gop(x, n, op, &world);              \
    if (form == by_node) armci_msg_clus_##prefix##gop(x, n, op);                                 \
    if (form == by_reduce) armci_msg_reduce(x, n, op, type);                                     \
    if (form == by_reduce_scope) armci_msg_reduce_scope(scope, x, n, op, type);                  \
  }                                                                                              \
  static void reduce_##name(enum Form form, int scope, int type, int op, int n) {                \
    static TYPE x[large + 1];                                                                    \
    choose(form == by_node ? SCOPE_NODE : scope);                                                \
    for (int i = 0; i <= n; ++i) x[i] = (TYPE)value(op, job_me, i);                              \
    call_##name(form, scope, x, n, operators[op], type);                                         \
    const int has_result = is_member && (form < by_reduce || job_me == members[0]);              \
    int wrong = 0;                                                                               \
    long expected[21]; /* the values repeat */                                                   \
    for (int i = 0; i < 21; ++i) expected[i] = is_member ? result(op, i) : value(op, job_me, i); \
    for (int i = 0; i < n && (has_result || !is_member); ++i)                                    \
      if (x[i] != (TYPE)expected[i % 21] && wrong++ == 0)                                        \
        fprintf(stderr,                                                                          \
                "rank %d: %d %ss by \"%s\", form %d, scope %d, element %d: expected %ld, "       \
                "found %g\n",                                                                    \
                job_me, n, #TYPE, operators[op], (int)form, scope, i, expected[i % 21],          \
                (double)x[i]);                                                                   \
    job_failures += wrong != 0;                                                                  \
    CHECK_REAL((double)x[n], (double)value(op, job_me, n));                                      \
  }                                                                                              \
  static void all_##name(int type, int op_count) {                                               \
    for (int op = 0; op < op_count; ++op) {                                                      \
      reduce_##name(by_type, SCOPE_ALL, type, op, 1);                                            \
      reduce_##name(by_type, SCOPE_ALL, type, op, large);                                        \
      for (int form = by_scope; form <= by_reduce_scope; ++form)                                 \
        reduce_##name((enum Form)form, SCOPE_ALL, type, op, 100);                                \
      for (int s = 1; s < 3; ++s) {                                                              \
        reduce_##name(by_scope, scopes[s], type, op, 100);                                       \
        reduce_##name(by_reduce_scope, scopes[s], type, op, 100);                                \
      }                                                                                          \
    }                                                                                            \
    reduce_##name(by_scope, SCOPE_MASTERS, type, 0, large);                                      \
    reduce_##name(by_node, SCOPE_NODE, type, 0, large);                                          \
    reduce_##name(by_type, SCOPE_ALL, type, 0, 0);                                               \
  }

REDUCE(int, int, i)
REDUCE(long, long, l)
REDUCE(long long, long_long, ll)
REDUCE(float, float, f)
REDUCE(double, double, d)

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  all_int(ARMCI_INT, integer_operators);
  all_long(ARMCI_LONG, integer_operators);
  all_long_long(ARMCI_LONG_LONG, integer_operators);
  all_float(ARMCI_FLOAT, numeric_operators);
  all_double(ARMCI_DOUBLE, numeric_operators);
  return job_end();
}
