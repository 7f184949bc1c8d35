// OpenSHMEM, GASNet-EX and Global Arrays in one program. Each writes to memory of the next rank,
// and all ranks meet in the barriers of each.
#include "check.h"

#include <armci.h>
#include <gasnetex.h>
#include <shmem.h>

enum { ROUNDS = 50 };

static long visits;  // symmetric

static void meet_in_gasnet(gex_TM_t team) {
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

static void visit_next(int array, gex_TM_t team) {
  int next[1] = {(me + 1) % ranks};
  int ld[1] = {1};
  long one = 1;
  for (int round = 0; round < ROUNDS; ++round) {
    NGA_Acc(array, next, next, &one, ld, &one);
    shmem_long_atomic_inc(&visits, next[0]);
    if (round % 3 == 0) GA_Sync();
    if (round % 3 == 1) shmem_barrier_all();
    if (round % 3 == 2) meet_in_gasnet(team);
  }
  GA_Sync();
  shmem_barrier_all();
  int own[1] = {me};
  long counted = 0;
  NGA_Get(array, own, own, &counted, ld);
  expect(counted, ROUNDS, "accumulated by Global Arrays", 0);
  expect(visits, ROUNDS, "counted by OpenSHMEM", 0);
}

// Symmetric memory is memory of ARMCI too.
static void name_symmetric_memory(void) {
  static int word;
  int number = me;
  expect(ARMCI_Put(&number, &word, sizeof number, (me + 1) % ranks), 0, "ARMCI_Put", 0);
  ARMCI_Barrier();
  expect(word, (me + ranks - 1) % ranks, "the symmetric variable", 0);
}

// The owner names its variable by another address than the others do.
static void add_to_symmetric_memory(void) {
  static double sums[64];
  double terms[64];
  double one = 1;
  for (int i = 0; i < 64; ++i) terms[i] = i;
  ARMCI_Barrier();
  for (int round = 0; round < 2000; ++round)
    ARMCI_Acc(ARMCI_ACC_DBL, &one, terms, sums, sizeof terms, 0);
  ARMCI_Barrier();
  for (int i = 0; me == 0 && i < 64; ++i)
    expect_near(sums[i], 2000.0 * ranks * i, 0, "accumulated in a symmetric variable", i);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shmem_init();
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Client_Init(&client, &endpoint, &team, "doors", &argc, &argv, 0);
  GA_Initialize();
  MA_init(C_DBL, 1 << 14, 1 << 14);
  me = GA_Nodeid();
  ranks = GA_Nnodes();
  expect(shmem_my_pe(), me, "the PE", 0);
  expect((long)gex_TM_QueryRank(team), me, "the rank of the team", 0);
  int dims[1] = {ranks};
  char name[] = "counts";
  const int array = NGA_Create(C_LONG, 1, dims, name, NULL);
  GA_Zero(array);
  visit_next(array, team);
  name_symmetric_memory();
  add_to_symmetric_memory();
  GA_Destroy(array);
  GA_Sync();
  meet_in_gasnet(team);
  GA_Terminate();
  shmem_finalize();
  MPI_Finalize();
  gasnet_exit(failures > 0);
}
