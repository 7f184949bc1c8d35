// A process that waits in ARMCI makes MPI progress. Process 1 begins a message that MPI cannot send
// without further calls, and waits for process 0, which receives it first. The others only wait.
#include "check.h"

#include <armcix.h>
#include <shmem.h>
#include <unistd.h>

enum { size = 1 << 20 };

static char* message;
static MPI_Request request = MPI_REQUEST_NULL;

// Process 1 is asleep in its wait by the time process 0 receives.
static void begin(void) {
  if (ranks > 1 && me == 1) MPI_Isend(message, size, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &request);
  if (ranks == 1 || me != 0) return;
  usleep(15000);
  MPI_Recv(message, size, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_init(void) {
  begin();
  ARMCI_Init();
  end();
}

static void in_barriers(void) {
  begin();
  armci_msg_barrier();
  end();
  begin();
  ARMCI_Barrier();
  end();
  begin();
  GA_Sync();
  end();
  begin();
  shmem_barrier_all();
  end();
}

static void in_collectives_of_a_group(void) {
  int list[64];
  for (int i = 0; i < ranks; ++i) list[i] = ranks - 1 - i;
  ARMCI_Group group;
  begin();
  ARMCI_Group_create(ranks, list, &group);
  end();
  begin();
  armci_msg_group_barrier(&group);
  end();
  int sum = me;
  begin();
  armci_msg_group_igop(&sum, 1, "+", &group);
  end();
  expect(sum, ranks * (ranks - 1) / 2, "sum in the group", 0);
  ARMCI_Group_free(&group);
}

static void in_waits_for_one_process(void) {
  int word = me;
  begin();
  if (me == 0)
    for (int i = 1; i < ranks; ++i) armci_msg_snd(7, &word, sizeof(word), i);
  else
    armci_msg_rcv(7, &word, sizeof(word), NULL, 0);
  end();
  expect(word, 0, "word of process 0", 0);
  begin();
  if (me == 0)
    for (int i = 1; i < ranks; ++i) armci_notify(i);
  else
    armci_notify_wait(0, NULL);
  end();
  ARMCI_Create_mutexes(1);
  if (me == 0) ARMCI_Lock(0, 0);
  ARMCI_Barrier();
  begin();
  if (me != 0) ARMCI_Lock(0, 0);
  ARMCI_Unlock(0, 0);
  end();
  ARMCI_Barrier();
  ARMCI_Destroy_mutexes();
}

// A process may poll for values that another one stores.
static void in_polls(void) {
  void* words[64];
  ARMCI_Malloc(words, sizeof(int));
  *(int*)words[me] = 0;
  ARMCI_Barrier();
  begin();
  int one = 1;
  if (me == 0)
    for (int i = 0; i < ranks; ++i) ARMCI_Put(&one, words[i], sizeof(one), i);
  while (__atomic_load_n((int*)words[me], __ATOMIC_ACQUIRE) == 0) ARMCIX_Progress();
  end();
  ARMCI_Barrier();
  ARMCI_Free(words[me]);
}

int main(int argc, char** argv) {
  alarm(100);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  message = calloc(size, 1);
  in_init();
  GA_Initialize();
  shmem_init();
  in_barriers();
  in_collectives_of_a_group();
  in_waits_for_one_process();
  in_polls();
  shmem_finalize();
  GA_Terminate();
  begin();
  ARMCI_Finalize();
  end();
  free(message);
  MPI_Finalize();
  return failures > 0;
}
