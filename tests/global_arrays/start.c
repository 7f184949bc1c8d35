// ARMCI for MPI programs: it starts MPI if the program has not, knows communicators, and can be
// finalized as often as layers above require.
#include "check.h"

#include <armci.h>

static void check_communicators(void) {
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  int size = 0;
  int rank = -1;
  MPI_Comm_size(armci_group_comm(&world), &size);
  MPI_Comm_rank(armci_group_comm(&world), &rank);
  expect(size, ranks, "size of the world's communicator", 0);
  expect(rank, me, "rank in the world's communicator", 0);
}

// Every `step`-th process, in falling order.
static void check_group(int step) {
  int rank = -1;
  int list[64];
  int count = 0;
  for (int i = ranks - 1; i >= 0; i -= step) list[count++] = i;
  ARMCI_Group group;
  ARMCI_Group_create(count, list, &group);
  int mine = -1;
  ARMCI_Group_rank(&group, &mine);
  const int place = ranks - 1 - me;
  expect(mine, place % step == 0 ? place / step : -1, "rank in the group", step);
  if (mine >= 0) {
    MPI_Comm_rank(armci_group_comm(&group), &rank);
    expect(rank, mine, "rank in the group's communicator", 0);
    int sum = 0;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, armci_group_comm(&group));
    int expected = 0;
    for (int i = 0; i < count; ++i) expected += list[i];
    expect(sum, expected, "sum by MPI in the group", 0);
  }
  ARMCI_Group_free(&group);
}

int main(int argc, char** argv) {
  armci_msg_init(&argc, &argv);
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  expect(is_initialized, 1, "MPI is initialised", 0);
  expect(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 0, "ARMCI_Init_mpi_comm", 0);
  me = armci_msg_me();
  ranks = armci_msg_nproc();
  check_communicators();
  check_group(1);
  check_group(2);
  ARMCI_Barrier();
  expect(ARMCI_Finalize(), 0, "ARMCI_Finalize", 0);
  expect(ARMCI_Initialized(), 1, "after one of two", 0);
  armci_msg_finalize();
  expect(ARMCI_Initialized(), 0, "after both", 0);
  expect(ARMCI_Finalize(), 0, "ARMCI_Finalize, once more", 0);
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  expect(is_finalized, 1, "MPI has ended", 0);
  return failures > 0;
}
