// Writes after the start of a get do not change the fetched data.
#include "job.h"

enum { zone = 64 << 10 };

static unsigned char* blocks[job_most];

// Each process has a zone in the block of its right neighbour.
static unsigned char* there(void) {
  return blocks[job_right] + job_me * zone;
}

// Puts of all sizes.
static void puts_of_pieces(void) {
  enum { count = zone / 8 };
  static long before[count];
  static long after[count];
  static long got[count];
  armci_hdl_t get;
  armci_hdl_t put;
  for (int round = 0; round < 30; ++round) {
    const int size = 8 << (round % 13);
    for (int i = 0; i < count; ++i) before[i] = i + round;
    for (int i = 0; i < count; ++i) after[i] = -1 - i;
    ARMCI_INIT_HANDLE(&get);
    ARMCI_INIT_HANDLE(&put);
    ARMCI_NbPut(before, there(), size, job_right, &put);
    ARMCI_NbGet(there(), got, size, job_right, &get);
    ARMCI_Wait(&put);
    ARMCI_NbPut(after, there(), size, job_right, &put);
    ARMCI_Wait(&get);
    CHECK_BYTES(got, before, (size_t)size);
    ARMCI_Wait(&put);
    ARMCI_Get(there(), got, size, job_right);
    CHECK_BYTES(got, after, (size_t)size);
  }
}

// The operations that write, on one word.
static void all_writes(void) {
  for (int round = 0; round < 80; ++round) {
    long got = 0;
    long one = 1;
    long old = 0;
    armci_hdl_t get;
    void* source = &one;
    void* target = there();
    armci_giov_t list = {&source, &target, sizeof(one), 1};
    ARMCI_INIT_HANDLE(&get);
    ARMCI_PutValueLong(5, target, job_right);
    ARMCI_NbGet(target, &got, sizeof(got), job_right, &get);
    if (round % 4 == 0) ARMCI_PutValueLong(6, target, job_right);
    if (round % 4 == 1) ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, target, 8, job_right);
    if (round % 4 == 2) ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, target, 1, job_right);
    if (round % 4 == 3) ARMCI_PutV(&list, 1, job_right);
    ARMCI_Wait(&get);
    CHECK_INT(got, 5);
    CHECK_INT(ARMCI_GetValueLong(target, job_right), round % 4 == 3 ? 1 : 6);
  }
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 0);
  ARMCI_Malloc((void**)blocks, job_ranks * (armci_size_t)zone);
  puts_of_pieces();
  all_writes();
  ARMCI_Barrier();
  ARMCI_Free(blocks[job_me]);
  return job_end();
}
