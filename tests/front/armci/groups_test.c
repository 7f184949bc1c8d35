// Groups of processes, their collectives and memory.
#include "job.h"

// The processes of a group in rank order, and the caller's rank in it.
struct Members {
  int ranks[job_most];
  int size;
  int me;  // -1: not a member
};

static void add(struct Members* members, int rank) {
  if (rank == job_me) members->me = members->size;
  members->ranks[members->size++] = rank;
}

// The order is that of the ranks, or the reverse.
static struct Members range(int first, int last, int step) {
  struct Members members = {.size = 0, .me = -1};
  if (step > 0)
    for (int i = first; i <= last; i += step) add(&members, i);
  else
    for (int i = last; i >= first; i += step) add(&members, i);
  return members;
}

static void check_identity(ARMCI_Group* group, const struct Members* members) {
  int rank = -2;
  int size = -2;
  CHECK_INT(ARMCI_Group_rank(group, &rank), members->me < 0 ? 1 : 0);
  CHECK_INT(rank, members->me);
  ARMCI_Group_size(group, &size);
  CHECK_INT(size, members->size);
  for (int i = 0; i < members->size; ++i) CHECK_INT(ARMCI_Absolute_id(group, i), members->ranks[i]);
}

static void check_collectives(ARMCI_Group* group, const struct Members* members) {
  int integer[2] = {job_me, 1};
  long number = job_me;
  long long wide = -job_me;
  float real = (float)job_me;
  double product[300];
  long sum = 0;
  int most = members->ranks[0];
  int least = members->ranks[0];
  double expected = 1;
  for (int i = 0; i < 300; ++i) product[i] = job_me + 1;
  for (int i = 0; i < members->size; ++i) {
    sum += members->ranks[i];
    if (members->ranks[i] > most) most = members->ranks[i];
    if (members->ranks[i] < least) least = members->ranks[i];
    expected *= members->ranks[i] + 1;
  }
  armci_msg_group_igop(integer, 2, "+", group);
  CHECK_INT(integer[0], sum);
  CHECK_INT(integer[1], members->size);
  armci_msg_group_lgop(&number, 1, "max", group);
  CHECK_INT(number, most);
  armci_msg_group_llgop(&wide, 1, "absmax", group);
  CHECK_INT(wide, most);
  armci_msg_group_fgop(&real, 1, "min", group);
  CHECK_REAL(real, least);
  armci_msg_group_dgop(product, 300, "*", group);
  CHECK_REAL(product[299], expected);
  number = job_me;
  armci_msg_group_gop_scope(SCOPE_ALL, &number, 1, "+", ARMCI_LONG, group);
  CHECK_INT(number, sum);
  for (int i = 0; i < members->size; ++i) {
    number = job_me;
    armci_msg_group_bcast_scope(SCOPE_ALL, &number, sizeof(number), members->ranks[i], group);
    CHECK_INT(number, members->ranks[i]);
  }
  armci_msg_group_barrier(group);
  number = members->me;  // the second member sends to all after it but the last
  const int from = members->size > 1 ? 1 : 0;
  const int to = members->size > 3 ? members->size - 1 : members->size;
  if (members->me >= from && members->me < to) {
    armci_grp_clus_brdcst(&number, sizeof(number), from, to - from, group);
    CHECK_INT(number, from);
  }
}

// Entry i is memory of member i; members write to each other.
static void check_memory(ARMCI_Group* group, const struct Members* members, armci_size_t size) {
  void* blocks[job_most];
  void* shown[job_most] = {NULL};
  const int next = (members->me + 1) % members->size;
  const int last = (members->me + members->size - 1) % members->size;
  CHECK_INT(ARMCI_Malloc_group(blocks, size, group), 0);
  ARMCI_PutValueInt(job_me * 10, blocks[next], members->ranks[next]);
  ARMCI_GroupFence(group);
  armci_msg_group_barrier(group);
  CHECK_INT(*(int*)blocks[members->me], members->ranks[last] * 10);
  shown[members->me] = (char*)blocks[members->me] + 4;
  armci_exchange_address_grp(shown, members->size, group);
  CHECK(shown[next] == (char*)blocks[next] + 4);
  CHECK_INT(ARMCI_Free_group(blocks[members->me], group), 0);
}

static void check(ARMCI_Group* group, const struct Members* members) {
  check_identity(group, members);
  if (members->me < 0) return;
  check_collectives(group, members);
  check_memory(group, members, 64 + 100 * members->me);
  CHECK_INT(ARMCI_Uses_shm_grp(group), ARMCI_Uses_shm());
}

// Called by all processes, or only by the members.
static void create_and_check(struct Members members, int called_by_all) {
  ARMCI_Group group;
  if (members.size == 0 || (members.me < 0 && !called_by_all)) return;
  ARMCI_Group_create(members.size, members.ranks, &group);
  check(&group, &members);
  ARMCI_Group_free(&group);
}

static void shapes(void) {
  const int last = job_ranks - 1;
  for (int round = 0; round < 6; ++round) {
    const int by_all = round % 2;
    create_and_check(range(0, last, 1), by_all);
    create_and_check(range(0, last, -1), by_all);
    create_and_check(range(0, last, 2), by_all);  // disjoint from the next one
    create_and_check(range(1, last, 2), by_all);
    create_and_check(range(0, (last + 1) / 2, 1), by_all);
    create_and_check(range(last / 2, last, -1), by_all);
    create_and_check(range(job_me, job_me, 1), 0);  // each alone
  }
}

// Groups that overlap exist at the same time, with memory that outlives the collectives of others.
static void together(void) {
  enum { most = 10 };
  ARMCI_Group groups[most];
  struct Members members[most];
  void* blocks[most][job_most];
  for (int i = 0; i < most; ++i) {
    members[i] = range(i % job_ranks, job_ranks - 1, i % 3 + 1);
    ARMCI_Group_create(members[i].size, members[i].ranks, &groups[i]);
    if (members[i].me >= 0) ARMCI_Malloc_group(blocks[i], 1000, &groups[i]);
  }
  for (int i = 0; i < most; ++i) check(&groups[i], &members[i]);
  for (int i = 0; i < most; ++i) {
    if (members[i].me < 0) continue;
    ARMCI_PutValueInt(i, blocks[i][0], members[i].ranks[0]);
    ARMCI_GroupFence(&groups[i]);
    armci_msg_group_barrier(&groups[i]);
    if (members[i].me == 0) CHECK_INT(*(int*)blocks[i][0], i);
  }
  for (int i = 0; i < most; ++i) {
    if (members[i].me >= 0) ARMCI_Free_group(blocks[i][members[i].me], &groups[i]);
    ARMCI_Group_free(&groups[i]);
  }
}

// The lists of children contain ranks of the parent; those of Group_create, of the default group.
static void children(void) {
  ARMCI_Group parent;
  ARMCI_Group child;
  ARMCI_Group found;
  struct Members old = range(0, job_ranks - 1, -1);
  struct Members young = range(0, job_ranks - 1, -2);
  int list[job_most];
  for (int i = 0; i < young.size; ++i) list[i] = 2 * i;
  ARMCI_Group_create(old.size, old.ranks, &parent);
  ARMCI_Group_create_child(young.size, list, &child, &parent);
  check(&child, &young);
  ARMCI_Group_free(&child);
  ARMCI_Group_set_default(&parent);
  ARMCI_Group_get_default(&found);
  check(&found, &old);
  ARMCI_Group_create(young.size, list, &child);
  check(&child, &young);
  ARMCI_Group_get_world(&found);
  ARMCI_Group_set_default(&found);
  old = range(0, job_ranks - 1, 1);
  ARMCI_Group_get_default(&found);
  check(&found, &old);
  ARMCI_Group_free(&child);
  ARMCI_Group_free(&parent);
}

static void splits(void) {
  ARMCI_Group world;
  ARMCI_Group part;
  ARMCI_Group copy;
  ARMCI_Group_get_world(&world);
  const int color = job_me == job_ranks - 1 && job_ranks > 1 ? -1 : job_me % 2;
  CHECK_INT(ARMCIX_Group_split(&world, color, -job_me, &part), 0);
  struct Members members = {.size = 0, .me = -1};
  const int last = job_ranks > 1 ? job_ranks - 2 : 0;  // the last one joins no group
  for (int i = last; i >= 0 && color >= 0; --i)        // with descending keys
    if (i % 2 == color) add(&members, i);
  check(&part, &members);
  if (members.me >= 0) {
    CHECK_INT(ARMCIX_Group_dup(&part, &copy), 0);
    check(&copy, &members);
    ARMCI_Group_free(&copy);
    check(&part, &members);
  }
  ARMCI_Group_free(&part);
  members = range(0, job_ranks - 1, 1);
  ARMCIX_Group_split(&world, 0, 7, &part);  // equal keys: the order of the parent
  check(&part, &members);
  ARMCI_Group_free(&part);
  ARMCIX_Progress();
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  shapes();
  together();
  children();
  splits();
  return job_end();
}
