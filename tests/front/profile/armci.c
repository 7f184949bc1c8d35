/* Makes known numbers of ARMCI calls; rank 2 comes late, three times. */
#include <armci.h>
#include <message.h>
#include <string.h>
#include <unistd.h>

enum { most_ranks = 64, size = 8000 };

static void* blocks[most_ranks];
static int me, next_rank;

static void exchange(void) {
  ARMCI_Put(blocks[me], blocks[next_rank], 1000 * (me + 1), next_rank);
}

static void late(void) {
  for (int round = 0; round < 3; ++round) {
    exchange();
    if (me == 2) usleep(100000);
    ARMCI_Barrier();
  }
}

/* Two rows of three ints, which lie 16 bytes apart, a list of two pieces, and an update. */
static void other_kinds(void) {
  static int rows[8];
  long old = 0;
  int strides[] = {16};
  int counts[] = {12, 2};
  void* from[] = {&rows[0], &rows[1]};
  void* to[] = {(char*)blocks[next_rank], (char*)blocks[next_rank] + 8};
  armci_giov_t list = {from, to, 4, 2};
  ARMCI_PutS(rows, strides, blocks[next_rank], strides, counts, 1, next_rank);
  ARMCI_PutV(&list, 1, next_rank);
  ARMCI_GetS(blocks[next_rank], strides, rows, strides, counts, 1, next_rank);
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, (char*)blocks[0] + 4096, 1, 0);
}

int main(int argc, char** argv) {
  (void)argc;
  if (ARMCI_Init() != 0) return 1;
  me = armci_msg_me();
  next_rank = (me + 1) % armci_msg_nproc();
  if (armci_msg_nproc() > most_ranks || ARMCI_Malloc(blocks, size) != 0) return 1;
  late();
  if (strcmp(argv[1], "all_kinds") == 0) other_kinds();
  if (strcmp(argv[1], "no_finalize") == 0) return 0;
  ARMCI_Free(blocks[me]);
  ARMCI_Finalize();
  return 0;
}
