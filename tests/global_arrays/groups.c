// Processor groups: ranks, arrays that a group owns, splits, and another default group. Groups
// without a common member work at the same time.
#include "group.h"

// Each row is put by a member that does not own it, if there are several. All members then add to
// all rows.
static void use_array(int array, const Group* group) {
  enum { columns = 20 };
  static double row[columns];
  double one = 1;
  int ld[1] = {columns};
  GA_Zero(array);
  for (int r = 0; r < 2 * group->count; ++r) {
    int lo[2] = {r, 0};
    int hi[2] = {r, columns - 1};
    for (int i = 0; i < columns; ++i) row[i] = r * 100 + i;
    if (group->members[(r + 1) % group->count] == me) NGA_Put(array, lo, hi, row, ld);
  }
  GA_Pgroup_sync(group->handle);
  for (int r = 0; r < 2 * group->count; ++r) {
    int lo[2] = {r, 0};
    int hi[2] = {r, columns - 1};
    for (int i = 0; i < columns; ++i) row[i] = i;
    NGA_Acc(array, lo, hi, row, ld, &one);
  }
  GA_Pgroup_sync(group->handle);
  for (int r = 0; r < 2 * group->count; ++r) {
    int lo[2] = {r, 0};
    int hi[2] = {r, columns - 1};
    NGA_Get(array, lo, hi, row, ld);
    for (int i = 0; i < columns; ++i)
      expect_near(row[i], r * 100 + i + i * group->count, 0, "array of a group", i);
  }
  GA_Pgroup_sync(group->handle);
  GA_Destroy(array);
}

static void arrays_of_group(const Group* group) {
  int dims[2] = {2 * group->count, 20};
  const int array = GA_Create_handle();
  GA_Set_data(array, 2, dims, C_DBL);
  GA_Set_pgroup(array, group->handle);
  expect(GA_Allocate(array), 1, "GA_Allocate in a group", 0);
  expect(GA_Get_pgroup(array), group->handle, "GA_Get_pgroup", 0);
  use_array(array, group);
  use_array(NGA_Create_config(C_DBL, 2, dims, "config", NULL, group->handle), group);
}

static void identify(const Group* group) {
  expect(GA_Pgroup_nnodes(group->handle), group->count, "GA_Pgroup_nnodes", 0);
  for (int i = 0; i < group->count; ++i) {
    expect(GA_Pgroup_absolute_id(group->handle, i), group->members[i], "absolute rank", i);
    if (group->members[i] == me) expect(GA_Pgroup_nodeid(group->handle), i, "rank of a group", i);
  }
}

// Functions without a group as an argument use the default group.
static void as_default(const Group* group) {
  int dims[2] = {2 * group->count, 20};
  GA_Pgroup_set_default(group->handle);
  expect(GA_Pgroup_get_default(), group->handle, "GA_Pgroup_get_default", 0);
  expect(GA_Nnodes(), group->count, "GA_Nnodes of the default group", 0);
  expect(group->members[GA_Nodeid()], me, "GA_Nodeid of the default group", 0);
  GA_Sync();
  use_array(NGA_Create(C_DBL, 2, dims, "default", NULL), group);
  GA_Pgroup_set_default(GA_Pgroup_get_world());
  expect(GA_Nnodes(), ranks, "GA_Nnodes of the world", 0);
}

static void use(const Group* group) {
  if (!is_member(group)) return;
  identify(group);
  arrays_of_group(group);
  as_default(group);
}

// The group of this rank after a split: the ranks with the same color.
static Group of_color(int handle, int color, int (*color_of)(int rank)) {
  Group group = {.handle = handle, .count = 0};
  for (int rank = 0; rank < ranks; ++rank)
    if (color_of(rank) == color) group.members[group.count++] = rank;
  return group;
}

static int half(int rank) {
  return rank / ((ranks + 1) / 2);
}

static int third(int rank) {
  return rank % 3;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const Group all = world();
  use(&all);
  Group some[4] = {created(0, ranks, 2), created(1, ranks, 2), created(ranks / 2, ranks, 1),
                   created(0, 3, 1)};
  for (int i = 0; i < 4; ++i) use(&some[i]);
  GA_Sync();
  Group part = of_color(GA_Pgroup_split(all.handle, 2), half(me), half);
  use(&part);
  GA_Sync();
  part = of_color(GA_Pgroup_split_irreg(all.handle, third(me)), third(me), third);
  use(&part);
  GA_Sync();
  for (int i = 0; i < 4; ++i)
    if (is_member(&some[i])) GA_Pgroup_destroy(some[i].handle);
  return finish();
}
