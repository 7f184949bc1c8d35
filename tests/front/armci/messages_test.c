// Messages with tags, and the collectives of all processes, of a node and of the first of each
// node.
#include <unistd.h>

#include "job.h"

enum { large = 100000, max_bytes = 1 << 20 };

static unsigned char bytes[max_bytes];
static unsigned char got[max_bytes + 1];
static const int scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};

// The processes of a scope, and whether the caller is one of them.
struct Scope {
  int ranks[job_most];
  int size;
  int has_me;
};

static struct Scope members_of(int scope) {
  struct Scope members = {.size = 0};
  for (int i = 0; i < job_ranks; ++i) {
    const int node = armci_domain_id(ARMCI_DOMAIN_SMP, i);
    const int is_first = armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, node, 0) == i;
    if ((scope == SCOPE_NODE && !ARMCI_Same_node(i)) || (scope == SCOPE_MASTERS && !is_first))
      continue;
    members.ranks[members.size++] = i;
    if (i == job_me) members.has_me = 1;
  }
  return members;
}

static void messages(void) {
  static const int sizes[] = {0, 1, 7, 64, 1000, 4096, 65537, max_bytes};
  enum { count = sizeof(sizes) / sizeof(sizes[0]) };
  int size = -1;
  for (int i = 0; i < count; ++i) {  // all tags are sent before one is received
    memset(bytes, i * 10 + job_me, (size_t)sizes[i]);
    armci_msg_snd(i, bytes, sizes[i], job_right);
  }
  memset(bytes, 0xee, sizeof(bytes));  // the buffer can be reused
  for (int i = 0; i < count; ++i) {
    const int tag = i * 3 % count;
    armci_msg_rcv(tag, got, sizeof(got), &size, job_left);
    CHECK_INT(size, sizes[tag]);
    memset(bytes, tag * 10 + job_left, (size_t)sizes[tag]);
    CHECK_BYTES(got, bytes, (size_t)sizes[tag]);
  }
  int number = 0;
  for (int i = 0; i < 50; ++i) armci_msg_snd(77, &i, sizeof(i), job_left);
  for (int i = 0; i < 50; ++i) {  // in order
    armci_msg_rcv(77, &number, sizeof(number), NULL, job_right);
    CHECK_INT(number, i);
  }
}

// Each process sends 10 numbers to each other one and to itself.
static void from_anybody(void) {
  int next[job_most] = {0};
  for (int i = 0; i < 10; ++i)
    for (int to = 0; to < job_ranks; ++to) {
      int number = job_me * 100 + i;
      armci_msg_snd(5, &number, sizeof(number), to);
    }
  for (int i = 0; i < 10 * job_ranks; ++i) {
    int number = -1;
    int size = 0;
    const int from = armci_msg_rcvany(5, &number, sizeof(number), &size);
    CHECK_INT(size, sizeof(number));
    CHECK(from >= 0 && from < job_ranks);
    CHECK_INT(number, from * 100 + next[from]++);
  }
}

// A broadcast from each process of each scope, with each call that supports the scope.
static void broadcasts(int size) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  for (int s = 0; s < 3; ++s) {
    const struct Scope members = members_of(scopes[s]);
    for (int form = 0; form < (s == 0 ? 4 : 1); ++form)
      for (int i = 0; i < members.size; ++i) {
        const int root = members.ranks[i];
        memset(got, job_me + form, (size_t)size + 1);
        if (form == 0) armci_msg_bcast_scope(scopes[s], got, size, root);
        if (form == 1) armci_msg_bcast(got, size, root);
        if (form == 2) armci_msg_brdcst(got, size, root);
        if (form == 3) armci_msg_group_bcast_scope(SCOPE_ALL, got, size, root, &world);
        memset(bytes, (members.has_me ? root : job_me) + form, (size_t)size);
        CHECK_BYTES(got, bytes, (size_t)size);
        CHECK_INT(got[size], job_me + form);
      }
  }
  const struct Scope node = members_of(SCOPE_NODE);
  memset(got, job_me, (size_t)size);
  memset(bytes, node.ranks[0], (size_t)size);
  armci_msg_clus_brdcst(got, size);
  CHECK_BYTES(got, bytes, (size_t)size);
  memset(got, job_me, (size_t)size);
  armci_grp_clus_brdcst(got, size, 0, job_ranks, &world);
  memset(bytes, 0, (size_t)size);
  CHECK_BYTES(got, bytes, (size_t)size);
}

// Each process but the root is a child of one parent, and leads to the root.
static void trees(void) {
  for (int s = 0; s < 3; ++s) {
    const struct Scope members = members_of(scopes[s]);
    int places[job_most][4];
    int* mine = places[job_me];
    armci_msg_bintree(scopes[s], &mine[0], &mine[1], &mine[2], &mine[3]);
    for (int i = 0; i < job_ranks; ++i) armci_msg_bcast(places[i], sizeof(places[i]), i);
    for (int i = 0; i < 4 && !members.has_me; ++i) CHECK_INT(mine[i], -1);
    for (int i = 0; i < members.size && members.has_me; ++i) {
      const int rank = members.ranks[i];
      int steps = 0;
      int at = rank;
      for (; at >= 0 && at != mine[0] && steps < job_ranks; ++steps) {
        const int up = places[at][1];
        CHECK(up >= 0 && (places[up][2] == at) + (places[up][3] == at) == 1);
        at = up;
      }
      CHECK_INT(at, mine[0]);
      CHECK_INT(places[rank][0], mine[0]);
      for (int side = 2; side < 4; ++side)
        if (places[rank][side] != -1) CHECK_INT(places[places[rank][side]][1], rank);
    }
    CHECK(!members.has_me || places[mine[0]][1] == -1);
  }
}

// Records of a number and its process. Two have the best number; one has a better number but does
// not take part.
#define SELECT(TYPE, name)                                                                \
  static void select_##name(int type, int scope, char* op) {                              \
    const struct Scope members = members_of(scope);                                       \
    const int sign = op[1] == 'a' ? 1 : -1;                                               \
    struct Record {                                                                       \
      TYPE number;                                                                        \
      int rank;                                                                           \
    } record = {(TYPE)(sign * (job_me / 2 % 2 == 0 ? 20 : job_me)), job_me};              \
    const int silent = members.ranks[members.size - 1];                                   \
    if (job_me == silent) record.number = (TYPE)(sign * 50);                              \
    const int counts = job_me != silent;                                                  \
    if (scope == SCOPE_ALL)                                                               \
      armci_msg_sel(&record, (int)sizeof(record), op, type, counts);                      \
    else                                                                                  \
      armci_msg_sel_scope(scope, &record, (int)sizeof(record), op, type, counts);         \
    int best = members.ranks[0]; /* the first with 20, if there is one */                 \
    for (int i = members.size - 2; i >= 0; --i)                                           \
      if (members.ranks[i] / 2 % 2 == 0) best = members.ranks[i];                         \
    int has_best = 0;                                                                     \
    for (int i = 0; i < members.size - 1; ++i) has_best |= members.ranks[i] / 2 % 2 == 0; \
    if (members.has_me && has_best) {                                                     \
      CHECK_INT(record.rank, best);                                                       \
      CHECK_REAL((double)record.number, sign * 20);                                       \
    } else if (!members.has_me) {                                                         \
      CHECK_INT(record.rank, job_me);                                                     \
    }                                                                                     \
  }
SELECT(int, int)
SELECT(long, long)
SELECT(long long, long_long)
SELECT(float, float)
SELECT(double, double)

static void selections(void) {
  for (int s = 0; s < 3; ++s)
    for (int i = 0; i < 2; ++i) {
      char* op = i == 0 ? "max" : "min";
      select_int(ARMCI_INT, scopes[s], op);
      select_long(ARMCI_LONG, scopes[s], op);
      select_long_long(ARMCI_LONG_LONG, scopes[s], op);
      select_float(ARMCI_FLOAT, scopes[s], op);
      select_double(ARMCI_DOUBLE, scopes[s], op);
    }
}

static void timer(void) {
  const double before = armci_timer();
  usleep(2000);
  const double passed = armci_timer() - before;
  CHECK(passed >= 0.002 && passed < 30);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  messages();
  from_anybody();
  broadcasts(0);
  broadcasts(1);
  broadcasts(1000);
  broadcasts(large);
  trees();
  selections();
  timer();
  return job_end();
}
